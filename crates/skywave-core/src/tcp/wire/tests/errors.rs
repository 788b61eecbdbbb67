//! Packets and segments that are refused.

use super::*;
use crate::packet::SynOptions;
use proptest::prelude::*;

fn syn() -> Segment {
    Segment {
        flags: Flags::SYN,
        options: Options::Syn(SynOptions {
            mss: Some(1460),
            window_scale: Some(7),
            sack_permitted: true,
        }),
        timestamps: Some(timestamps(1, 0)),
        ..Segment::default()
    }
}

#[test]
fn a_packet_that_is_cut_anywhere_is_refused() {
    for ends in [V4, V6] {
        for segment in [syn(), full_ack()] {
            let bytes = written(&header(ends), &segment);
            for len in 0..bytes.len() {
                let error = parse(&bytes[..len]).unwrap_err();
                assert!(
                    matches!(error, WireError::Truncated { layer: Layer::Ip, offset: 0, needed, given }
                        if needed > given && given == len),
                    "{len}: {error:?}"
                );
            }
        }
    }
}

#[test]
fn a_length_field_below_the_headers_is_refused() {
    let short = |ends: [&str; 2], at: usize, least: u16| {
        let bytes = written(&header(ends), &full_ack());
        (0..least).map(move |length| {
            let bytes = changed(&bytes, |bytes| {
                bytes[at..][..2].copy_from_slice(&length.to_be_bytes());
            });
            (length, parse(&bytes).unwrap_err())
        })
    };
    for (length, error) in short(V4, 2, 80) {
        let (layer, offset, needed, given) = match length {
            0..20 => (Layer::Ip, 0, 20, length),
            20..40 => (Layer::Tcp, 20, 20, length - 20),
            _ => (Layer::Tcp, 20, 60, length - 20),
        };
        let given = usize::from(given);
        let expected = WireError::Truncated {
            layer,
            offset,
            needed,
            given,
        };
        assert_eq!(error, expected, "{length}");
    }
    for (length, error) in short(V6, 4, 60) {
        let needed = match length {
            0..20 => 20,
            _ => 60,
        };
        let given = usize::from(length);
        let expected = WireError::Truncated {
            layer: Layer::Tcp,
            offset: 40,
            needed,
            given,
        };
        assert_eq!(error, expected, "{length}");
    }
}

/// IPv6 has no checksum over its header: what TCP's pseudo header leaves out can change unnoticed.
#[test]
fn a_flipped_bit_is_refused_or_changes_no_segment() {
    for ends in [V4, V6] {
        for segment in [syn(), full_ack()] {
            let bytes = written(&header(ends), &segment);
            let whole = parse(&bytes).unwrap();
            let mut accepted = Vec::new();
            for bit in 0..bytes.len() * 8 {
                let mut bytes = bytes.clone();
                bytes[bit / 8] ^= 0x80 >> (bit % 8);
                let Ok(parsed) = parse(&bytes) else {
                    continue;
                };
                assert_eq!(
                    Parsed {
                        ecn: Ecn::Ect0,
                        ..parsed
                    },
                    whole,
                    "bit {bit}"
                );
                assert_eq!(parsed.ecn != whole.ecn, bit == 10 || bit == 11);
                accepted.push(bit);
            }
            // Traffic class and flow label, and the hop limit.
            let unprotected: Vec<_> = (4..32).chain(56..64).collect();
            let expected = if ends == V6 { unprotected } else { Vec::new() };
            assert_eq!(accepted, expected);
        }
    }
}

#[test]
fn a_wrong_checksum_says_which_and_what_it_would_be() {
    for (ends, at, layer, offset) in [
        (V4, 8, Layer::Ip, 10),
        (V4, 30, Layer::Tcp, 36),
        (V6, 50, Layer::Tcp, 56),
    ] {
        let bytes = written(&header(ends), &full_ack());
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        let given = u16::from_be_bytes([bytes[offset], bytes[offset + 1]]);
        let error = parse(&damaged).unwrap_err();
        let WireError::Checksum {
            layer: l,
            offset: o,
            given: g,
            computed,
        } = error
        else {
            panic!("{error:?}")
        };
        assert_eq!((l, o, g), (layer, offset, given));
        // One bit in the upper half of a word.
        assert_eq!(computed.abs_diff(given) % 0xFFFF, 0x100);
    }
}

