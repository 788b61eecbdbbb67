//! Any input gives an answer: a summary or an error.

use skywave_lab::capture::{Keep, ReadError, Summary};

use super::bench::{Captures, EVERYTHING};

/// The first packets of a capture with every kind of block that we write.
fn capture() -> Vec<u8> {
    let captures = Captures::of(EVERYTHING, &["radio"], Keep::Headers);
    let mut bytes = std::fs::read(&captures.files[0]).unwrap();
    bytes.truncate(4000);
    bytes
}

/// A pcap file: header, and one packet over Ethernet, big-endian, nanoseconds.
fn pcap(link_type: u32, packet: &[u8]) -> Vec<u8> {
    let mut bytes = vec![
        0xA1, 0xB2, 0x3C, 0x4D, 0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0,
    ];
    bytes.extend(link_type.to_be_bytes());
    bytes.extend([0, 0, 0, 7, 0, 0, 0, 9]);
    for length in [packet.len() as u32, packet.len() as u32] {
        bytes.extend(length.to_be_bytes());
    }
    bytes.extend(packet);
    bytes
}

/// 10.0.0.1 port 1 to 10.0.0.2 port 2: a UDP datagram of two bytes.
#[rustfmt::skip]
const DATAGRAM: [u8; 30] = [
    0x45, 0, 0, 30, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2,
    0, 1, 0, 2, 0, 10, 0, 0, 0xAB, 0xCD,
];

#[test]
fn other_programs_captures_are_read_over_every_link_type() {
    let before = |head: &[u8]| [head, &DATAGRAM[..]].concat();
    let ethernet = before(&[1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 7, 8, 0]);
    let tagged = before(&[
        1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 7, 0x88, 0xA8, 0, 7, 0x81, 0, 0, 9, 8, 0,
    ]);
    // From an Ethernet device, the loopback device and a TUN device.
    let [cooked, of_lo, of_tun] = [[0, 1], [3, 4], [0xFF, 0xFE]]
        .map(|[high, low]| before(&[0, 0, high, low, 0, 6, 1, 2, 3, 4, 5, 6, 0, 0, 8, 0]));
    let cooked_2 = before(&[8, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0, 6, 1, 2, 3, 4, 5, 6, 0, 0]);
    for (link_type, packet) in [
        (1, ethernet),
        (1, tagged),
        (113, of_lo),
        (113, of_tun),
        (276, cooked_2),
        (101, DATAGRAM.to_vec()),
        (228, DATAGRAM.to_vec()),
        (113, cooked),
        (0, before(&[2, 0, 0, 0])),
    ] {
        let summary = Summary::read(&pcap(link_type, &packet)[..]).unwrap();
        assert_eq!(summary.span_ns, Some((7_000_000_009, 7_000_000_009)));
        assert_eq!(summary.other, 0, "link type {link_type}");
        let connection = &summary.connections[0];
        assert_eq!(connection.from.to_string(), "10.0.0.1:1");
        assert_eq!(connection.forward.passed_bytes, 2);
        assert_eq!(connection.goodput_bps(&connection.forward), 0.0);
    }
    // A link type that is not understood is no error.
    let summary = Summary::read(&pcap(200, &DATAGRAM)[..]).unwrap();
    assert_eq!((summary.packets, summary.other), (1, 1));
}

/// A UDP datagram of two bytes over IPv6, after the extension headers `between`, the first of which is `first`.
fn over_ipv6(first: u8, between: &[u8]) -> Vec<u8> {
    let payload = (between.len() + 10) as u8;
    let mut packet = vec![0x60, 0, 0, 0, 0, payload, first, 64];
    for last in [1, 2] {
        packet.extend([0xFD; 15]);
        packet.push(last);
    }
    [&packet[..], between, &DATAGRAM[20..]].concat()
}

#[test]
fn extension_headers_are_no_payload_and_fragments_are_other_packets() {
    let options = |next| [next, 0, 1, 4, 0, 0, 0, 0];
    let both = [options(60), options(17)].concat();
    for (first, between) in [(17, &[][..]), (0, &options(17)[..]), (0, &both[..])] {
        let summary = Summary::read(&pcap(101, &over_ipv6(first, between))[..]).unwrap();
        let connection = &summary.connections[0];
        assert!(
            connection.from.to_string().ends_with("fd01]:1"),
            "{}",
            connection.from
        );
        assert_eq!(connection.forward.passed_bytes, 2, "{first} {between:?}");
    }
    // The second fragment, 8 bytes after the beginning.
    let fragment = over_ipv6(44, &[17, 0, 0, 8, 0, 0, 0, 1]);
    let mut old = DATAGRAM;
    old[7] = 1;
    for fragment in [&fragment[..], &old[..]] {
        let summary = Summary::read(&pcap(101, fragment)[..]).unwrap();
        assert_eq!((summary.packets, summary.other), (1, 1));
    }
}

