//! Segments that are written and read again.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

use super::*;
use crate::packet::SynOptions;
use crate::tcp::{Profile, TcpConfig, preset};
use proptest::prelude::*;

fn ends() -> impl Strategy<Value = Endpoints> {
    let v4 = (any::<[Ipv4Addr; 2]>(), any::<[u16; 2]>())
        .prop_map(|(ip, port)| [0, 1].map(|end: usize| SocketAddr::from((ip[end], port[end]))));
    let v6 = (any::<[Ipv6Addr; 2]>(), any::<[u16; 2]>())
        .prop_map(|(ip, port)| [0, 1].map(|end: usize| SocketAddr::from((ip[end], port[end]))));
    prop_oneof![v4, v6].prop_map(|[source, destination]| Endpoints {
        source,
        destination,
    })
}

fn headers() -> impl Strategy<Value = Header> {
    let tick = prop_oneof![Just(1_000_000), 1..=1_000_000_000u64];
    (ends(), 0..4u8, any::<u8>(), tick).prop_map(|(endpoints, ecn, window_shift, tick)| Header {
        endpoints,
        ecn: Ecn::from_bits(ecn),
        window_shift,
        clock: TimestampClock::new(Duration::from_nanos(tick)).unwrap(),
    })
}

fn offers() -> impl Strategy<Value = Options> {
    let shift = prop::option::of(0..=MAX_SHIFT);
    (any::<Option<u16>>(), shift, any::<bool>()).prop_map(|(mss, window_scale, sack_permitted)| {
        let offer = SynOptions {
            mss,
            window_scale,
            sack_permitted,
        };
        if offer == SynOptions::default() {
            Options::None
        } else {
            Options::Syn(offer)
        }
    })
}

/// Any that can be written.
fn segments() -> impl Strategy<Value = Segment> {
    let numbers = (
        any::<u32>(),
        any::<u32>(),
        any::<u32>(),
        any::<u8>(),
        0..300u32,
    );
    let times = prop::option::of((any::<u64>(), any::<u64>()));
    let blocks = prop::collection::vec((any::<u32>(), any::<u32>()), 0..=4);
    let window = prop::option::of(any::<u16>());
    (numbers, times, blocks, window, offers()).prop_map(|(numbers, times, blocks, told, offer)| {
        let (seq, ack, window, flags, len) = numbers;
        let flags = Flags::from_bits_retain(flags);
        let room = 4 - usize::from(times.is_some());
        let blocks = blocks.into_iter().map(|(start, end)| block(start, end));
        Segment {
            seq: SeqNr(seq),
            ack: SeqNr(ack),
            len,
            window,
            timestamps: times.map(|(value, echo)| Timestamps {
                value: Time::from_nanos(value),
                echo: Time::from_nanos(echo),
            }),
            flags,
            hints: Hints::NONE,
            options: if flags.contains(Flags::SYN) {
                offer
            } else if let Some(window) = told {
                Options::Window(window)
            } else {
                blocks.take(room).collect()
            },
        }
    })
}

/// `segment` as a reader sees it: rounded, and without fields that are not valid.
fn told(segment: &Segment, header: &Header) -> Segment {
    let shift = if segment.is_syn() {
        0
    } else {
        header.window_shift.min(14)
    };
    let tick = header.clock.tick().as_nanos();
    let whole = |time: Time| Time::from_nanos(time.as_nanos() / tick * tick);
    let is_ack = segment.is_ack();
    Segment {
        ack: if is_ack { segment.ack } else { SeqNr(0) },
        window: (segment.window >> shift).min(65_535) << shift,
        timestamps: segment.timestamps.map(|timestamps| Timestamps {
            value: whole(timestamps.value),
            echo: if is_ack {
                whole(timestamps.echo)
            } else {
                Time::ZERO
            },
        }),
        ..*segment
    }
}

proptest! {
    #[test]
    fn what_was_written_is_read(
        header in headers(),
        segment in segments(),
        // The times that the reader knows differ by at most half a cycle.
        away in -(1i64 << 31) + 1..1 << 31,
        after in 0..5usize,
    ) {
        let payload: Vec<u8> = (0..segment.len).map(|n| n as u8).collect();
        let mut bytes = vec![1, 2, 3];
        write(&header, &segment, &payload, &mut bytes).unwrap();
        let packet = bytes.split_off(3);
        prop_assert_eq!(bytes, [1, 2, 3]);
        let ip = if header.endpoints.source.is_ipv4() { 20 } else { 40 };
        prop_assert_eq!(packet.len(), ip + 20 + options_len(&segment) + payload.len());
        prop_assert!(packet.len() - payload.len() <= MAX_HEADERS);

        let mut padded = packet.clone();
        padded.resize(packet.len() + after, 0xEE);
        let parsed = parse(&padded).unwrap();
        prop_assert_eq!(parsed.endpoints, header.endpoints);
        prop_assert_eq!(parsed.ecn, header.ecn);
        prop_assert_eq!(parsed.payload, &payload[..]);

        let far = i128::from(away) * i128::from(header.clock.tick().as_nanos());
        let near = |time: Time| Time::from_nanos(
            (i128::from(time.as_nanos()) + far).clamp(0, i128::from(u64::MAX)) as u64
        );
        let known = segment.timestamps.map_or(timestamps(0, 0), |timestamps| Timestamps {
            value: near(timestamps.value),
            echo: near(timestamps.echo),
        });
        let read = parsed.segment(header.window_shift, header.clock, known);
        prop_assert_eq!(read, told(&segment, &header));

        let mut again = Vec::new();
        write(&header, &read, parsed.payload, &mut again).unwrap();
        prop_assert_eq!(again, packet);
    }

    /// The size that a configuration computes for a segment is the size written, except for the options of
    /// a SYN, which the simulation leaves out.
    #[test]
    fn the_simulated_size_is_that_on_the_wire(
        segment in segments().prop_filter("a SYN", |segment| !segment.is_syn()),
    ) {
        let config = TcpConfig::new(Profile::Rfc, preset("sack").unwrap().composition.clone());
        let bytes = written(&header(V4), &segment);
        prop_assert_eq!(config.wire_size(&segment) as usize, bytes.len());
    }
}

