//! Segments that reset a connection.

use crate::packet::{Flags, Segment};
use crate::seq::SeqNr;

/// The reset that answers a segment for which there is no connection (RFC 9293 section 3.10.7.1); `None` if
/// the segment is itself a reset.
pub fn refusal(segment: &Segment) -> Option<Segment> {
    if segment.is_rst() {
        return None;
    }
    Some(if segment.is_ack() {
        Segment {
            seq: segment.ack,
            flags: Flags::RST,
            ..Segment::default()
        }
    } else {
        Segment {
            ack: SeqNr(segment.seq.0.wrapping_add(segment.span() as u32)),
            flags: Flags::RST | Flags::ACK,
            ..Segment::default()
        }
    })
}
