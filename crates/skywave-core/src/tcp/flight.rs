//! The sender's view of its sequence space: what was sent, what is acknowledged, what is lost.
//!
//! Positions are counted in bytes from the initial sequence number (SYN and FIN take one each, as
//! in RFC 9293). `una ≤ nxt ≤ max`; `nxt < max` only while going back N. The segments of
//! `una..max` are kept with their history, in order and without gaps.
//!
//! The history serves three questions at once: the scoreboard of SACK, the send times of Vegas, and the
//! transmission counts of Karn's rule. A flight may have thousands of segments, so no ACK walks over it: what the
//! receiver has is kept as ranges of positions (`ranges.rs`, as at the receiver), marks remember how far losses
//! are found and repaired, and RACK looks at transmissions from the oldest on. A property test compares every
//! answer with that of a walk.

mod by_time;
mod delivery;
mod rate;
mod scoreboard;
mod segment;

use std::ops::Range;

use crate::ring::Ring;
use crate::time::Time;

use scoreboard::Scoreboard;
use segment::Marks;

pub(crate) use delivery::MinRtt;
pub use delivery::{Delivery, RttSample, SentBefore};
pub(crate) use rate::RateSampler;
pub use rate::{LossSample, RateSample};
pub use segment::{Kept, Sent};

/// Outcome of a cumulative acknowledgement: data that it removed from the flight.
#[derive(Clone, Copy, Debug, Default)]
pub struct Acked {
    /// Bytes newly acknowledged; SYN and FIN count as one each.
    pub bytes: u64,
    /// Bytes among the newly acknowledged ones that a SACK block had reported before.
    pub sacked_before: u64,
    /// The last segment that it covers completely. Whole, so that [`Self::newest_sent`] costs nothing where nobody asks.
    newest: Option<Kept>,
}

impl Acked {
    /// Time at which the newest segment that the acknowledgement covers completely was sent; `None` if it covers none,
    /// if that segment was sent again, or if the connection has [stood still](Flight::stand_still) since.
    #[inline]
    pub fn newest_sent(&self) -> Option<Time> {
        let timed = self.newest.filter(Kept::is_timed);
        timed.map(|segment| segment.last_sent)
    }
}

/// A sender's sequence space and the segments that are not yet acknowledged cumulatively. Positions count bytes from
/// the initial sequence number, SYN and FIN as one each.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub struct Flight {
    una: u64,
    nxt: u64,
    max: u64,
    /// Numbered from the first one ever sent.
    segments: Ring<Kept>,
    /// Bytes marked lost and not sent again since.
    lost: u64,
    /// For detectors that judge by time, and for laws that want the rate of delivery.
    delivery: Option<Box<Delivery>>,
    /// Bytes of which two copies may be in the network.
    doubled: u64,
    /// Bytes of segments that the scoreboard has as reported.
    sacked: u64,
    /// End of the highest block reported; 0 when there is none.
    highest: u64,
    /// Bytes found lost so far; bytes that were found lost twice count twice.
    lost_ever: u64,
    /// `None` until the first report, or the first loss above the oldest segment.
    scoreboard: Option<Box<Scoreboard>>,
}

impl Flight {
    /// Oldest unacknowledged position (SND.UNA).
    #[inline]
    pub fn una(&self) -> u64 {
        self.una
    }

    /// Next position to send (SND.NXT).
    #[inline]
    pub fn nxt(&self) -> u64 {
        self.nxt
    }

    /// First position never sent.
    #[inline]
    pub fn max(&self) -> u64 {
        self.max
    }

    /// Whether some data counts as lost, or a sender that goes back N has not come to [`Self::max`] yet: the next
    /// segment is then one sent before, unless SACK blocks report all that is left.
    #[inline]
    pub fn has_old(&self) -> bool {
        self.lost > 0 || self.nxt < self.max
    }

    /// Whether everything below `ack` was sent, and `ack` is no older than the last
    /// acknowledgement.
    #[inline]
    pub fn accepts(&self, ack: u64) -> bool {
        ack.wrapping_sub(self.una) <= self.max - self.una
    }

    /// Bytes in flight, from [`Self::una`] to [`Self::nxt`].
    #[inline]
    pub fn in_flight(&self) -> u64 {
        self.nxt - self.una
    }

    /// True when everything sent is acknowledged.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// Bytes of the segments above [`Self::una`] that SACK blocks have reported whole as received.
    #[inline]
    pub fn sacked_bytes(&self) -> u64 {
        self.sacked
    }

    /// Bytes believed to be in the network: neither reported as received nor known to be lost, and
    /// twice where a segment was sent again on suspicion (RFC 6675's `pipe`). While the sender goes back N, also those
    /// that it has not sent again yet: see [`Self::in_network`].
    pub fn pipe(&self) -> u64 {
        self.max() - self.una - self.sacked - self.lost + self.doubled
    }

