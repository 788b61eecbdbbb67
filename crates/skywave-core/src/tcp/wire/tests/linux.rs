//! Packets that Linux 6.18 sent, recorded at a TUN device. tshark finds all their checksums correct and
//! reads the field values expected here. The peer at .2 or ::2 had left holes in its data, and one of its
//! packets was marked by ECN.

use super::*;
use crate::packet::SynOptions;

fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks(2);
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.map(byte).collect()
}

/// The segment read from `hex` with a scale of 3, which Linux had announced.
fn read(hex: &str) -> (Vec<u8>, Endpoints, Ecn, Segment) {
    let bytes = bytes(hex);
    let parsed = parse(&bytes).unwrap();
    let known = timestamps(1 << 32, 1 << 32);
    let segment = parsed.segment(3, TimestampClock::default(), known);
    let (ends, ecn) = (parsed.endpoints, parsed.ecn);
    // Linux orders the options of all segments but SYNs as we do, so that the bytes from TCP's header on
    // are equal.
    let mut again = Vec::new();
    let header = Header {
        endpoints: ends,
        ecn,
        window_shift: 3,
        clock: TimestampClock::default(),
    };
    write(&header, &segment, parsed.payload, &mut again).unwrap();
    let start = if ends.source.is_ipv4() { 20 } else { 40 };
    if segment.is_syn() {
        assert_eq!(parse(&again).unwrap(), parsed);
    } else {
        assert_eq!(again[start..], bytes[start..]);
    }
    (bytes, ends, ecn, segment)
}

fn offer(mss: u16) -> Options {
    Options::Syn(SynOptions {
        mss: Some(mss),
        window_scale: Some(3),
        sack_permitted: true,
    })
}

#[test]
fn syns() {
    let (_, ends, ecn, syn) = read(
        "4500003cb73540004006ff82c0000201c00002029c400050960b5ac700000000a0c2ffffaa780000020405b4\
         0402080a219369d10000000001030303",
    );
    assert_eq!(ends, endpoints(["192.0.2.1:40000", "192.0.2.2:80"]));
    let expected = Segment {
        seq: SeqNr(2_517_326_535),
        window: 65_535,
        flags: Flags::SYN | Flags::ECE | Flags::CWR,
        timestamps: Some(timestamps((1 << 32) + 563_309_009, 0)),
        options: offer(1460),
        ..Segment::default()
    };
    assert_eq!((ecn, syn), (Ecn::NotEct, expected));

    let (_, ends, ecn, syn) = read(
        "600232900028064020010db800000000000000000000000120010db80000000000000000000000029c660050\
         c60bdb9900000000a0c2ffffa7830000020405a00402080a1b1aeae90000000001030303",
    );
    assert_eq!(ends, endpoints(["[2001:db8::1]:40038", "[2001:db8::2]:80"]));
    let expected = Segment {
        seq: SeqNr(3_322_665_881),
        timestamps: Some(timestamps((1 << 32) + 454_748_905, 0)),
        options: offer(1440),
        ..expected
    };
    assert_eq!((ecn, syn), (Ecn::NotEct, expected));
}

/// The echo is of a clock that was about to wrap, and the blocks are on both sides of a wrap of the
/// sequence numbers.
#[test]
fn data_with_timestamps_and_three_blocks() {
    let options: Options = [block(489, 589), block(289, 389), block(89, 189)]
        .into_iter()
        .collect();
    let expected = Segment {
        seq: SeqNr(2_517_326_536),
        ack: SeqNr(4_294_966_785),
        len: 11,
        window: 398_584,
        timestamps: Some(timestamps((1 << 32) + 563_309_010, 0xFFFF_FFF0)),
        flags: Flags::PSH | Flags::ACK | Flags::ECE,
        options,
        ..Segment::default()
    };
    let (bytes, _, ecn, data) = read(
        "4502005bb73d40004006ff59c0000201c00002029c400050960b5ac8fffffe01f058c29f67f800000101080a\
         219369d2fffffff00101051a000001e90000024d000001210000018500000059000000bd68656c6c6f2c2077\
         697265",
    );
    assert_eq!((ecn, data), (Ecn::Ect0, expected));
    assert_eq!(parse(&bytes).unwrap().payload, b"hello, wire");

    let (bytes, _, ecn, data) = read(
        "602232900047064020010db800000000000000000000000120010db80000000000000000000000029c660050\
         c60bdb9afffffe01f058c2c464ca00000101080a1b1aeaeafffffff00101051a000001e90000024d00000121\
         0000018500000059000000bd68656c6c6f2c2077697265",
    );
    let expected = Segment {
        seq: SeqNr(3_322_665_882),
        window: 398_880,
        timestamps: Some(timestamps((1 << 32) + 454_748_906, 0xFFFF_FFF0)),
        ..expected
    };
    assert_eq!((ecn, data), (Ecn::Ect0, expected));
    assert_eq!(parse(&bytes).unwrap().payload, b"hello, wire");
}

#[test]
fn acks_with_blocks() {
    let ack = Segment {
        seq: SeqNr(3_723_529_175),
        ack: SeqNr(4_294_966_785),
        window: 398_584,
        flags: Flags::ACK | Flags::ECE,
        ..Segment::default()
    };
    // Four blocks; then the first one reports a duplicate (RFC 2883).
    let (_, _, ecn, four) = read(
        "4500004c62a8400040065400c0000201c00002029c530050ddf08bd7fffffe01e050c29fccff000001010522\
         000001210000018500000059000000bdffffff91fffffff5fffffec9ffffff2d",
    );
    let options = [
        block(289, 389),
        block(89, 189),
        block(4_294_967_185, 4_294_967_285),
        block(4_294_966_985, 4_294_967_085),
    ];
    let expected = Segment {
        options: options.into_iter().collect(),
        ..ack
    };
    assert_eq!((ecn, four), (Ecn::NotEct, expected));
    let (_, _, _, duplicate) = read(
        "4500004c62aa4000400653fec0000201c00002029c530050ddf08bd7fffffe01e050c29fc213000001010522\
         000001e90000024d000001e90000024d000001210000018500000059000000bd",
    );
    let options = [
        block(489, 589),
        block(489, 589),
        block(289, 389),
        block(89, 189),
    ];
    let expected = Segment {
        options: options.into_iter().collect(),
        ..ack
    };
    assert_eq!(duplicate, expected);
}

#[test]
fn the_others() {
    let (_, _, _, ack) =
        read("4500002862a4400040065428c0000201c00002029c530050ddf08bd7fffffe015010c29f64c30000");
    assert_eq!(
        (ack.flags, ack.options, ack.timestamps),
        (Flags::ACK, Options::None, None)
    );
    let (_, _, _, reset) =
        read("4500002862ad40004006541fc0000201c00002029c530050ddf08be20000024d5054c21660b20000");
    assert_eq!(reset.flags, Flags::RST | Flags::ACK | Flags::ECE);
    assert_eq!((reset.seq, reset.ack), (SeqNr(3_723_529_186), SeqNr(589)));
    let (_, _, _, reset) = read(
        "600232900020064020010db800000000000000000000000120010db80000000000000000000000029c660050\
         c60bdba50000024d8054c23b121e00000101080a1b1aeaeafffffff0",
    );
    let known = timestamps((1 << 32) + 454_748_906, 0xFFFF_FFF0);
    assert_eq!(reset.timestamps, Some(known));
}
