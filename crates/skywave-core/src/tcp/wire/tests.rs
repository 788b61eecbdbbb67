mod errors;
mod ip_headers;
mod linux;
mod option_list;
mod round_trip;

use crate::packet::SackBlock;
use crate::time::Duration;

use super::*;

const V4: [&str; 2] = ["10.0.0.1:50000", "10.0.1.3:49152"];
const V6: [&str; 2] = ["[2001:db8::1]:50000", "[2001:db8::2]:49152"];

fn endpoints([source, destination]: [&str; 2]) -> Endpoints {
    Endpoints {
        source: source.parse().unwrap(),
        destination: destination.parse().unwrap(),
    }
}

fn header(ends: [&str; 2]) -> Header {
    Header {
        endpoints: endpoints(ends),
        ecn: Ecn::Ect0,
        window_shift: 4,
        clock: TimestampClock::default(),
    }
}

fn block(start: u32, end: u32) -> SackBlock {
    SackBlock {
        start: SeqNr(start),
        end: SeqNr(end),
    }
}

fn ms(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

fn timestamps(value: u64, echo: u64) -> Timestamps {
    Timestamps {
        value: ms(value),
        echo: ms(echo),
    }
}

/// An ACK with all that can be on one, for a payload of 101 bytes.
fn full_ack() -> Segment {
    Segment {
        seq: SeqNr(0xFFFF_FFF0),
        ack: SeqNr(5000),
        len: 101,
        window: 160_000,
        timestamps: Some(timestamps(9, 3)),
        flags: Flags::ACK | Flags::PSH | Flags::ECE,
        hints: Hints::NONE,
        options: [block(7000, 8000), block(9000, 9500), block(1, 2)]
            .into_iter()
            .collect(),
    }
}

fn written(header: &Header, segment: &Segment) -> Vec<u8> {
    let mut out = Vec::new();
    write(header, segment, &vec![0xA5; segment.len as usize], &mut out).unwrap();
    out
}

/// The packet after `change`, with correct checksums.
fn changed(bytes: &[u8], change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    change(&mut bytes);
    while let Err(WireError::Checksum {
        offset, computed, ..
    }) = parse(&bytes)
    {
        let field = &mut bytes[offset..][..2];
        assert_ne!(field, computed.to_be_bytes());
        field.copy_from_slice(&computed.to_be_bytes());
    }
    bytes
}
