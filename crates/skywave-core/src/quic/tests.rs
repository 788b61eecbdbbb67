//! Both ends of a connection over a path that loses, delays and repeats packets.

use proptest::prelude::*;

use super::packet::{Acking, MAX_ACK_RANGES};
use super::testing::{Pair, at};
use super::{Config, Packet, Receiver, config, preset};
use crate::packet::Ecn;
use crate::tcp::Handshake;
use crate::tcp::config::CongestionConfig;
use crate::tcp::congestion::CopaConfig;
use crate::time::Duration;

const MS: Duration = Duration::from_millis(1);

fn config(congestion: CongestionConfig) -> Config {
    Config {
        handshake: Handshake::None,
        ..Config::new(congestion)
    }
}

/// Numbers of the packets with data or probes, in the order of their sending.
fn numbers(pair: &Pair) -> Vec<u64> {
    let number = |(_, packet): &(_, Packet)| match packet {
        Packet::Data(data) => Some(data.number),
        Packet::Ping { number } | Packet::AckFrequency { number, .. } => Some(*number),
        _ => None,
    };
    pair.sent.iter().filter_map(number).collect()
}

#[test]
fn a_flow_of_some_bytes_arrives_and_ends() {
    let mut pair = Pair::new(config(CongestionConfig::Reno));
    pair.sender.write(100_000);
    pair.sender.close();
    pair.run(at(10_000), |_, _| vec![MS * 20]);
    assert!(pair.sender.is_done() && pair.receiver.is_finished());
    assert_eq!(pair.receiver.delivered(), 100_000);
    assert_eq!(pair.sender.counters().retransmits, 0);
    assert_eq!(pair.sender.counters().timeouts, 0);
}

#[test]
fn the_handshake_is_a_round_trip_of_packets_of_the_least_length() {
    let mut pair = Pair::new(Config::new(CongestionConfig::Reno));
    pair.sender.write(1000);
    let mut hellos = 0;
    // The first one is lost: kInitialRtt makes that 999 ms.
    pair.run(at(2_000), |_, packet| {
        hellos += u32::from(matches!(packet, Packet::Hello { .. }));
        if hellos == 1 { vec![] } else { vec![MS * 30] }
    });
    let sent: Vec<_> = pair
        .sent
        .iter()
        .take(3)
        .map(|(at, p)| (*at, p.len()))
        .collect();
    assert_eq!(sent, [(at(0), 1200), (at(999), 1200), (at(1059), 1037)]);
    assert_eq!(pair.sender.rtt().srtt(), Some(MS * 60));
}

#[test]
fn lost_data_go_in_new_packets_and_never_an_old_number() {
    let mut pair = Pair::new(config(CongestionConfig::Reno));
    pair.sender.write(20 * 1435);
    pair.run(at(10_000), |forward, packet| match packet {
        Packet::Data(data) if forward && data.number == 3 => vec![],
        _ => vec![MS * 20],
    });
    let third: Vec<_> = pair
        .sent
        .iter()
        .filter_map(|(at, packet)| match packet {
            Packet::Data(data) if data.offset == 3 * 1435 => Some((*at, data.number)),
            _ => None,
        })
        .collect();
    // Packets 4 to 6 show it at 40 ms; then its turn comes in the pace.
    assert_eq!((third.len(), third[0].1), (2, 3));
    assert!(at(40) <= third[1].0 && third[1].0 < at(45), "{third:?}");
    let numbers = numbers(&pair);
    assert!(numbers.iter().copied().eq(0..numbers.len() as u64));
    assert_eq!(pair.receiver.delivered(), 20 * 1435);
    assert_eq!(pair.sender.counters().retransmits, 1);
    assert_eq!(pair.sender.counters().window_cuts, 1);
}

#[test]
fn what_a_receiver_remembers_is_bounded() {
    let mut pair = Pair::new(config(CongestionConfig::Reno));
    pair.sender.write(u64::MAX);
    let mut most = 0;
    pair.run(at(2_000), |forward, packet| match packet {
        // Every second packet is lost.
        Packet::Data(data) if forward && data.number % 2 == 1 => vec![],
        Packet::Ack(ack) => {
            most = most.max(ack.report.count());
            vec![MS * 20]
        }
        _ => vec![MS * 20],
    });
    assert_eq!(most, MAX_ACK_RANGES);
    assert_eq!(pair.receiver.remembered(), MAX_ACK_RANGES);
}

