//! A segment in flight, as others see it and as it is kept.

use std::ops::Range;

use crate::time::Time;

/// One segment that was sent and is not yet acknowledged cumulatively.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sent {
    /// Position of the segment's first byte, in bytes from the initial sequence number.
    pub start: u64,
    /// Position after the segment's last byte, in bytes from the initial sequence number.
    pub end: u64,
    /// When the segment was first sent.
    pub first_sent: Time,
    /// When the segment was last sent.
    pub last_sent: Time,
    /// How often the segment was sent; 65,535 stands for that or more.
    pub transmissions: u32,
    /// Whether a SACK block reports the segment as received (RFC 2018).
    pub sacked: bool,
    /// Whether the segment counts as lost and is to be sent again.
    pub lost: bool,
    /// Whether the segment was sent again since the sender last went back N or took that back, or ended a recovery by
    /// SACK (RFC 6675's HighRxt, a segment at a time).
    pub resent: bool,
    /// Whether the segment was sent again although it did not count as lost: both copies may be in
    /// the network.
    pub doubled: bool,
}

impl Sent {
    /// Sequence numbers that the segment takes: its bytes, and one each for SYN and FIN.
    #[expect(clippy::len_without_is_empty, reason = "a segment is never empty")]
    pub const fn len(&self) -> u64 {
        self.end - self.start
    }
}

/// Flags of a [`Sent`], in one word. Whether the receiver holds a segment is not among them: the
/// scoreboard knows, and can change that for thousands of segments at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Marks(u16);

impl Marks {
    pub(super) const LOST: Self = Self(1);
    pub(super) const RESENT: Self = Self(2);
    pub(super) const DOUBLED: Self = Self(4);
    /// The connection stood still while it was in flight: its round trip says nothing of the path.
    pub(super) const UNTIMED: Self = Self(8);
    /// Marks under which the segment's bytes do not count once in
    /// [`Flight::pipe`](super::Flight::pipe), but not at all or twice.
    pub(super) const COUNTED: Self = Self(Self::LOST.0 | Self::DOUBLED.0);
    /// All marks that belong to a recovery.
    pub(super) const REPAIR: Self = Self(Self::LOST.0 | Self::RESENT.0 | Self::DOUBLED.0);
}

/// Stored record of a segment that is not yet acknowledged cumulatively, from which a [`Sent`] is made. It has the size
/// of half a cache line, so that none lies in two lines.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub struct Kept {
    pub(super) start: u64,
    first_sent: Time,
    pub(super) last_sent: Time,
    len: u32,
    /// How often the segment was sent; stays at 65,535 once it is there.
    transmissions: u16,
    marks: Marks,
}

impl Kept {
    /// A segment sent for the first time.
    #[inline]
    pub(super) fn new(start: u64, end: u64, now: Time) -> Self {
        debug_assert!(u32::try_from(end - start).is_ok());
        Self {
            start,
            first_sent: now,
            last_sent: now,
            len: (end - start) as u32,
            transmissions: 1,
            marks: Marks(0),
        }
    }

    #[inline]
    pub(super) fn len(&self) -> u64 {
        u64::from(self.len)
    }

    /// Position after the segment's last byte, in bytes from the initial sequence number.
    #[inline]
    pub fn end(&self) -> u64 {
        self.start + self.len()
    }

    /// Positions of the segment.
    #[inline]
    pub(super) fn range(&self) -> Range<u64> {
        self.start..self.end()
    }

    /// When the segment was first sent.
    #[inline]
    pub fn first_sent(&self) -> Time {
        self.first_sent
    }

    /// When the segment was last sent.
    #[inline]
    pub(crate) fn last_sent(&self) -> Time {
        self.last_sent
    }

    /// How often the segment was sent; 65,535 stands for that or more.
    #[inline]
    pub(crate) fn transmissions(&self) -> u32 {
        u32::from(self.transmissions)
    }

    #[inline]
    pub(super) fn was_sent_once(&self) -> bool {
        self.transmissions == 1
    }

    /// Whether the time until the segment is acknowledged is a round trip: it was sent once, and
    /// the connection did not stand still meanwhile.
    #[inline]
    pub(super) fn is_timed(&self) -> bool {
        self.was_sent_once() && !self.has(Marks::UNTIMED)
    }

    /// Whether the segment was sent once, and this copy does not count as lost.
    #[inline]
    pub(super) fn has_one_copy_out(&self) -> bool {
        self.was_sent_once() && !self.has(Marks::LOST)
    }

    /// Notes that the segment is sent again at `now`.
    pub(super) fn send_again(&mut self, now: Time) {
        self.last_sent = now;
        self.transmissions = self.transmissions.saturating_add(1);
        self.mark(Marks::RESENT);
        self.unmark(Marks::UNTIMED);
    }

    /// Cuts off what is before `position`, which is acknowledged.
    pub(super) fn cut(&mut self, position: u64) {
        self.len = (self.end() - position) as u32;
        self.start = position;
    }

    /// Whether the segment holds `position`.
    #[inline]
    pub(super) fn holds(&self, position: u64) -> bool {
        position.wrapping_sub(self.start) < self.len()
    }

    /// Whether the segment has any of `marks`.
    #[inline]
    pub(super) fn has(&self, marks: Marks) -> bool {
        self.marks.0 & marks.0 != 0
    }

    pub(super) fn mark(&mut self, marks: Marks) {
        self.marks.0 |= marks.0;
    }

    pub(super) fn unmark(&mut self, marks: Marks) {
        self.marks.0 &= !marks.0;
    }

    /// Takes marks away. Returns whether the segment had any of them.
    pub(super) fn take(&mut self, marks: Marks) -> bool {
        let had = self.has(marks);
        self.unmark(marks);
        had
    }

    /// As others see it; `sacked`: the receiver holds it.
    #[inline]
    pub(super) fn sent(&self, sacked: bool) -> Sent {
        Sent {
            start: self.start,
            end: self.end(),
            first_sent: self.first_sent,
            last_sent: self.last_sent,
            transmissions: self.transmissions(),
            sacked,
            lost: self.has(Marks::LOST),
            resent: self.has(Marks::RESENT),
            doubled: self.has(Marks::DOUBLED),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_segment_lies_in_two_cache_lines() {
        assert_eq!((size_of::<Kept>(), align_of::<Kept>()), (32, 32));
    }
}
