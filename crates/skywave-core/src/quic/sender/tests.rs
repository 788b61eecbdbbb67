//! RFC 9002's rules, event by event.

use super::Sender;
use crate::quic::Config;
use crate::quic::ledger::{Ledger, Threshold};
use crate::quic::packet::{Ack, Packet};
use crate::quic::testing::at;
use crate::ranges::Span;
use crate::tcp::Handshake;
use crate::tcp::config::CongestionConfig;
use crate::time::{Duration, Time};

/// A sender whose every packet may leave at once: `packets` are sent by now.
fn sender(packets: u64) -> Sender {
    let mut sender = Sender::new(Config {
        handshake: Handshake::None,
        ..Config::new(CongestionConfig::Reno)
    });
    sender.open();
    sender.write(packets * 1435);
    drain(&mut sender, 0);
    sender
}

/// Numbers of the packets that leave at `ms`.
fn drain(sender: &mut Sender, ms: u64) -> Vec<u64> {
    let mut numbers = Vec::new();
    while let Some(packet) = sender.poll_transmit(at(ms)) {
        match packet {
            Packet::Data(data) => numbers.push(data.number),
            Packet::Ping { number } => numbers.push(number),
            _ => unreachable!("there is no handshake"),
        }
    }
    numbers
}

/// An ACK of these ranges, from the highest on, that was held back for `delay` ms, arrives at `ms`.
fn ack(sender: &mut Sender, ms: u64, delay: u64, ranges: &[(u64, u64)]) {
    let largest = ranges[0].1;
    let mut ack = Ack::new(largest, Duration::from_millis(delay), 1 << 30, None);
    let mut above = largest + 1;
    for &(first, last) in ranges {
        assert!(ack.report.push(above - 1 - last, last - first + 1));
        above = first;
    }
    sender.on_packet(at(ms), &Packet::Ack(ack));
}

fn cwnd(sender: &Sender) -> f64 {
    sender.window().cwnd.0
}

#[test]
fn a_packet_is_lost_when_the_third_after_it_has_arrived() {
    let mut sender = sender(10);
    ack(&mut sender, 100, 0, &[(1, 1)]);
    ack(&mut sender, 100, 0, &[(1, 2)]);
    assert_eq!(sender.counters().window_cuts, 0);
    ack(&mut sender, 100, 0, &[(1, 3)]);
    assert_eq!(sender.counters().window_cuts, 1);
    // Half of ten and three: slow start grew by each of the three before the cut.
    assert_eq!(cwnd(&sender), 6.5);
}

#[test]
fn a_packet_is_lost_when_nine_eighths_of_a_round_trip_have_passed() {
    let mut sender = sender(2);
    ack(&mut sender, 80, 0, &[(1, 1)]);
    assert_eq!(sender.counters().window_cuts, 0);
    assert_eq!(
        sender.next_timer(),
        Some(at(90)),
        "before the probe timeout"
    );
    sender.on_timer(at(89));
    assert_eq!(drain(&mut sender, 89), []);
    sender.on_timer(at(90));
    assert_eq!(sender.counters().window_cuts, 1);
    assert_eq!(drain(&mut sender, 90), [2]);
    assert_eq!(sender.counters().retransmits, 1);
    assert_eq!(sender.counters().timeouts, 0);
}

#[test]
fn a_packet_sent_after_the_largest_acknowledged_one_is_never_lost() {
    let mut sender = sender(10);
    ack(&mut sender, 100, 0, &[(0, 4)]);
    // No loss timer, but a probe timeout: 100 + 4 · 50 + 25 after the last packet.
    assert_eq!(sender.next_timer(), Some(at(325)));
    sender.on_timer(at(200));
    assert_eq!(sender.counters().window_cuts, 0);
}

#[test]
fn the_probe_timeout_sends_two_packets_whatever_the_window() {
    let mut sender = sender(100);
    assert_eq!(sender.in_flight(), 10 * 1472, "the window is full");
    // 333 + 4 · 166.5 + 25.
    assert_eq!(sender.next_timer(), Some(at(1024)));
    sender.on_timer(at(1024));
    assert_eq!(drain(&mut sender, 1024), [10, 11]);
    assert_eq!(sender.in_flight(), 12 * 1472);
    assert_eq!(sender.sent_to(), 12 * 1435, "with new data");
    assert_eq!(cwnd(&sender), 10.0);
    assert_eq!(sender.next_timer(), Some(at(1024 + 2048)));
    sender.on_timer(at(3072));
    drain(&mut sender, 3072);
    assert_eq!(sender.next_timer(), Some(at(3072 + 4096)));
    // An ACK with news ends the backoff.
    ack(&mut sender, 3100, 0, &[(13, 13)]);
    assert_eq!(sender.counters().timeouts, 2);
    assert_eq!(sender.pto(), Duration::from_millis(28 + 4 * 14 + 25));
}

