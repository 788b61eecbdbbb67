use std::sync::Arc;

use etherparse::{SlicedPacket, TcpOptionElement, TransportSlice};
use skywave_core::Time;
use skywave_core::packet::{Datagram, Ecn, SackBlock, Timestamps};
use skywave_core::proxy::ProxyConfig;
use skywave_core::quic;
use skywave_core::tcp::{Profile, preset};
use skywave_core::wtcp::Carried;
use skywave_sim::spec::{ProxySpec, Traffic};

use super::*;

fn config() -> TcpConfig {
    let mut config = TcpConfig::new(Profile::Rfc, preset("sack").unwrap().composition.clone());
    config.rwnd = 146_001;
    config
}

fn framing(transport: Transport, traffic: Traffic) -> Option<Framing> {
    Framing::new(0, &spec(transport, traffic))
}

/// One flow over no link.
fn spec(transport: Transport, traffic: Traffic) -> Spec {
    let flow = FlowSpec {
        name: "f".into(),
        from: 0,
        to: 258,
        route: None,
        transport,
        traffic,
        start: Time::ZERO,
        stop: None,
    };
    Spec {
        nodes: Vec::new(),
        links: Vec::new(),
        flows: vec![flow],
        duration: Time::ZERO,
        measure: (Time::ZERO, Time::ZERO),
        seed: 1,
        series: false,
        details: false,
        agents: Vec::new(),
        proxies: Vec::new(),
        radio: None,
        bins: None,
        requests: false,
    }
}

fn tcp() -> Framing {
    framing(Transport::Tcp(Arc::new(config())), Traffic::Ftp).unwrap()
}

fn timestamps(value: u64, echo: u64) -> Timestamps {
    Timestamps {
        value: Time::from_nanos(value),
        echo: Time::from_nanos(echo),
    }
}

fn wtcp() -> Framing {
    let transport = Transport::Wtcp {
        config: Arc::new(wtcp::Config::default()),
        header: 28,
    };
    framing(transport, Traffic::Ftp).unwrap()
}

fn wtcp_data() -> wtcp::Packet {
    wtcp::Packet::Data(wtcp::Data {
        rel_seq: 77,
        len: 1000,
        ..wtcp::Data::default()
    })
}

#[test]
fn a_quic_packet_is_a_datagram_of_its_length() {
    let config = quic::Config::new(quic::PRESETS[0].congestion.clone());
    let transport = Transport::Quic {
        config: Arc::new(config),
        header: 28,
    };
    let framing = framing(transport, Traffic::Ftp).unwrap();
    let data = quic::Packet::Data(quic::Data {
        number: 7,
        offset: 0,
        len: 1435,
        fin: false,
    });
    let packet = Packet::new(0, 1500, Body::QuicForward(quic::Carried(data)));
    let mut bytes = Vec::new();
    assert_eq!(framing.write(&packet, usize::MAX, &mut bytes), 1500);
    assert_eq!(bytes.len(), 1500);
    assert!(bytes[28..].iter().all(|&byte| byte == 0));
}

#[test]
fn what_two_agents_tell_each_other_is_a_datagram_with_both_numbers() {
    let hole = Hole {
        start: SeqNr(0x0102_0304),
        end: SeqNr(0x0506_0708),
    };
    for (body, from) in [
        (Body::Nack(hole), 49152_u16),
        (Body::NackRefused(hole), 50000),
    ] {
        let packet = Packet::new(0, Hole::WIRE_BYTES, body);
        let mut bytes = Vec::new();
        assert_eq!(tcp().write(&packet, usize::MAX, &mut bytes), packet.size);
        assert_eq!(bytes.len(), packet.size as usize);
        assert_eq!(bytes[20..22], from.to_be_bytes());
        assert_eq!(bytes[40..], [1, 2, 3, 4, 5, 6, 7, 8]);
    }
}

#[test]
fn a_wtcp_packet_can_be_decoded() {
    let packet = Packet::new(3, 1077, Body::WtcpForward(Carried(wtcp_data())));
    let mut bytes = Vec::new();
    assert_eq!(wtcp().write(&packet, usize::MAX, &mut bytes), 1077);
    let datagram = wtcp::wire::decode(&bytes[28..]).expect("a packet of WTCP");
    assert_eq!((datagram.connection, datagram.packet), (3, wtcp_data()));
    assert_eq!(datagram.payload, [0; 1000]);
}