    /// Bytes believed to be in the network: [`Self::pipe`], but at most [`Self::in_flight`], which leaves out what a
    /// sender that goes back N has not sent again yet.
    pub fn in_network(&self) -> u64 {
        self.pipe().min(self.in_flight())
    }

    /// Bytes marked lost and not sent again since.
    pub fn lost_bytes(&self) -> u64 {
        self.lost
    }

    /// Bytes found lost so far; bytes that were found lost twice count twice.
    pub fn lost_ever(&self) -> u64 {
        self.lost_ever
    }

    /// Segments sent and not yet acknowledged cumulatively, SACKed and lost ones included, in the order of their
    /// positions.
    pub fn segments(&self) -> impl DoubleEndedIterator<Item = Sent> + ExactSizeIterator {
        self.segments.iter().map(|s| self.sent(s))
    }

    /// Segment with the highest positions of those not yet acknowledged cumulatively, SACKed and lost ones included;
    /// `None` if everything sent is acknowledged.
    pub fn last(&self) -> Option<Sent> {
        self.segments.back().map(|s| self.sent(s))
    }

    /// Stored record of the segment at [`Self::una`], as of [`Self::first`]; `None` if everything sent is acknowledged.
    /// For a [driver](crate::driver) that prefetches it.
    #[inline]
    pub fn oldest(&self) -> Option<&Kept> {
        self.segments.front()
    }

    /// Segment with the lowest positions of those not yet acknowledged cumulatively, the one at [`Self::una`]; SACKed
    /// and lost ones are included. `None` if everything sent is acknowledged.
    pub fn first(&self) -> Option<Sent> {
        self.segments.front().map(|s| self.sent(s))
    }

    /// A segment in flight as others see it.
    #[inline]
    fn sent(&self, segment: &Kept) -> Sent {
        segment.sent(self.is_sacked(segment))
    }

    /// Number of the segment at [`Self::una`] among those ever sent, from 0.
    #[inline]
    pub(crate) fn first_number(&self) -> u64 {
        self.segments.first_number()
    }

    /// The stored record of segment `number`; `None` if that is acknowledged cumulatively, or was never sent. Segments
    /// are numbered in the order of their first transmission, from 0.
    #[inline]
    pub fn numbered(&self, number: u64) -> Option<&Kept> {
        self.segments.numbered(number)
    }

    /// The segment with the byte at `position`, for a caller that goes through the segments in order; `None` if that
    /// byte is acknowledged cumulatively, or was never sent. `number` is the segment number to try first, which saves
    /// 4 % of the instructions of 24 flows; it becomes the number of the segment after the one found.
    #[inline]
    pub fn at_number(&self, position: u64, number: &mut u64) -> Option<&Kept> {
        let segment = match self.segments.numbered(*number) {
            Some(segment) if segment.holds(position) => segment,
            _ => {
                let index = self.index_of(position)?;
                *number = self.first_number() + index as u64;
                self.segments.get(index)?
            }
        };
        *number += 1;
        Some(segment)
    }

    /// The segment with the byte at `position`; `None` if that byte is acknowledged cumulatively, or was never sent.
    #[inline]
    pub fn at(&self, position: u64) -> Option<Sent> {
        let segment = self.segments.get(self.index_of(position)?)?;
        Some(self.sent(segment))
    }

    /// End of the segment at `nxt`, if it was sent before.
    #[inline]
    pub(crate) fn end_of_old(&self) -> Option<u64> {
        if self.nxt == self.max {
            return None;
        }
        Some(self.segments.get(self.index_of(self.nxt)?)?.end())
    }

    #[inline(never)]
    fn index_of(&self, position: u64) -> Option<usize> {
        let is_known = (self.una..self.max).contains(&position);
        is_known.then(|| self.index_ending(position))
    }

    /// Index of the first segment that begins at `position` or after it.
    fn index_from(&self, position: u64) -> usize {
        let guess = self.guess(position);
        match self.segments.get(guess) {
            Some(segment) if segment.start == position => guess,
            _ => self.segments.partition_point(|s| s.start < position),
        }
    }

    /// Number of segments that end at `position` or before it.
    fn index_ending(&self, position: u64) -> usize {
        if position >= self.max {
            return self.segments.len();
        }
        let guess = self.guess(position);
        match self.segments.get(guess) {
            Some(segment) if segment.holds(position) => guess,
            _ => self.segments.partition_point(|s| s.end() <= position),
        }
    }

    /// Index of the segment that begins at `position`, if all before it have the size of the first
    /// one, as most have. Saves a binary search: 27 % of the instructions of RACK with 5,000 segments in flight, 2 % of
    /// those of one flow.
    fn guess(&self, position: u64) -> usize {
        let first = self.segments.front();
        first.map_or(0, |first| {
            (position.saturating_sub(first.start) / first.len()) as usize
        })
    }