#[test]
fn a_packet_that_a_network_card_was_to_cut_up_has_the_length_that_was_captured() {
    let ethernet = |kind: [u8; 2], packet: &[u8]| [&[0; 12][..], &kind, packet].concat();
    let (mut old, mut new) = (DATAGRAM, over_ipv6(17, &[]));
    old[3] = 0;
    new[5] = 0;
    for packet in [ethernet([8, 0], &old), ethernet([0x86, 0xDD], &new)] {
        let summary = Summary::read(&pcap(1, &packet)[..]).unwrap();
        assert_eq!(summary.connections[0].forward.passed_bytes, 2);
    }
}

#[test]
fn a_capture_that_ends_anywhere_is_read_as_far_as_it_goes() {
    let whole = capture();
    let mut packets = 0;
    for end in 0..whole.len() {
        match Summary::read(&whole[..end]) {
            Ok(summary) => {
                assert!(summary.packets >= packets, "{end}");
                packets = summary.packets;
            }
            Err(error) => assert!(matches!(error, ReadError::NotACapture), "{end}: {error}"),
        }
    }
    assert!(packets > 5);
    assert!(Summary::read(&b""[..]).is_err());
    assert!(Summary::read(&[0u8; 5000][..]).is_err());
}

#[test]
fn damage_never_panics() {
    let datagram = pcap(1, &[&[0; 12][..], &[8, 0], &DATAGRAM].concat());
    for whole in [capture(), datagram] {
        let mut x = 1u64;
        let mut next = |below: usize| {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (x >> 33) as usize % below
        };
        for _ in 0..3_000 {
            let mut bytes = whole.clone();
            for _ in 0..=next(4) {
                let at = next(bytes.len());
                bytes[at] = [0, 1, 0x7F, 0x80, 0xFF, next(256) as u8][next(6)];
            }
            let _ = Summary::read(&bytes[..]);
        }
    }
}

#[test]
fn a_length_that_no_block_has_is_an_error_and_not_memory() {
    let mut bytes = capture();
    let packet = bytes.windows(4).rposition(|w| w == [6, 0, 0, 0]).unwrap();
    bytes[packet + 4..packet + 8].copy_from_slice(&0x7FFF_FFF0u32.to_le_bytes());
    let endless = std::io::Read::chain(&bytes[..], std::io::repeat(0));
    let error = Summary::read(endless).unwrap_err();
    assert!(
        matches!(error, ReadError::TooLong { at } if at == packet as u64),
        "{error}"
    );
}

/// A section of a pcapng file and the beginning of a block, big-endian or little-endian.
fn section(big: bool, kind: u32, length: u32) -> Vec<u8> {
    let half = |n: u16| {
        if big {
            n.to_be_bytes()
        } else {
            n.to_le_bytes()
        }
    };
    let word = |n: u32| {
        if big {
            n.to_be_bytes()
        } else {
            n.to_le_bytes()
        }
    };
    let mut bytes = [0x0A0D_0D0A, 28, 0x1A2B_3C4D].map(word).concat();
    bytes.extend([1, 0].map(half).concat());
    bytes.extend([0xFF; 8]);
    bytes.extend([28, kind, length, length].map(word).concat());
    bytes
}

#[test]
fn a_block_that_is_shorter_than_its_own_frame_is_an_error() {
    // Process information, and a kind that nobody knows.
    for kind in [0x8000_0001, 77] {
        for length in 0..12 {
            for big in [false, true] {
                let error = Summary::read(&section(big, kind, length)[..]).unwrap_err();
                assert!(
                    matches!(error, ReadError::Damaged { at: 28 }),
                    "{length}: {error}"
                );
            }
        }
    }
    // A block that consists of its frame alone is complete.
    for big in [false, true] {
        let summary = Summary::read(&section(big, 77, 12)[..]).unwrap();
        assert_eq!(summary.packets, 0);
    }
}

#[test]
fn what_the_system_says_is_told() {
    struct Broken;
    impl std::io::Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("disk on fire"))
        }
    }
    let error = Summary::read(Broken).unwrap_err();
    assert_eq!(error.to_string(), "cannot read: disk on fire");
}
