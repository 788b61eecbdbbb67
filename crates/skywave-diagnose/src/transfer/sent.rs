//! One transmission of a segment.

/// Marks an answer that never came.
const NEVER: u32 = u32::MAX;

/// Transmission of a TCP segment with data: the first one, or a retransmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Time of the transmission, nanoseconds from the connection's first packet.
    pub at_ns: u64,
    answered_us: u32,
    /// Bytes of the packet from the IP header on.
    pub bytes: u16,
    /// Fate of the transmission.
    pub fate: Fate,
    /// Probable reason of the retransmission; `None` if it is the first transmission that the capture has.
    pub again: Option<Cause>,
}

/// Fate of a transmission, as far as acknowledgements tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Not told: not acknowledged until the capture's end, or sent in vain, when the segment had arrived already.
    Unknown,
    /// Did not arrive.
    Lost,
    /// Arrived, but the ACK that tells so waited for other segments (as for the repair of a hole), or the segment was
    /// sent several times: the time until the ACK is no round trip.
    Delivered,
    /// Arrived after a single transmission, and was acknowledged by a SACK block, or by an ACK that filled no hole and
    /// covers four segments at most, or has it as its last: the time until the ACK is a round trip, the wait of a
    /// delayed ACK included.
    Timed,
}

/// Probable reason of a retransmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// ACKs told of later segments (duplicate ACKs, SACK), so that the segment was taken for lost.
    Dupacks,
    /// Nothing was heard for a retransmission timeout, or the repair after a timeout goes on.
    Timeout,
    /// The last segment, sent again to provoke an ACK: a tail loss probe (RFC 8985 section 7).
    TailProbe,
    /// Sent in vain: an earlier transmission arrived after all.
    Spurious,
}

impl Cause {
    /// Every cause with its name, in the order in which tables have them.
    pub const ALL: [(Self, &str); 4] = [
        (Self::Dupacks, "duplicate ACKs"),
        (Self::Timeout, "timeout"),
        (Self::TailProbe, "tail probe"),
        (Self::Spurious, "spurious"),
    ];
}

impl Sent {
    pub(super) fn new(at_ns: u64, bytes: u64, again: Option<Cause>) -> Self {
        Self {
            at_ns,
            answered_us: NEVER,
            bytes: u16::try_from(bytes).unwrap_or(u16::MAX),
            fate: Fate::Unknown,
            again,
        }
    }

    pub(super) fn answer(&mut self, at_ns: u64, fate: Fate) {
        let us = at_ns.saturating_sub(self.at_ns) / 1000;
        self.answered_us = u32::try_from(us).unwrap_or(NEVER - 1);
        self.fate = fate;
    }

    /// Has the answer come so many seconds after the transmission.
    pub(crate) fn answer_after(&mut self, seconds: f64) {
        self.answered_us = (seconds * 1e6) as u32;
    }

    /// Has the answer come sooner, but not before the transmission.
    pub(crate) fn sooner(&mut self, seconds: f64) {
        if self.answered_us != NEVER {
            self.answered_us = self.answered_us.saturating_sub((seconds * 1e6) as u32);
        }
    }

    /// A timer sent it again.
    pub(super) fn is_by_timer(&self) -> bool {
        matches!(self.again, Some(Cause::Timeout | Cause::TailProbe))
    }

    /// Time of the transmission, seconds from the connection's first packet.
    pub fn at_s(&self) -> f64 {
        self.at_ns as f64 / 1e9
    }

    /// Seconds from the transmission to the acknowledgement of it; `None` if none came.
    pub fn answer_after_s(&self) -> Option<f64> {
        (self.answered_us != NEVER).then(|| f64::from(self.answered_us) / 1e6)
    }

    /// Round trip of the transmission, seconds; `None` unless its fate is [`Fate::Timed`].
    pub fn rtt_s(&self) -> Option<f64> {
        self.answer_after_s().filter(|_| self.fate == Fate::Timed)
    }

    /// When its answer came, microseconds from the connection's first packet.
    pub(crate) fn answered_at_us(&self) -> Option<u64> {
        (self.answered_us != NEVER).then(|| self.at_ns / 1000 + u64::from(self.answered_us))
    }

    /// Round trip in microseconds, likewise.
    pub(super) fn rtt_us(&self) -> Option<u32> {
        (self.answered_us != NEVER && self.fate == Fate::Timed).then_some(self.answered_us)
    }

    /// One answer told of both: their times differ by no more than microseconds do that were cut off.
    pub(crate) fn is_answered_with(&self, other: Option<&Self>) -> bool {
        let own = self.answered_at_us();
        let other = other.and_then(Self::answered_at_us);
        own.zip(other)
            .is_some_and(|(own, other)| own.abs_diff(other) <= 1)
    }
}
