//! Segments for the tests of agents. They are numbered from 1.

use crate::packet::{Flags, Segment};
use crate::seq::SeqNr;

/// Payload bytes of a segment.
pub(super) const MSS: u32 = 1000;
/// Close to the end of the sequence space, so that every test crosses the wrap.
pub(super) const ISS: u32 = u32::MAX - 2500;

/// The number of the segment's first byte.
pub(super) fn seq(segment: u64) -> SeqNr {
    SeqNr::at(ISS, (segment - 1) * u64::from(MSS))
}

/// A full segment of data.
pub(super) fn data(segment: u64) -> Segment {
    Segment {
        seq: seq(segment),
        len: MSS,
        ..Segment::default()
    }
}

/// The ACK of a receiver that waits for this segment.
pub(super) fn ack(segment: u64) -> Segment {
    Segment {
        ack: seq(segment),
        window: 100 * MSS,
        flags: Flags::ACK,
        ..Segment::default()
    }
}