#[test]
fn a_syn_byte_by_byte() {
    let syn = Segment {
        seq: SeqNr(0x0102_0304),
        flags: Flags::SYN,
        timestamps: Some(timestamps(7_999_999, 0)),
        ..Segment::default()
    };
    let mut bytes = Vec::new();
    let length = tcp().write(&Packet::new(0, 40, Body::TcpData(syn)), 0, &mut bytes);
    #[rustfmt::skip]
    let expected = [
        0x45, 0, 0, 64, 0, 0, 0x40, 0, 64, 6, 0x25, 0xB5, 10, 0, 0, 1, 10, 0, 1, 3,
        0xC3, 0x50, 0xC0, 0x00, 1, 2, 3, 4, 0, 0, 0, 0, 0xB0, 0x02, 0xFF, 0xFF, 0x99, 0x9F, 0, 0,
        2, 4, 0x05, 0xB4, 1, 3, 3, 0, 1, 1, 4, 2, 1, 1, 8, 10, 0, 0, 0, 7, 0, 0, 0, 0,
    ];
    assert_eq!((bytes, length), (expected.to_vec(), 64));
}

/// A receiver's clock may be behind the origin: its timestamps go on across it.
#[test]
fn a_reading_from_before_the_origin_is_that_many_ticks_before_zero() {
    let ticks = |value: u64| {
        let ack = Segment {
            flags: Flags::ACK,
            timestamps: Some(timestamps(value, 0)),
            ..Segment::default()
        };
        let mut bytes = Vec::new();
        tcp().write(&Packet::new(0, 40, Body::TcpAck(ack)), 0, &mut bytes);
        // Two bytes of padding, kind and length come before it.
        i32::from_be_bytes(bytes[44..48].try_into().unwrap())
    };
    let before = |ms: u64| ticks((ms * 1_000_000).wrapping_neg());
    assert_eq!([before(3000), before(1)], [-3000, -1]);
    assert_eq!([ticks(0), ticks(5_999_999)], [0, 5]);
}

#[test]
fn an_ack_tells_its_window_and_blocks() {
    let block = |start, end| SackBlock {
        start: SeqNr(start),
        end: SeqNr(end),
    };
    let ack = Segment {
        ack: SeqNr(5000),
        window: 146_001,
        flags: Flags::ACK,
        options: [block(7000, 8000), block(9000, 9500)].into_iter().collect(),
        timestamps: Some(timestamps(9_000_000, 3_000_000)),
        ..Segment::default()
    };
    let mut bytes = Vec::new();
    tcp().write(&Packet::new(0, 40, Body::TcpAck(ack)), 0, &mut bytes);
    let packet = SlicedPacket::from_ip(&bytes).unwrap();
    let Some(TransportSlice::Tcp(ack)) = packet.transport else {
        panic!("{packet:?}")
    };
    assert_eq!((ack.source_port(), ack.destination_port()), (49152, 50000));
    assert_eq!(
        (ack.sequence_number(), ack.acknowledgment_number()),
        (1, 5000)
    );
    // The smallest scale that fits is 4; the remainder that the scale cannot express is not offered.
    assert_eq!(ack.window_size(), 36_500);
    let options: Vec<_> = ack.options_iterator().map(Result::unwrap).collect();
    let noop = TcpOptionElement::Noop;
    let blocks = [Some((9000, 9500)), None, None];
    assert_eq!(
        options,
        [
            noop.clone(),
            noop.clone(),
            TcpOptionElement::Timestamp(9, 3),
            noop.clone(),
            noop,
            TcpOptionElement::SelectiveAcknowledgement((7000, 8000), blocks),
        ]
    );
}

#[test]
fn the_window_of_a_proxy_has_the_scale_of_its_buffer() {
    let mut spec = spec(Transport::Tcp(Arc::new(config())), Traffic::Ftp);
    spec.proxies.push(ProxySpec {
        name: "f".into(),
        near: 0,
        far: 1,
        buffer: 1 << 16,
        config: ProxyConfig::default(),
        reconnections: Vec::new(),
        fails_at: None,
        hand_overs: Vec::new(),
    });
    let ack = Segment {
        window: 1 << 16,
        flags: Flags::ACK,
        ..Segment::default()
    };
    let mut bytes = Vec::new();
    let framing = Framing::new(0, &spec).unwrap();
    framing.write(&Packet::new(0, 40, Body::TcpAck(ack)), 0, &mut bytes);
    let packet = SlicedPacket::from_ip(&bytes).unwrap();
    let Some(TransportSlice::Tcp(ack)) = packet.transport else {
        panic!("{packet:?}")
    };
    // 2^16 bytes fit with a scale of 1, which the proxy's own SYN-ACK announces.
    assert_eq!(ack.window_size(), 1 << 15);
}