#[test]
fn an_ack_without_news_changes_nothing() {
    let mut sender = sender(10);
    ack(&mut sender, 100, 0, &[(0, 4)]);
    let before = (cwnd(&sender), sender.rtt().srtt(), sender.next_timer());
    assert!(sender.poll_rtt().is_some());
    ack(&mut sender, 300, 0, &[(0, 4)]);
    ack(&mut sender, 300, 0, &[(2, 3)]);
    ack(&mut sender, 300, 0, &[(70, 90)]);
    assert_eq!(
        (cwnd(&sender), sender.rtt().srtt(), sender.next_timer()),
        before
    );
    assert_eq!(sender.poll_rtt(), None);
}

#[test]
fn only_the_largest_packet_gives_a_round_trip() {
    let mut sender = sender(10);
    ack(&mut sender, 100, 0, &[(4, 5)]);
    assert_eq!(sender.poll_rtt(), Some(Duration::from_millis(100)));
    // Late, and below the largest: no sample, but the data have arrived.
    ack(&mut sender, 110, 0, &[(3, 5)]);
    assert_eq!(sender.poll_rtt(), None);
    assert_eq!(sender.rtt().srtt(), Some(Duration::from_millis(100)));
}

#[test]
fn the_peer_may_claim_only_so_much_delay() {
    let mut sender = sender(10);
    ack(&mut sender, 100, 0, &[(0, 0)]);
    // 400 ms, of which 25 at most were the peer's: 7/8 · 100 + 1/8 · 375.
    ack(&mut sender, 400, 300, &[(0, 1)]);
    assert_eq!(sender.rtt().srtt(), Some(Duration::from_micros(134_375)));
    assert_eq!(sender.min_rtt(), Some(Duration::from_millis(100)));
}

#[test]
fn a_loss_that_arrives_late_takes_the_cut_back() {
    let mut sender = sender(10);
    ack(&mut sender, 100, 0, &[(2, 5)]);
    assert_eq!(sender.counters().window_cuts, 1);
    let cut = cwnd(&sender);
    ack(&mut sender, 105, 0, &[(2, 5), (0, 0)]);
    assert_eq!(cwnd(&sender), cut, "the other one is still missing");
    ack(&mut sender, 106, 0, &[(0, 5)]);
    assert_eq!(cwnd(&sender), 14.0);
    // Nothing of it goes again.
    ack(&mut sender, 107, 0, &[(0, 9)]);
    assert_eq!(drain(&mut sender, 107), []);
    assert_eq!((sender.una(), sender.counters().retransmits), (14_350, 0));
}

#[test]
fn data_whose_copy_is_on_its_way_do_not_go_again() {
    let mut sender = sender(1);
    sender.on_timer(at(1024));
    assert_eq!(
        drain(&mut sender, 1024),
        [1, 2],
        "the data, and a probe without any"
    );
    // The probe without data arrives; the packets before it are lost one after another.
    ack(&mut sender, 1124, 0, &[(2, 2)]);
    // Number 0 by its age; number 1 carries the same data.
    assert_eq!(drain(&mut sender, 1124), []);
    let due = sender.next_timer().expect("a loss is due by its age");
    sender.on_timer(due);
    let packet = sender.poll_transmit(due).expect("now both are lost");
    assert!(matches!(packet, Packet::Data(data) if data.number == 3 && data.offset == 0));
}

/// The data have arrived, the probe after them has not: a queue of one packet has no room for two.
#[test]
fn one_probe_goes_out_where_nothing_of_the_stream_is_missing() {
    let mut sender = sender(1);
    sender.on_timer(at(1024));
    assert_eq!(drain(&mut sender, 1024), [1, 2]);
    ack(&mut sender, 1124, 0, &[(1, 1)]);
    assert!(sender.is_drained() && sender.in_flight() > 0);
    let due = sender.next_timer().expect("a packet is in flight");
    sender.on_timer(due);
    assert_eq!(drain(&mut sender, due.as_nanos() / 1_000_000), [3]);
    // A connection that is over stops, whatever is in flight.
    sender.close();
    assert_eq!(drain(&mut sender, 5000), [4], "the end of the stream");
    let due = sender.next_timer().expect("it is in flight");
    sender.on_timer(due);
    let ms = due.as_nanos().div_ceil(1_000_000);
    assert_eq!(
        drain(&mut sender, ms),
        [5, 6],
        "the end again, and a probe without"
    );
    ack(&mut sender, ms + 10, 0, &[(5, 5)]);
    assert!(sender.is_done() && sender.in_flight() > 0);
    assert_eq!(sender.next_timer(), None);
}

