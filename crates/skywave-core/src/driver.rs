//! For drivers that run thousands of machines: the same steps in smaller pieces, and what memory they touch.
//!
//! The methods of the machines themselves are all that a driver needs. This module gives the same
//! results faster, and asks for more care: a simulator delivers millions of packets a second, so
//! that each copy of a packet costs, and with many flows each wait for memory. The traits keep
//! these ways apart from the machines' own methods, and whoever uses them has to name this module.

use std::ops::Range;

use crate::link::{Link, Pipe};
use crate::packet::Segment;
use crate::tcp::flight::{Flight, Kept};
use crate::tcp::sender::Departure;
use crate::tcp::{Receiver, Sender};
use crate::time::Time;

/// [`Sender::poll_transmit`] in two halves, so that the segment is made where it is to lie.
pub trait DriveSender {
    /// As [`Sender::next_timer`], with [`Time::MAX`] for `None`.
    fn due(&self) -> Time;
    /// The first half: what is sent next, if anything may be. Call until `None` after every input, or until
    /// [`Departure::is_last`].
    #[must_use]
    fn poll_departure(&mut self, now: Time) -> Option<Departure>;
    /// The second half: the segment of a departure that was decided just now.
    fn segment(&self, departure: Departure, now: Time) -> Segment;
}

impl DriveSender for Sender {
    #[inline(always)]
    fn due(&self) -> Time {
        self.due()
    }

    #[inline(always)]
    fn poll_departure(&mut self, now: Time) -> Option<Departure> {
        self.poll_departure(now)
    }

    #[inline(always)]
    fn segment(&self, departure: Departure, now: Time) -> Segment {
        self.segment(departure, now)
    }
}

/// [`Receiver::poll_transmit`] in two halves.
pub trait DriveReceiver {
    /// As [`Receiver::next_timer`], with [`Time::MAX`] for `None`.
    fn due(&self) -> Time;
    /// The first half: whether an ACK is to be sent, which [`Self::ack`] makes.
    #[must_use]
    fn poll_ack(&mut self) -> bool;
    /// Whether the next ACK may report blocks.
    fn has_news(&self) -> bool;
    /// The second half: the ACK that [`Self::poll_ack`] announced. `NEWS` if it [has news](Self::has_news);
    /// without, the code for blocks is left out.
    fn ack<const NEWS: bool>(&mut self, now: Time) -> Segment;
}

impl DriveReceiver for Receiver {
    #[inline(always)]
    fn due(&self) -> Time {
        self.due()
    }

    #[inline(always)]
    fn poll_ack(&mut self) -> bool {
        self.poll_ack()
    }

    #[inline(always)]
    fn has_news(&self) -> bool {
        self.has_news()
    }

    #[inline(always)]
    fn ack<const NEWS: bool>(&mut self, now: Time) -> Segment {
        self.ack::<NEWS>(now)
    }
}

/// Where a flight keeps its segments, which are numbered in the order of their first transmission, from 0.
pub trait DriveFlight {
    /// Where the oldest segment in flight is kept.
    fn oldest(&self) -> Option<&Kept>;
    /// Where segment `number` is kept, if it is in flight.
    fn numbered(&self, number: u64) -> Option<&Kept>;
    /// The segment that holds `position`, for a caller that goes through the segments in order: `number` is
    /// the number to look at first, and becomes that of the segment after the one found.
    fn at_number(&self, position: u64, number: &mut u64) -> Option<&Kept>;
}

impl DriveFlight for Flight {
    #[inline(always)]
    fn oldest(&self) -> Option<&Kept> {
        self.oldest()
    }

    #[inline(always)]
    fn numbered(&self, number: u64) -> Option<&Kept> {
        self.numbered(number)
    }

    #[inline(always)]
    fn at_number(&self, position: u64, number: &mut u64) -> Option<&Kept> {
        self.at_number(position, number)
    }
}

/// A link that has nothing but a constant rate, a drop-tail queue and a delay, as most, without the room for
/// what it lacks, and a short way through it.
pub trait DriveLink {
    /// Whether it is such a link: a constant rate, no RED and a perfect medium.
    fn is_plain(&self) -> bool;
    /// All that such a link needs. It must not have been sent anything.
    fn into_pipe(self) -> Pipe;
}

impl DriveLink for Link {
    fn is_plain(&self) -> bool {
        self.is_plain()
    }

    fn into_pipe(self) -> Pipe {
        self.into_pipe()
    }
}

/// A range of bytes within a machine that is read or written for one kind of input.
pub type Touched = Range<usize>;

/// The bytes of a [`Sender`] that it reads or writes to take an ACK of new data and to send the next segment,
/// as long as only the windows limit it.
pub const ACK_TOUCHES: [Touched; 3] = Sender::ACK_TOUCHES;

/// The bytes of a [`Receiver`] that it reads or writes to take a segment that arrives in order.
pub const DATA_TOUCHES: Touched = Receiver::DATA_TOUCHES;

/// The bytes of a [plain](DriveLink::is_plain) link that it reads or writes when a packet has to wait in its
/// queue.
pub const PLAIN_LINK_TOUCHES: Touched = Pipe::TOUCHES;

/// The bytes of a [`Sender`] through which its flight finds a segment.
pub const FLIGHT_TOUCHES: Touched = Sender::FLIGHT_TOUCHES;

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of a cache line, where it matters.
    const LINE: usize = 64;

    fn lines(touched: &[Touched]) -> usize {
        let lines = |t: &Touched| t.start / LINE..t.end.div_ceil(LINE);
        let mut lines: Vec<usize> = touched.iter().flat_map(lines).collect();
        lines.dedup();
        lines.len()
    }

    #[test]
    fn an_ack_touches_six_cache_lines_of_a_sender() {
        assert!(ACK_TOUCHES.iter().all(|t| t.start < t.end));
        assert!(ACK_TOUCHES.is_sorted_by(|a, b| a.end <= b.start));
        assert_eq!(lines(&ACK_TOUCHES), 6);
    }

    #[test]
    fn data_touch_one_cache_line_of_a_receiver() {
        assert_eq!(lines(&[DATA_TOUCHES]), 1);
    }

    #[test]
    fn no_segment_in_flight_lies_in_two_cache_lines() {
        assert_eq!(LINE % size_of::<Kept>(), 0);
        assert_eq!(align_of::<Kept>(), size_of::<Kept>());
    }
}
