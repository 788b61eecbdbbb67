//! Hundredths of a second, with what a sender did and knew in each.

/// Width of a [`Bin`], nanoseconds.
pub const WIDTH_NS: u64 = 10_000_000;

/// Bin of 10 ms of a TCP transfer, with what the sender sent and what it heard in acknowledgements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bin {
    /// Number of the bin, counted from 0 at the connection's first packet.
    pub index: u32,
    /// Payload bytes sent, retransmissions included.
    pub sent: u32,
    /// Payload bytes that ACKs or SACK blocks acknowledged for the first time.
    pub delivered: u32,
    /// Most payload bytes in flight after any packet of the bin.
    pub flight: u32,
    /// Payload bytes in flight at the bin's end.
    pub left: u32,
    /// Receive window that the bin's last ACK advertised, or, in a bin without ACKs, the latest one before; bytes,
    /// `u32::MAX` if unknown.
    pub window: u32,
    /// Segments sent, retransmissions included.
    pub packets: u16,
    /// Number of retransmissions among the segments sent.
    pub again: u16,
    /// Segments that turned out to have been overtaken by later ones.
    pub overtaken: u16,
    /// Whether the sender was repairing a loss when it sent a segment or heard an ACK within the bin.
    pub is_recovering: bool,
    /// Whether segments were sent again by a retransmission timeout, or in the repair that follows one.
    pub is_after_timeout: bool,
}

/// Time series of a TCP transfer in bins of 10 ms ([`WIDTH_NS`]): bytes sent, delivered and in flight, retransmissions.
/// Bins in which nothing was sent or acknowledged are left out.
#[derive(Clone, Debug, Default)]
pub struct Bins {
    bins: Vec<Bin>,
}

impl Bins {
    /// The bins in the order of time.
    pub fn iter(&self) -> impl Iterator<Item = &Bin> {
        self.bins.iter()
    }

    /// Seconds from the connection's first packet to the end of the last bin; 0 without bins.
    pub fn span_s(&self) -> f64 {
        let last = self.bins.last();
        last.map_or(0.0, |bin| {
            (f64::from(bin.index) + 1.0) * WIDTH_NS as f64 / 1e9
        })
    }

    /// The bin of a time, a new one if need be; a time before the last bin counts there.
    pub(super) fn at(&mut self, at_ns: u64) -> &mut Bin {
        let index = u32::try_from(at_ns / WIDTH_NS).unwrap_or(u32::MAX);
        let last = self.bins.last().copied();
        if last.is_none_or(|bin| bin.index < index) {
            self.bins.push(Bin {
                index,
                sent: 0,
                delivered: 0,
                flight: 0,
                left: last.map_or(0, |bin| bin.left),
                window: last.map_or(u32::MAX, |bin| bin.window),
                packets: 0,
                again: 0,
                overtaken: 0,
                is_recovering: false,
                is_after_timeout: false,
            });
        }
        let last = self.bins.len() - 1;
        &mut self.bins[last]
    }
}