#[test]
fn both_zeros_are_a_right_checksum() {
    for ends in [V4, V6] {
        let (header, mut payload) = (header(ends), [0; 101]);
        let at = 16 + if ends == V4 { 20 } else { 40 };
        let mut bytes = Vec::new();
        write(&header, &full_ack(), &payload, &mut bytes).unwrap();
        // This value completes the sum to zero.
        payload[..2].copy_from_slice(&bytes[at..at + 2]);
        bytes.clear();
        write(&header, &full_ack(), &payload, &mut bytes).unwrap();
        assert_eq!(bytes[at..at + 2], [0, 0]);
        let parsed = parse(&bytes).unwrap();
        let mut other = bytes.clone();
        other[at..at + 2].fill(0xFF);
        assert_eq!(parse(&other), Ok(parsed));
    }
}

proptest! {
    #[test]
    fn any_bytes_are_borne(mut bytes in prop::collection::vec(any::<u8>(), 0..120), version in 0..3u8) {
        if let Some(first) = bytes.first_mut() {
            *first = [*first, 0x45, 0x60][usize::from(version)];
        }
        let _ = parse(&bytes);
    }

    #[test]
    fn any_damage_is_borne(
        ends in prop_oneof![Just(V4), Just(V6)],
        damage in prop::collection::vec((0..160usize, any::<u8>()), 1..6),
        len in 0..260usize,
    ) {
        let bytes = written(&header(ends), &full_ack());
        let bytes = changed(&bytes[..len.min(bytes.len())], |bytes| {
            for (at, value) in damage {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = value;
                }
            }
        });
        if let Ok(parsed) = parse(&bytes) {
            prop_assert!(parsed.payload.len() <= bytes.len() - 40);
        }
    }
}

#[test]
fn what_cannot_be_written_is_refused_and_nothing_is_appended() {
    let ack = full_ack();
    let four: Options = [block(1, 2), block(3, 4), block(5, 6), block(7, 8)]
        .into_iter()
        .collect();
    let mixed = Header {
        endpoints: endpoints([V4[0], V6[1]]),
        ..header(V4)
    };
    let misplaced = WriteError::MisplacedOptions;
    let cases = [
        (
            header(V4),
            Segment { len: 100, ..ack },
            WriteError::PayloadLength {
                counted: 100,
                given: 101,
            },
        ),
        (
            header(V6),
            Segment {
                options: four,
                ..ack
            },
            WriteError::OptionSpace { needed: 48 },
        ),
        (
            header(V4),
            Segment {
                flags: Flags::SYN_ACK,
                ..ack
            },
            misplaced,
        ),
        (
            header(V6),
            Segment {
                options: syn().options,
                ..ack
            },
            misplaced,
        ),
        (mixed, ack, WriteError::AddressFamilies),
    ];
    for (header, segment, error) in cases {
        let mut out = Vec::new();
        let result = write(&header, &segment, &[0; 101], &mut out);
        assert_eq!((result, out.len()), (Err(error), 0));
        assert!(!error.to_string().is_empty());
    }
}

#[test]
fn the_longest_payload_fits_beside_the_longest_headers() {
    for (ends, most) in [(V4, MAX_PAYLOAD), (V6, MAX_PAYLOAD + 20)] {
        let mut out = Vec::new();
        let long = |len: usize| Segment {
            len: len as u32,
            ..full_ack()
        };
        let payload = vec![7; most + 1];
        write(&header(ends), &long(most), &payload[..most], &mut out).unwrap();
        assert_eq!(parse(&out).unwrap().payload, &payload[..most]);
        out.clear();
        let length = usize::from(u16::MAX) + 1;
        assert_eq!(
            write(&header(ends), &long(most + 1), &payload, &mut out),
            Err(WriteError::TooLong { length })
        );
        assert_eq!(out, []);
    }
}

#[test]
fn errors_say_what_and_where() {
    let bytes = written(&header(V4), &full_ack());
    let mut damaged = bytes.clone();
    damaged[20] ^= 1;
    let damaged = parse(&damaged).unwrap_err().to_string();
    assert!(damaged.starts_with("checksum 0x"), "{damaged}");
    assert!(
        damaged.contains(" of the TCP header at byte 36, expected 0x"),
        "{damaged}"
    );
    let short = changed(&bytes, |bytes| bytes[32] = 0x40);
    let udp = changed(&bytes, |bytes| bytes[9] = 17);
    let cases = [
        (
            &[][..],
            "the IP header at byte 0 calls for 1 bytes, there are 0",
        ),
        (&[0x50; 60], "IP version 5, expected 4 or 6"),
        (&[0x44; 60], "IP header of 4 words, expected at least 5"),
        (&short, "TCP header of 4 words, expected at least 5"),
        (&udp, "transport protocol 17, expected 6 (TCP)"),
    ];
    for (bytes, message) in cases {
        assert_eq!(parse(bytes).unwrap_err().to_string(), message);
    }
}
