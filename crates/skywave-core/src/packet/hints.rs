//! Hints that the receiver of data echoes to its sender, about the way of the data.

use crate::time::Duration;

use super::Marks;

/// Hints of one segment for cross-layer mechanisms: what a receiver tells the sender about the path of the data,
/// beside TCP's own fields. A data segment carries none but [`Marks::ASKS`]; an ACK carries those of the data that it
/// answers.
///
/// The one-way delay is not among them: it is the difference of the two timestamps of an ACK, as long
/// as the clocks of both hosts agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Hints {
    /// [`Marks::ELN`] if a channel lost the segment that this ACK asks for, and [`Marks::CONGESTION_WARNING`] if a
    /// router warned of congestion; [`Marks::ASKS`] on data whose sender asks whether all before it has arrived, and
    /// [`Marks::ALL_RECEIVED`] on the ACK that says so; while something is missing, [`Marks::DUBIOUS`] if its loss may
    /// be congestion, [`Marks::CONGESTED`] if it is. No other marks.
    pub marks: Marks,
    /// Total time for which the radio stations on the path of the data contended for the channel.
    pub contention: ContentionDelay,
}

impl Hints {
    /// No hints.
    pub const NONE: Self = Self {
        marks: Marks::empty(),
        contention: ContentionDelay::ZERO,
    };

    /// Whether there are no hints.
    #[inline]
    pub fn is_none(self) -> bool {
        self == Self::NONE
    }

    /// Whether this ACK confirms, to data that asked ([`Marks::ASKS`]), that everything before that data has arrived.
    pub fn is_all_received(self) -> bool {
        self.marks.contains(Marks::ALL_RECEIVED)
    }

    /// Whether a channel, not a queue, lost the segment that this ACK asks for.
    pub fn is_eln(self) -> bool {
        self.marks.contains(Marks::ELN)
    }
}

/// Time for which stations contended for a radio channel, in units of 8 µs; the largest, 0.52 s, also stands
/// for more. Two bytes, as an option on the wire would have; packed, so that the four bytes of flags and
/// hints in a segment have no gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
#[repr(C, packed)]
pub struct ContentionDelay(u16);

impl ContentionDelay {
    /// No contention at all.
    pub const ZERO: Self = Self(0);
    /// Nanoseconds in a unit: less than a slot of any 802.11.
    const UNIT_NS: u64 = 8_000;

    /// Contention for the time `delay`, rounded to the nearest multiple of 8 µs, at most 0.52 s.
    pub fn from_duration(delay: Duration) -> Self {
        let units = (delay + Duration::from_nanos(Self::UNIT_NS / 2)).as_nanos() / Self::UNIT_NS;
        Self(u16::try_from(units).unwrap_or(u16::MAX))
    }

    /// As it lies in memory.
    #[inline(always)]
    pub(crate) fn to_bytes(self) -> [u8; 2] {
        { self.0 }.to_ne_bytes()
    }

    /// The contention as a length of time.
    pub fn to_duration(self) -> Duration {
        Duration::from_nanos(u64::from(self.0) * Self::UNIT_NS)
    }

    /// Sum of this contention and `delay`, that of one more station on the path; at most 0.52 s.
    #[must_use]
    pub fn plus(self, delay: Duration) -> Self {
        Self(self.0.saturating_add(Self::from_duration(delay).0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contention_is_told_to_the_nearest_unit_and_saturates() {
        let us = Duration::from_micros;
        let tell = |delay| ContentionDelay::from_duration(delay).to_duration();
        assert_eq!(
            (tell(us(3)), tell(us(4)), tell(us(20))),
            (us(0), us(8), us(24))
        );
        assert_eq!(tell(Duration::from_secs(1)), us(8 * 65_535));
        assert_eq!(tell(Duration::MAX), us(8 * 65_535));
        let long = ContentionDelay::from_duration(us(500_000));
        assert_eq!(long.plus(us(500_000)), ContentionDelay(u16::MAX));
        assert_eq!(ContentionDelay::ZERO.plus(us(80)).to_duration(), us(80));
    }
}