#[test]
fn options_that_a_host_puts_on_its_syn_are_kept() {
    let offer = SynOptions {
        mss: Some(536),
        ..SynOptions::default()
    };
    let syn = Segment {
        flags: Flags::SYN,
        options: Options::Syn(offer),
        ..Segment::default()
    };
    let mut bytes = Vec::new();
    tcp().write(&Packet::new(0, 40, Body::TcpData(syn)), 0, &mut bytes);
    assert_eq!(wire::parse(&bytes).unwrap().options, Options::Syn(offer));
}

#[test]
fn ecn_is_that_of_the_packet_and_its_segment() {
    let data = Segment {
        len: 1000,
        flags: Flags::ACK | Flags::ECE | Flags::CWR,
        ..Segment::default()
    };
    let datagram = Datagram {
        number: 0,
        sent_at: Time::ZERO,
        len: 1000,
    };
    let udp = framing(Transport::Udp { header: 28 }, Traffic::Ftp).unwrap();
    for (framing, body) in [
        (tcp(), Body::TcpData(data)),
        (udp, Body::Udp(datagram)),
        (wtcp(), Body::WtcpForward(Carried(wtcp_data()))),
    ] {
        for ecn in [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce] {
            let packet = Packet {
                ecn,
                ..Packet::new(0, 1040, body)
            };
            let mut bytes = Vec::new();
            framing.write(&packet, usize::MAX, &mut bytes);
            assert_eq!(ip::parse(&bytes).unwrap().header.ecn, ecn);
            if let Body::TcpData(data) = body {
                let parsed = wire::parse(&bytes).unwrap();
                assert_eq!(parsed.flags, data.flags | Flags::PSH);
            }
        }
    }
}

#[test]
fn checksums_are_of_the_whole_packet_however_much_is_kept() {
    let data = Segment {
        len: 1000,
        flags: Flags::ACK,
        ..Segment::default()
    };
    let udp = framing(Transport::Udp { header: 28 }, Traffic::Ftp).unwrap();
    let datagram = Datagram {
        number: 0,
        sent_at: Time::ZERO,
        len: 1000,
    };
    for (framing, body, headers) in [
        (tcp(), Body::TcpData(data), 40),
        (udp, Body::Udp(datagram), 28),
        (wtcp(), Body::WtcpForward(Carried(wtcp_data())), 28 + 49),
    ] {
        let packet = Packet::new(0, 1040, body);
        let mut bytes = Vec::new();
        let mut whole = Vec::new();
        assert_eq!(
            framing.write(&packet, usize::MAX, &mut whole),
            headers + 1000
        );
        assert_eq!(whole.len() as u32, headers + 1000);
        for (keep, kept) in [(0, headers), (20, headers), (100, 100)] {
            framing.write(&packet, keep, &mut bytes);
            assert_eq!(bytes, whole[..kept as usize]);
        }
        let parsed = SlicedPacket::from_ip(&whole).unwrap();
        let (from, to) = ([10, 0, 0, 1], [10, 0, 1, 3]);
        match parsed.transport.unwrap() {
            TransportSlice::Tcp(tcp) => {
                let sum = tcp.calc_checksum_ipv4(from, to).unwrap();
                assert_eq!(tcp.checksum(), sum);
            }
            TransportSlice::Udp(udp) => {
                let header = udp.to_header();
                let sum = header
                    .calc_checksum_ipv4_raw(from, to, udp.payload())
                    .unwrap();
                assert_eq!(udp.checksum(), sum);
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn packets_too_long_for_ipv4_are_refused() {
    let mut config = config();
    config.mss = 65_455;
    let longest = framing(Transport::Tcp(Arc::new(config.clone())), Traffic::Ftp);
    assert!(longest.is_some());
    config.mss += 1;
    assert!(framing(Transport::Tcp(Arc::new(config)), Traffic::Ftp).is_none());
}