/// Packets sent at these seconds.
fn ledger(seconds: &[u64]) -> Ledger {
    let mut ledger = Ledger::default();
    for &s in seconds {
        ledger.push(at(1000 * s), None);
    }
    ledger
}

fn arrive(ledger: &mut Ledger, first: u64, last: u64) {
    let span = Span {
        start: first,
        end: last + 1,
    };
    ledger.acknowledge(span, &mut Vec::new());
}

/// RFC 9002 section 7.6.3. The packets are counted from 1 there; a probe timeout is 2 s long.
#[test]
fn the_specifications_example_is_persistent_congestion() {
    let pto = Duration::from_secs(2);
    let sampled = Some(Time::ZERO);
    let mut ledger = ledger(&[0, 1, 2, 3, 4, 5, 6, 8, 12]);
    arrive(&mut ledger, 0, 0);
    arrive(&mut ledger, 8, 8);
    let mut lost = Vec::new();
    ledger.detect(at(12_200), 3, Duration::from_millis(1350), &mut lost);
    let numbers: Vec<u64> = lost.iter().map(|packet| packet.number).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7], "packets 2 to 8");
    assert_eq!(lost[6].at.since(lost[0].at), Duration::from_secs(7));
    assert!(ledger.is_persistent(&lost, pto * 3, sampled));
    // The duration must be longer, not as long.
    assert!(!ledger.is_persistent(&lost, Duration::from_secs(7), sampled));
    // No sample when the first of them was sent; then those from 3 s on are too few.
    assert!(!ledger.is_persistent(&lost, pto * 3, None));
    assert!(!ledger.is_persistent(&lost, pto * 3, Some(at(2500))));
}

#[test]
fn an_arrival_in_between_is_no_persistent_congestion() {
    let mut ledger = ledger(&[0, 1, 2, 3, 4, 5, 6, 8, 12]);
    arrive(&mut ledger, 0, 0);
    arrive(&mut ledger, 4, 4);
    arrive(&mut ledger, 8, 8);
    let mut lost = Vec::new();
    ledger.detect(at(12_200), 3, Duration::from_millis(1350), &mut lost);
    assert_eq!(lost.len(), 6);
    assert!(!ledger.is_persistent(&lost, Duration::from_secs(6), Some(Time::ZERO)));
    assert!(ledger.is_persistent(&lost, Duration::from_secs(2), Some(Time::ZERO)));
}

#[test]
fn persistent_congestion_leaves_two_packets() {
    let mut sender = sender(100);
    ack(&mut sender, 100, 0, &[(0, 9)]);
    assert_eq!(cwnd(&sender), 20.0);
    // Round trip 100, deviation 50: a probe timeout of 325 ms, so that losses over 975 ms are persistent.
    let mut latest = 100;
    while sender.counters().timeouts < 3 {
        drain(&mut sender, latest);
        let due = sender.next_timer().expect("something is in flight");
        sender.on_timer(due);
        latest = due.as_nanos().div_ceil(1_000_000);
    }
    drain(&mut sender, latest);
    let last = sender.ledger.next() - 1;
    ack(&mut sender, latest + 100, 0, &[(last, last)]);
    assert_eq!(cwnd(&sender), 2.0);
    assert_eq!(sender.counters().window_cuts, 1);
}

#[test]
fn packets_are_found_by_number_before_time() {
    let mut ledger = ledger(&[0, 1, 2, 3, 4]);
    arrive(&mut ledger, 4, 4);
    let mut lost = Vec::new();
    ledger.detect(at(4100), 3, Duration::from_millis(1500), &mut lost);
    let found: Vec<_> = lost.iter().map(|lost| (lost.number, lost.by)).collect();
    assert_eq!(
        found,
        [
            (0, Threshold::Packets),
            (1, Threshold::Packets),
            (2, Threshold::Time)
        ]
    );
    assert_eq!(ledger.loss_time(), Some(at(4500)), "of the one sent at 3 s");
}
