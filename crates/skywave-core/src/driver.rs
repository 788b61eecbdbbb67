//! For drivers that run thousands of machines: the same steps in smaller pieces, and what memory they touch.
//!
//! A driver needs only `poll_transmit`, `next_timer` and the inputs of the machines. Some of their other methods give the same
//! results faster, and ask for more care: a simulator delivers millions of packets a second, so that each copy of a packet costs,
//! and with many flows each wait for memory. Their documentation names this module:
//!
//! | machine | methods | instead of |
//! |---|---|---|
//! | [`Sender`] | [`poll_departure`](Sender::poll_departure), then [`segment`](Sender::segment) | `poll_transmit` |
//! | [`Receiver`] | [`poll_ack`](Receiver::poll_ack) and [`has_news`](Receiver::has_news), then [`ack`](Receiver::ack) | `poll_transmit` |
//! | both | `due` | `next_timer` |
//! | [`Link`](crate::link::Link) | [`into_pipe`](crate::link::Link::into_pipe) where it [is plain](crate::link::Link::is_plain) | `send` |
//!
//! What is here are the bytes of a machine that an input touches.

use std::ops::Range;

use crate::link::Pipe;
use crate::tcp::{Receiver, Sender};

/// Byte offsets, within the struct of a protocol machine, of a part that it reads or writes for one kind of input;
/// drivers prefetch such parts.
pub type Touched = Range<usize>;

/// Parts of a [`Sender`] that it reads or writes to take an ACK of new data and to send the next segment, when only
/// the windows limit what it sends.
pub const ACK_TOUCHES: [Touched; 3] = Sender::ACK_TOUCHES;

/// Part of a [`Receiver`] that it reads or writes to take a segment that arrives in order.
pub const DATA_TOUCHES: Touched = Receiver::DATA_TOUCHES;

/// Part of a [`Pipe`], which a [plain](crate::link::Link::is_plain) link is turned into, that it reads or writes when a
/// packet has to wait in its queue.
pub const PLAIN_LINK_TOUCHES: Touched = Pipe::TOUCHES;

/// Part of a [`Sender`] that it reads to find a segment in flight, one that is sent and not acknowledged.
pub const FLIGHT_TOUCHES: Touched = Sender::FLIGHT_TOUCHES;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::flight::Kept;

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
