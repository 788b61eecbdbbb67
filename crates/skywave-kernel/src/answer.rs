//! Answers: what a congestion control law wants, as the eBPF program in the kernel reads it (`bpf/wire.h`).

/// Words of 64 bits of a slot.
pub(crate) const WORDS: usize = 8;

/// A threshold that no window reaches (`TCP_INFINITE_SSTHRESH`).
const INFINITE: u32 = 0x7fff_ffff;

/// Answer of a congestion control to the kernel: window, threshold and pace of one connection, and the event
/// that it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Number of the connection, as in [`Message::id`](crate::Message::id).
    pub id: u64,
    /// Number of the latest event that this answer takes into account, as in
    /// [`Message::number`](crate::Message::number).
    pub number: u64,
    /// Time of the event with number [`Self::number`] by the kernel's monotonic clock, ns.
    pub at: u64,
    /// Pacing rate, bytes a second; `None` to have Linux pace the window by its own rule.
    pub pace: Option<u64>,
    /// Congestion window, packets, at least 1.
    pub cwnd: u32,
    /// Slow start threshold, packets; 2^31 - 1 for none.
    pub ssthresh: u32,
}

impl Answer {
    /// Whole packets of a window or a threshold.
    pub(crate) fn packets(segments: f64) -> u32 {
        // A cast of a float saturates.
        (segments as u32).clamp(1, INFINITE)
    }

    /// Encoding of the answer as the eight words of a connection's slot in memory shared with the kernel
    /// (`bpf/wire.h`). The eBPF program there reads without a lock: the sixth word is a checksum, by which it knows an
    /// answer that was only partly written.
    pub fn words(&self) -> [u64; WORDS] {
        let pace = self.pace.map_or(0, |pace| pace.max(1));
        let windows = u64::from(self.cwnd) | u64::from(self.ssthresh) << 32;
        let parts = [
            (self.id, 0x9e37_79b9_7f4a_7c15),
            (self.number, 0xbf58_476d_1ce4_e5b9),
            (self.at, 0x94d0_49bb_1331_11eb),
            (pace, 0xff51_afd7_ed55_8ccd),
            (windows, 0xc4ce_b9fe_1a85_ec53),
        ];
        let check = parts.iter().fold(0_u64, |sum, (word, factor)| {
            sum.wrapping_add(word.wrapping_mul(*factor))
        });
        [self.id, self.number, self.at, pace, windows, check, 0, 0]
    }
}