    /// Records a segment never sent before, whose positions go from [`Self::max`] up to but not including `end`.
    #[inline]
    pub fn send_new(&mut self, end: u64, now: Time) {
        debug_assert!(self.nxt == self.max() && end > self.nxt);
        self.segments.push_back(Kept::new(self.nxt, end, now));
        self.nxt = end;
        self.max = end;
    }

    /// Records that the segment at `position` is sent again, and moves `nxt` to its end if it stood at its start.
    /// Returns the segment's positions; `None` if that position is acknowledged cumulatively, or was never sent.
    pub fn send_again(&mut self, position: u64, now: Time) -> Option<Range<u64>> {
        let index = self.index_of(position)?;
        let segment = &mut self.segments[index];
        segment.send_again(now);
        let (start, end) = (segment.start, segment.end());
        if segment.take(Marks::LOST) {
            self.lost -= end - start;
        } else if self.nxt > start && !segment.has(Marks::DOUBLED) {
            segment.mark(Marks::DOUBLED);
            self.doubled += end - start;
        }
        if segment.has(Marks::DOUBLED)
            && let Some(scoreboard) = &mut self.scoreboard
        {
            scoreboard.doubled_at(start);
        }
        if self.nxt == start {
            self.nxt = end;
        }
        self.note_sent_again(self.segments.first_number() + index as u64, now);
        Some(start..end)
    }

    /// Goes back N: the next segment to send is the oldest one again, even if the receiver said
    /// that it holds it (RFC 2018 section 8: it may have dropped it since).
    pub fn rewind(&mut self) {
        self.note_all_lost();
        self.lost_ever += self.in_flight().saturating_sub(self.sacked + self.lost);
        self.go_back();
    }

    /// Goes back N, but counts nothing as found lost: that was done by a [`Self::rewind`] which
    /// [`Self::resume`] has taken back.
    pub fn go_back(&mut self) {
        self.forget_repairs();
        self.doubt_first();
        self.nxt = self.una;
        self.order_anew();
    }

    /// Notes that the connection stands still, for a path that is cut or a peer's window of zero, so that no answer is
    /// awaited for a while: what is in flight gives no round-trip sample, and its rate samples count as
    /// application-limited.
    pub fn stand_still(&mut self) {
        for segment in self.segments.iter_mut() {
            segment.mark(Marks::UNTIMED);
        }
        let flight = self.pipe();
        if let Some(rate) = self.rate() {
            rate.stand_still(flight);
        }
    }

    /// Takes back a [`Self::rewind`] and forgets all losses: everything that was sent counts as in flight again.
    pub fn resume(&mut self) {
        self.forget_repairs();
        self.nxt = self.max;
        self.order_anew();
    }

    /// Takes a cumulative acknowledgement of everything below position `ack` (bytes from the initial sequence number),
    /// which is at most [`Self::max`]. Returns what it newly acknowledges.
    #[inline(always)]
    pub fn acknowledge(&mut self, ack: u64) -> Acked {
        debug_assert!(ack <= self.max);
        let mut acked = Acked::default();
        if ack <= self.una {
            return acked;
        }
        acked.bytes = ack - self.una;
        while let Some(&segment) = self.segments.front() {
            let end = segment.end();
            if end > ack {
                self.acknowledge_part(ack);
                break;
            }
            if self.delivery.is_some() {
                self.deliver(self.segments.first_number(), &segment);
            }
            self.segments.pop_front();
            if segment.has(Marks::COUNTED) {
                self.forget_marks(&segment, segment.len());
            }
            acked.newest = Some(segment);
            if end == ack {
                break; // the usual case, which saves 2 % of the instructions of 24 flows
            }
        }
        if self.sacked > 0 {
            acked.sacked_before = self.forget_reports(ack);
        }
        self.una = ack;
        self.nxt = self.nxt.max(ack);
        acked
    }

    /// A receiver may acknowledge part of a segment; the rest keeps its history.
    #[cold]
    fn acknowledge_part(&mut self, ack: u64) {
        let Some(&whole) = self.segments.front() else {
            return;
        };
        if whole.start >= ack {
            return;
        }
        let part = ack - whole.start;
        if !self.is_sacked(&whole)
            && let Some(delivery) = &mut self.delivery
        {
            delivery.take_part(part);
        }
        if let Some(segment) = self.segments.front_mut() {
            segment.cut(ack);
        }
        self.forget_marks(&whole, part);
    }

    /// `bytes` of the segment are acknowledged.
    #[cold]
    fn forget_marks(&mut self, segment: &Kept, bytes: u64) {
        if segment.has(Marks::LOST) {
            self.lost -= bytes;
        }
        if segment.has(Marks::DOUBLED) {
            self.doubled -= bytes;
        }
    }
}

/// Only one copy of the segment counts from now on; `doubled` is the number of the flight's bytes
/// that count twice.
fn end_doubling(segment: &mut Kept, doubled: &mut u64) {
    if segment.take(Marks::DOUBLED) {
        *doubled -= segment.len();
    }
}

#[cfg(test)]
mod tests;
