//! Both agents by themselves, segment by segment. Segments are numbered from 1; hole `(2, 4)` is segments 2 and 3.

use super::*;
use crate::agent::testing::{ISS, MSS, ack, data, seq};
use crate::packet::{Body, Flags, Hole, Packet, Segment};
use crate::seq::SeqNr;
use crate::time::{Duration, Time};

mod downstream;
mod properties;
mod upstream;

/// Bytes of a segment on the wire.
const SIZE: u64 = 1040;
fn number(seq: SeqNr) -> u64 {
    1 + u64::from(seq.0.wrapping_sub(ISS) / MSS)
}

fn packet(segment: Segment) -> Packet {
    Packet::new(0, segment.len + 40, Body::TcpData(segment))
}

fn hole((start, end): (u64, u64)) -> Hole {
    let (start, end) = (seq(start), seq(end));
    Hole { start, end }
}

/// The number of the segment in this packet.
fn carried(packet: &Packet) -> u64 {
    match &packet.body {
        Body::TcpData(segment) => number(segment.seq),
        other => panic!("no data: {other:?}"),
    }
}