#[test]
fn a_silent_peer_is_asked_again_within_the_bound() {
    let longest_pause = |max_pto| {
        let mut config = config(CongestionConfig::Reno);
        config.loss.max_pto = max_pto;
        let mut pair = Pair::new(config);
        pair.sender.write(u64::MAX);
        pair.run(at(1_000), |_, _| vec![MS * 20]);
        pair.run(at(10_000), |_, _| vec![]);
        let pauses = pair.sent.windows(2).map(|two| two[1].0.since(two[0].0));
        pauses.max().unwrap_or_default()
    };
    assert_eq!(longest_pause(MS * 500), MS * 500);
    assert!(longest_pause(config::UNBOUNDED) > MS * 2_000);
}

#[test]
fn a_receiver_acknowledges_as_the_latest_request_says() {
    let mut receiver = Receiver::new(config(CongestionConfig::Reno));
    let mut acks_of = |packets: &[Packet]| {
        let mut acks = 0;
        for packet in packets {
            receiver.on_packet(at(0), packet, Ecn::NotEct);
            acks += usize::from(receiver.poll_transmit(at(0)).is_some());
        }
        acks
    };
    let request = |number, every| {
        let delay = MS * 100;
        let acking = Acking { every, delay };
        Packet::AckFrequency { number, acking }
    };
    let pings = |from: u64, to: u64| {
        let numbers = from..to;
        numbers
            .map(|number| Packet::Ping { number })
            .collect::<Vec<_>>()
    };
    assert_eq!(acks_of(&pings(0, 8)), 4);
    assert_eq!(acks_of(&[request(9, 4)]), 1, "out of order");
    assert_eq!(acks_of(&pings(10, 18)), 2);
    assert_eq!(acks_of(&[request(8, 1)]), 1, "an older one that comes late");
    assert_eq!(acks_of(&pings(18, 26)), 2);
}

#[test]
fn fewer_acks_on_a_thin_way_back_let_more_data_through() {
    // Packets of 1500 bytes come each 3 ms, and an ACK takes 10 ms: unasked one of 6 ms is due.
    let delivered = |config: Config| {
        let mut pair = Pair::new(config);
        pair.sender.write(u64::MAX);
        let (mut there, mut back) = (at(0), at(0));
        for ms in 0..10_000 {
            pair.run(at(ms), |forward, packet| {
                let (free, takes) = if forward {
                    (&mut there, MS * 2 * u64::from(packet.len()) / 1000)
                } else {
                    (&mut back, MS * 10)
                };
                *free = (*free).max(at(ms)) + takes;
                vec![free.since(at(ms)) + MS * 20]
            });
        }
        pair.receiver.delivered()
    };
    let asks = preset("quic-skywave").expect("a preset").config();
    let silent = Config {
        ack_frequency: false,
        ..asks.clone()
    };
    let (with, without) = (delivered(asks), delivered(silent));
    assert!(with * 4 > without * 5, "{with} bytes after {without}");
}

#[test]
fn the_receivers_buffer_holds_the_sender_back() {
    let mut pair = Pair::new(Config {
        receive_buffer: 5 * 1435,
        ..config(CongestionConfig::Reno)
    });
    pair.sender.write(u64::MAX);
    pair.run(at(10), |_, _| vec![MS * 20]);
    assert_eq!(numbers(&pair).len(), 5);
    pair.run(at(1000), |_, _| vec![MS * 20]);
    assert!(pair.sender.in_flight() <= 5 * 1472);
    assert!(pair.receiver.delivered() >= 20 * 5 * 1435);
}