#[test]
fn headers_alone_are_those_of_the_whole_packet() {
    for ends in [V4, V6] {
        let (header, segment) = (header(ends), full_ack());
        let whole = written(&header, &segment);
        let mut out = Vec::new();
        write_headers(&header, &segment, &[0xA5; 101], &mut out).unwrap();
        assert_eq!(out, whole[..whole.len() - 101]);
    }
}

#[test]
fn the_window_of_a_syn_is_not_scaled() {
    let syn = Segment {
        flags: Flags::SYN,
        window: 4000,
        ..Segment::default()
    };
    let header = header(V4);
    for (segment, on_wire, meant) in [
        (syn, 4000, 4000),
        (
            Segment {
                window: 70_000,
                ..syn
            },
            65_535,
            65_535,
        ),
        (
            Segment {
                flags: Flags::ACK,
                ..syn
            },
            250,
            4000,
        ),
        (
            Segment {
                flags: Flags::ACK,
                window: 31,
                ..syn
            },
            1,
            16,
        ),
        (
            Segment {
                flags: Flags::ACK,
                window: u32::MAX,
                ..syn
            },
            65_535,
            65_535 << 4,
        ),
    ] {
        let bytes = written(&header, &segment);
        let parsed = parse(&bytes).unwrap();
        assert_eq!(parsed.window, on_wire);
        let read = parsed.segment(4, header.clock, timestamps(0, 0));
        assert_eq!(read.window, meant);
    }
    let most = Header {
        window_shift: 200,
        ..header
    };
    let ack = Segment {
        flags: Flags::ACK,
        window: 1 << 20,
        ..syn
    };
    let bytes = written(&most, &ack);
    assert_eq!(parse(&bytes).unwrap().window, 1 << 6);
    let read = parse(&bytes)
        .unwrap()
        .segment(255, header.clock, timestamps(0, 0));
    assert_eq!(read.window, 1 << 20);
}

#[test]
fn without_ack_neither_number_nor_echo_is_told() {
    let syn = Segment {
        ack: SeqNr(77),
        flags: Flags::SYN,
        timestamps: Some(timestamps(5, 6)),
        ..Segment::default()
    };
    let bytes = written(&header(V4), &syn);
    assert_eq!(bytes[28..32], [0; 4]);
    let parsed = parse(&bytes).unwrap();
    assert_eq!(
        (parsed.ack, parsed.timestamps),
        (SeqNr(0), Some(Ticks { value: 5, echo: 0 }))
    );
    // Other hosts may put any value there.
    let bytes = changed(&bytes, |bytes| {
        bytes[31] = 1;
        bytes[51] = 2;
    });
    let parsed = parse(&bytes).unwrap();
    assert_eq!(parsed.ack, SeqNr(0));
    let read = parsed.segment(0, TimestampClock::default(), timestamps(0, 1 << 40));
    assert_eq!(read.timestamps, Some(timestamps(5, 0)));
}

#[test]
fn hints_urgent_pointer_and_reserved_bits_are_not_read() {
    let hints = Hints {
        marks: crate::packet::Marks::ELN,
        ..Hints::NONE
    };
    let segment = full_ack();
    let bytes = written(&header(V6), &segment);
    assert_eq!(written(&header(V6), &Segment { hints, ..segment }), bytes);
    let other = changed(&bytes, |bytes| {
        bytes[40 + 12] |= 0xF;
        bytes[40 + 18..40 + 20].fill(9);
    });
    assert_ne!(other, bytes);
    assert_eq!(parse(&other), parse(&bytes));
}

/// A device adds up what is there, the sum of the pseudo header included, and has the checksum.
#[test]
fn a_device_finishes_what_is_not_summed() {
    for ends in [V4, V6] {
        let (header, segment) = (header(ends), full_ack());
        let whole = written(&header, &segment);
        let mut bare = vec![1, 2, 3];
        let ip = write_unsummed(&header, &segment, &mut bare).unwrap();
        let mut bare = bare.split_off(3);
        bare.extend(vec![0xA5; segment.len as usize]);
        assert!(parse(&bare).is_err());
        let read = parse_unsummed(&bare).unwrap();
        assert_eq!(read, parse(&whole).unwrap());
        let sum = etherparse::checksum::Sum16BitWords::new().add_slice(&bare[ip..]);
        bare[ip + CHECKSUM..][..2].copy_from_slice(&checksum::of(&sum).to_be_bytes());
        assert_eq!(bare, whole);
    }
}
