//! Both agents by themselves, segment by segment. Segments are numbered from 1; hole `(2, 4)` is segments 2 and 3.

use super::*;
use crate::packet::{Body, Flags, Hole, Packet, Segment};
use crate::seq::SeqNr;
use crate::time::{Duration, Time};

mod downstream;
mod properties;
mod upstream;

const MSS: u32 = 1000;
/// Bytes of a segment on the wire.
const SIZE: u64 = 1040;
/// Close to the end of the sequence space, so that every test crosses the wrap.
const ISS: u32 = u32::MAX - 2500;

fn seq(segment: u64) -> SeqNr {
    SeqNr::at(ISS, (segment - 1) * u64::from(MSS))
}

fn number(seq: SeqNr) -> u64 {
    1 + u64::from(seq.0.wrapping_sub(ISS) / MSS)
}

fn data(segment: u64) -> Segment {
    Segment {
        seq: seq(segment),
        len: MSS,
        ..Segment::default()
    }
}

fn ack(segment: u64) -> Segment {
    Segment {
        ack: seq(segment),
        window: 100 * MSS,
        flags: Flags::ACK,
        ..Segment::default()
    }
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
