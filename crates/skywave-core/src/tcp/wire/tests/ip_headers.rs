//! Variants of the IP header, and headers between it and TCP's.

use super::*;

/// `extension`, an IPv6 header of kind `kind`, put before TCP.
fn extended(kind: u8, extension: &[u8]) -> Vec<u8> {
    let bytes = written(&header(V6), &full_ack());
    changed(&bytes, |bytes| {
        bytes.splice(40..40, extension.iter().copied());
        bytes[6] = kind;
        let length = (bytes.len() - 40) as u16;
        bytes[4..6].copy_from_slice(&length.to_be_bytes());
    })
}

#[test]
fn options_of_ipv4_are_skipped() {
    let bytes = written(&header(V4), &full_ack());
    let longer = changed(&bytes, |bytes| {
        bytes.splice(20..20, [1, 1, 1, 1, 148, 4, 0, 0]);
        bytes[0] = 0x47;
        let length = bytes.len() as u16;
        bytes[2..4].copy_from_slice(&length.to_be_bytes());
    });
    assert_eq!(longer.len(), bytes.len() + 8);
    assert_eq!(parse(&longer), parse(&bytes));
}

#[test]
fn extension_headers_of_ipv6_are_skipped() {
    let bytes = written(&header(V6), &full_ack());
    let plain = parse(&bytes);
    assert!(plain.is_ok());
    // Next header, length beyond eight bytes, PadN.
    let options = [6, 0, 1, 4, 0, 0, 0, 0];
    let longer = [&[6, 1, 1, 12][..], &[0; 12]].concat();
    let two = [[60, 0, 1, 4, 0, 0, 0, 0], options].concat();
    // A routing header without segments left, and a fragment header on a whole packet (RFC 6946).
    let routing = [6, 0, 4, 0, 0, 0, 0, 0];
    let atomic = [6, 0, 0, 0, 1, 2, 3, 4];
    for (kind, extension) in [
        (0, &options[..]),
        (60, &options),
        (60, &longer),
        (0, &two),
        (43, &routing),
        (44, &atomic),
    ] {
        assert_eq!(parse(&extended(kind, extension)), plain, "{kind}");
    }
}

#[test]
fn what_cannot_be_skipped_is_refused() {
    let refused = |kind, extension: &[u8]| parse(&extended(kind, extension)).unwrap_err();
    assert_eq!(
        refused(43, &[6, 0, 4, 1, 0, 0, 0, 0]),
        WireError::Extension(43)
    );
    let authentication = [6, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2];
    assert_eq!(refused(51, &authentication), WireError::Extension(51));
    let late = [[0, 0, 1, 4, 0, 0, 0, 0], [6, 0, 1, 4, 0, 0, 0, 0]].concat();
    assert_eq!(refused(60, &late), WireError::Extension(0));
    assert_eq!(refused(17, &[]), WireError::Protocol(17));
    // No next header; encrypted.
    assert_eq!(refused(59, &[]), WireError::Protocol(59));
    assert_eq!(refused(50, &[]), WireError::Protocol(50));
    // Beyond the end of the packet: 161 bytes, of which the extension would be 2048.
    let needed = 256 * 8;
    let error = WireError::Truncated {
        layer: Layer::Extension,
        offset: 40,
        needed,
        given: 169,
    };
    assert_eq!(refused(60, &[6, 255, 1, 4, 0, 0, 0, 0]), error);

    let bytes = written(&header(V4), &full_ack());
    let with_protocol = |kind: u8, extension: &[u8]| {
        let bytes = changed(&bytes, |bytes| {
            bytes.splice(20..20, extension.iter().copied());
            bytes[9] = kind;
            let length = bytes.len() as u16;
            bytes[2..4].copy_from_slice(&length.to_be_bytes());
        });
        parse(&bytes).unwrap_err()
    };
    assert_eq!(with_protocol(51, &authentication), WireError::Extension(51));
    assert_eq!(with_protocol(17, &[]), WireError::Protocol(17));
}

#[test]
fn fragments_are_refused() {
    let bytes = written(&header(V4), &full_ack());
    // More fragments; an offset; both.
    for field in [[0x20, 0], [0, 1], [0x20, 0xB9]] {
        let fragment = changed(&bytes, |bytes| bytes[6..8].copy_from_slice(&field));
        assert_eq!(parse(&fragment), Err(WireError::Fragment));
    }
    for field in [[0, 1], [0, 8], [0xFF, 0xF9]] {
        let fragment = extended(44, &[6, 0, field[0], field[1], 0, 0, 0, 1]);
        assert_eq!(parse(&fragment), Err(WireError::Fragment));
    }
}

#[test]
fn a_tcp_header_has_five_words_at_least() {
    let bytes = written(&header(V4), &full_ack());
    for words in 0..5 {
        let short = changed(&bytes, |bytes| bytes[32] = words << 4);
        let layer = Layer::Tcp;
        assert_eq!(parse(&short), Err(WireError::HeaderLength { layer, words }));
    }
}

#[test]
fn ecn_is_carried_by_both_versions() {
    for (ends, at, shift) in [(V4, 1, 0), (V6, 1, 4)] {
        for bits in 0..4 {
            let ecn = Ecn::from_bits(bits);
            let bytes = written(
                &Header {
                    ecn,
                    ..header(ends)
                },
                &full_ack(),
            );
            assert_eq!(bytes[at] >> shift, bits);
            assert_eq!(parse(&bytes).unwrap().ecn, ecn);
        }
    }
}

#[test]
fn another_protocol_shares_the_ip_header() {
    for ends in [V4, V6] {
        let ends = endpoints(ends);
        let addresses = ip::Addresses::new(ends.source.ip(), ends.destination.ip()).unwrap();
        assert_eq!(addresses.source(), ends.source.ip());
        assert_eq!(addresses.destination(), ends.destination.ip());
        let header = ip::Header {
            addresses,
            ecn: Ecn::Ce,
            protocol: ip::UDP,
        };
        let mut bytes = Vec::new();
        ip::write(&header, 5, &mut bytes).unwrap();
        let offset = bytes.len();
        bytes.extend(*b"abcdefg");
        let packet = ip::parse(&bytes).unwrap();
        assert_eq!(
            packet,
            ip::Packet {
                header,
                offset,
                payload: b"abcde"
            }
        );
        assert_eq!(parse(&bytes), Err(WireError::Protocol(17)));
    }
}