#[test]
fn a_silent_peer_is_probed_ever_less_often() {
    let mut pair = Pair::new(config(CongestionConfig::Reno));
    pair.sender.write(1435);
    let mut dark = false;
    pair.run(at(100), |_, _| vec![MS * 20]);
    let before = pair.sent.len();
    pair.sender.write(1435);
    pair.run(at(20_000), |_, _| {
        dark = true;
        vec![]
    });
    assert!(dark);
    // Round trip 65 with the delay of the ACK: of 20 + 25 + 20. PTO = 65 + 4 · 32.5 + 25 = 220 ms.
    let pto = pair.sender.rtt().rto() + MS * 25;
    assert_eq!(pto, MS * 220);
    let times: Vec<_> = pair.sent[before..].iter().map(|(at, _)| *at).collect();
    let (first, mut expected, mut wait) = (times[0], vec![times[0]], pto);
    let mut last = first;
    while last + wait <= at(20_000) {
        last += wait;
        // The data again, and a probe without data.
        expected.extend([last, last]);
        wait = wait * 2;
    }
    assert_eq!(times, expected);
    assert!(matches!(pair.sent[before + 1].1, Packet::Data(data) if data.offset == 1435));
    assert!(matches!(pair.sent[before + 2].1, Packet::Ping { .. }));
    // No probe timeout cuts the window.
    assert_eq!(pair.sender.counters().window_cuts, 0);
    assert!(pair.sender.window().cwnd.0 > 10.0);
}

#[test]
fn with_nothing_in_flight_there_is_no_timer() {
    let mut pair = Pair::new(config(CongestionConfig::Reno));
    assert_eq!(pair.sender.next_timer(), None);
    pair.sender.write(1435);
    pair.run(at(0), |_, _| vec![MS * 20]);
    assert_eq!(pair.sender.next_timer(), Some(at(999 + 25)));
    pair.run(at(1000), |_, _| vec![MS * 20]);
    assert_eq!(pair.sender.next_timer(), None);
}

/// Fate of a packet: lost, or the delays of its copies in milliseconds.
fn fate() -> impl Strategy<Value = Vec<u64>> {
    prop_oneof![
        6 => Just(vec![20]),
        1 => Just(vec![]),
        1 => (0..120u64).prop_map(|more| vec![20 + more]),
        1 => (0..60u64, 0..60u64).prop_map(|(a, b)| vec![20 + a, 20 + b]),
    ]
}

fn law() -> impl Strategy<Value = CongestionConfig> {
    let of = |name: &str| preset(name).expect("built in").congestion.clone();
    prop_oneof![
        Just(of("quic")),
        Just(of("quic-cubic")),
        Just(of("quic-bbr")),
        Just(of("quic-skywave")),
        Just(CongestionConfig::Bbr3),
        Just(CongestionConfig::Copa(CopaConfig::DEFAULT)),
    ]
}

proptest! {
    #[test]
    fn everything_arrives_once_and_in_order(
        law in law(),
        handshake in prop::bool::ANY,
        receive_times in prop::bool::ANY,
        writes in prop::collection::vec(1..40_000u64, 1..5),
        fates in prop::collection::vec(fate(), 1..200),
    ) {
        let mut pair = Pair::new(Config {
            handshake: if handshake { Handshake::ThreeWay } else { Handshake::None },
            receive_times,
            ..Config::new(law)
        });
        let mut next = 0;
        let mut delivered = 0;
        let mut written = 0;
        for (turn, bytes) in writes.iter().enumerate() {
            pair.sender.write(*bytes);
            written += bytes;
            if turn + 1 == writes.len() {
                pair.sender.close();
            }
            let end = if turn + 1 == writes.len() { 3_600_000 } else { 50 * (turn as u64 + 1) };
            pair.run(at(end), |_, _| {
                next += 1;
                // A path that goes on as it began would never let some plans end.
                let delays = fates.get(next - 1).cloned().unwrap_or_else(|| vec![20]);
                delays.into_iter().map(|ms| MS * ms).collect()
            });
            prop_assert!(pair.receiver.delivered() >= delivered);
            delivered = pair.receiver.delivered();
        }
        prop_assert_eq!(delivered, written);
        prop_assert!(pair.receiver.is_finished() && pair.sender.is_done());
        prop_assert_eq!(pair.sender.next_timer(), None, "a finished connection waits for nothing");
        prop_assert_eq!(pair.sender.una(), written + 1);
        let numbers = numbers(&pair);
        prop_assert!(numbers.iter().copied().eq(0..numbers.len() as u64));
        for (_, packet) in &pair.answers {
            if let Packet::Ack(ack) = packet {
                prop_assert!(ack.report.count() <= MAX_ACK_RANGES);
            }
        }
    }
}
