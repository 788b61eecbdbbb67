//! Both ends together.

use super::testing::{Pair, Path, ctrl_seq, secs};
use super::*;
use crate::time::{Duration, Time};
use crate::units::Rate;

fn is_data(packet: &Packet) -> bool {
    matches!(packet, Packet::Data(_))
}

fn is_probe(packet: &Packet) -> bool {
    matches!(packet, Packet::Probe(_))
}

/// Packets a second that the sender sent.
fn sent_rate(pair: &Pair, from: f64, to: f64) -> f64 {
    pair.numbers(from, to, |_| true).len() as f64 / (to - from)
}

#[test]
fn the_pair_measures_the_narrowest_link() {
    let mut pair = Pair::transfer(10_000, Path::new());
    assert_eq!(pair.numbers(0.0, 0.1, |_| true), [0, 1], "back to back");
    pair.run_to(1.0);
    assert!(pair.sender.is_established());
    // 512 bytes and 18 of header at 50 kb/s.
    assert_eq!(pair.sender.separation(), Micros(84_800));
    assert_eq!(
        pair.sender.rtt(),
        Duration::from_micros(500_000 + 84_800 * 2)
    );
}

#[test]
fn a_transfer_without_losses_arrives_once_and_ends() {
    let mut pair = Pair::transfer(100_000, Path::new());
    pair.finish();
    pair.expect_delivered(100_000);
    assert!(pair.receiver.is_finished());
    assert_eq!(pair.sender.counters().retransmits, 0);
    assert_eq!(pair.sender.next_timer(), None);
    // The receiver stays to answer, and then closes too.
    while pair.step(Time::MAX) {}
    assert!(!pair.receiver.is_open() && pair.receiver.failure().is_none());
}

#[test]
fn packets_leave_one_separation_apart_or_more() {
    let mut pair = Pair::transfer(200_000, Path::new());
    pair.path.lose = [10, 11, 20, 50, 51, 52, 53].into();
    pair.finish();
    let data = pair.sent.iter().filter(|(_, p)| is_data(p));
    let mut before: Option<Time> = None;
    for (at, packet) in data {
        let Packet::Data(data) = packet else { continue };
        let gap = before.map_or(Duration::MAX, |b| at.since(b));
        assert!(gap >= data.control.separation.to_duration(), "{data:?}");
        before = Some(*at);
    }
}

#[test]
fn every_single_loss_is_repaired_without_a_blackout() {
    for lost in 0..60 {
        let mut pair = Pair::transfer(20_000, Path::new());
        pair.path.lose.insert(lost);
        pair.finish();
        pair.expect_delivered(20_000);
        assert_eq!(pair.sender.counters().blackouts, 0, "packet {lost}");
        assert!(pair.now < secs(15.0), "packet {lost}: {:?}", pair.now);
    }
}

#[test]
fn every_single_lost_ack_is_survived_without_a_blackout() {
    for lost in 0..30 {
        let mut pair = Pair::transfer(20_000, Path::new());
        pair.path.lose_acks.insert(lost);
        pair.finish();
        pair.expect_delivered(20_000);
        assert_eq!(pair.sender.counters().blackouts, 0, "ACK {lost}");
    }
}

#[test]
fn a_lost_pair_is_sent_again_with_longer_and_longer_waits() {
    let mut pair = Pair::transfer(1000, Path::new());
    pair.path.lose = (0..6).collect();
    // The first pair is on its way already.
    pair.path.lose_acks.insert(0);
    pair.run_to(25.0);
    let opens: Vec<_> = pair
        .sent
        .iter()
        .take_while(|(_, p)| matches!(p, Packet::Open(_)))
        .collect();
    let times: Vec<f64> = opens.iter().map(|(at, _)| at.as_secs_f64()).collect();
    assert_eq!(times, [0.0, 0.0, 3.0, 3.0, 9.0, 9.0, 21.0, 21.0]);
    pair.finish();
    pair.expect_delivered(1000);
}

#[test]
fn the_last_packets_are_found_lost_by_probes() {
    let mut pair = Pair::transfer(5120, Path::new());
    pair.path.lose = [10, 11].into();
    pair.finish();
    pair.expect_delivered(5120);
    // Ten packets from number 2 on, the last two lost; probes follow at the pace.
    let again = pair.sent.iter().filter(|(_, p)| is_data(p)).skip(10);
    assert_eq!(again.count(), 2);
    let probes: Vec<_> = pair.sent.iter().filter(|(_, p)| is_probe(p)).collect();
    assert_eq!(ctrl_seq(&probes[0].1), 12);
    assert_eq!(pair.sender.counters().blackouts, 0);
}

#[test]
fn random_losses_do_not_slow_it_down() {
    let rate = |lose: &[u64]| {
        let mut pair = Pair::transfer(u64::MAX, Path::new());
        pair.path.lose = lose.iter().copied().collect();
        pair.run_to(60.0);
        (sent_rate(&pair, 0.0, 60.0), pair.receiver.counters())
    };
    let (clean, _) = rate(&[]);
    let lost: Vec<u64> = (10..800).filter(|n| n * 7919 % 25 == 0).collect();
    let (lossy, counters) = rate(&lost);
    assert!(counters.missing > 15, "{counters:?}");
    assert_eq!(counters.halvings, 0);
    assert!((lossy / clean - 1.0).abs() < 0.1, "{lossy} of {clean}");
}

#[test]
fn a_queue_that_overflows_halves_the_rate() {
    let mut path = Path::new();
    path.queue = 5;
    let mut pair = Pair::transfer(u64::MAX, path);
    let mut before = None;
    while pair.receiver.counters().halvings == 0 {
        before = pair.receiver.rate();
        assert!(pair.step(Time::MAX));
    }
    assert_eq!(pair.receiver.rate(), before.map(|rate| rate * 0.5));
    assert!(pair.path.overflows > 0);
}

#[test]
fn the_rate_follows_the_path_down_and_up() {
    let mut pair = Pair::transfer(u64::MAX, Path::new());
    // Kept within these bounds, in packets a second, once it is there: 11.1, 2.2 and 11.1 fit.
    for (bps, from, to, least, most) in [
        (50_000, 20.0, 60.0, 4.0, 20.0),
        (10_000, 120.0, 300.0, 0.5, 5.0),
        (50_000, 360.0, 420.0, 4.0, 20.0),
    ] {
        pair.path.rate = Rate::from_bps(bps);
        pair.run_to(from);
        while pair.now < secs(to) {
            pair.run_to(pair.now.as_secs_f64() + 1.0);
            let rate = pair.receiver.rate().unwrap();
            assert!((least..most).contains(&rate), "{rate} at {:?}", pair.now);
        }
    }
}

/// The rate at which [`steady`] stays, below the path's capacity.
const STEADY: Micros = Micros(100_000);

/// A configuration whose rate does not grow beyond a bound.
fn steady() -> Config {
    Config {
        min_separation: STEADY,
        ..Config::default()
    }
}

/// A connection whose path is cut off for `length` seconds from 30 s on; returns it after the blackout.
fn cut_off(config: Config, length: f64) -> Pair {
    let mut pair = Pair::new(config, Path::new());
    pair.sender.write(300_000);
    pair.sender.close();
    pair.path.blackouts.push(secs(30.0)..secs(30.0 + length));
    pair.run_to(30.3);
    pair
}

const BLACKOUTS: [f64; 9] = [1.0, 3.0, 5.0, 6.0, 10.0, 60.0, 91.5, 300.0, 600.0];

#[test]
fn after_a_blackout_the_old_rate_is_used_and_nothing_is_lost() {
    for length in BLACKOUTS {
        let mut pair = cut_off(steady(), length);
        assert_eq!(pair.sender.separation(), STEADY);
        while pair.now < secs(30.0 + length) || pair.sender.in_blackout() {
            assert!(pair.step(Time::MAX));
        }
        assert_eq!(pair.sender.separation(), STEADY);
        // One probe interval and one round trip after the path returns.
        let resumed = pair.now.as_secs_f64();
        assert!(resumed < 30.0 + length + 2.0, "{length} s: {resumed}");
        pair.run_to(resumed + 5.0);
        let after = sent_rate(&pair, resumed, resumed + 5.0);
        let ratio = after / sent_rate(&pair, 25.0, 30.0);
        assert!((ratio - 1.0).abs() < 0.1, "{length} s: {ratio}");
        pair.finish();
        pair.expect_delivered(300_000);
        assert_eq!(pair.receiver.counters().halvings, 0);
        assert_eq!(pair.receiver.counters().decreases, 0);
        let entered = pair.sender.counters().blackouts;
        // A blackout is noticed only if it lasts until the answer to its first lost packet is overdue.
        assert_eq!(entered, u64::from(length >= 5.0), "{length} s");
    }
}

#[test]
fn a_blackout_leaves_the_rate_alone() {
    for length in BLACKOUTS {
        let mut pair = cut_off(Config::default(), length);
        // What was on its way has arrived.
        pair.run_to(30.9);
        let old = pair.receiver.rate().unwrap();
        while pair.now < secs(30.0 + length) || pair.sender.in_blackout() {
            assert!(pair.step(Time::MAX));
            assert_eq!(pair.receiver.rate(), Some(old), "{length} s");
        }
        let first = pair.sender.separation().as_secs_f64() * old;
        assert!((first - 1.0).abs() < 0.1, "{length} s: {first}");
        pair.finish();
        pair.expect_delivered(300_000);
    }
}

#[test]
fn in_a_blackout_only_probes_are_sent_one_a_second() {
    let pair = {
        let mut pair = cut_off(steady(), 60.0);
        pair.run_to(90.0);
        pair
    };
    assert!(pair.sender.in_blackout());
    assert_eq!(pair.numbers(36.0, 90.0, is_data), []);
    assert_eq!(pair.numbers(40.0, 80.0, is_probe).len(), 40);
}

#[test]
fn a_link_that_holds_packets_back_does_not_slow_it_down() {
    let mut pair = Pair::transfer(u64::MAX, Path::new());
    pair.run_to(30.0);
    let old = pair.receiver.rate().unwrap();
    // Nothing passes for 40 s, then all of it does.
    pair.path.rate = Rate::from_bps(1);
    pair.step(Time::MAX);
    let held = pair.now + Duration::from_secs(40);
    pair.path.rate = Rate::from_bps(50_000);
    pair.path.delay = Duration::from_secs(40);
    while pair.now < held {
        assert!(pair.step(Time::MAX));
    }
    pair.path.delay = Duration::from_millis(250);
    assert!(pair.receiver.rate().unwrap() > 0.9 * old);
}

#[test]
fn never_more_than_the_receivers_window_is_outstanding() {
    let config = Config {
        receive_buffer: 3000,
        ..Config::default()
    };
    let mut pair = Pair::new(config, Path::new());
    pair.sender.write(20_000);
    pair.sender.close();
    pair.reads = false;
    pair.run_to(20.0);
    assert_eq!(
        (pair.receiver.delivered(), pair.sender.sent_to()),
        (3000, 3000)
    );
    // The application does not read: probes ask whether the window has opened; they do not count for the
    // pace.
    assert_eq!(pair.numbers(10.0, 20.0, is_probe).len(), 10);
    // The window update is lost; the answer to a probe replaces it.
    let update = pair.answers.len() as u64;
    pair.path.lose_acks.insert(update);
    pair.receiver.read(2000);
    pair.pump();
    assert_eq!(pair.answers.len() as u64, update + 1, "an update");
    pair.run_to(23.0);
    assert_eq!(pair.receiver.delivered(), 5000);
    pair.reads = true;
    pair.receiver.read(u64::MAX);
    pair.pump();
    pair.finish();
    pair.expect_delivered(20_000);
}

#[test]
fn a_buffer_below_a_packet_works_too() {
    let config = Config {
        receive_buffer: 100,
        ..Config::default()
    };
    let mut pair = Pair::new(config, Path::new());
    pair.sender.write(1000);
    pair.sender.close();
    pair.finish();
    pair.expect_delivered(1000);
}

#[test]
fn an_idle_connection_is_silent_and_goes_on() {
    let mut pair = Pair::new(Config::default(), Path::new());
    pair.sender.write(20_000);
    pair.run_to(30.0);
    let old = pair.sender.separation();
    assert_eq!(pair.numbers(20.0, 30.0, |_| true), []);
    pair.run_to(1000.0);
    pair.sender.write(20_000);
    pair.pump();
    pair.run_to(1001.0);
    assert_eq!(pair.sender.separation(), old);
    pair.run_to(1010.0);
    assert_eq!(pair.receiver.delivered(), 40_000);
    assert_eq!(pair.sender.counters().blackouts, 0);
    assert_eq!(pair.receiver.counters().halvings, 0);
}

#[test]
fn both_ends_give_up_on_a_peer_that_is_gone() {
    let mut pair = cut_off(steady(), 1e6);
    while pair.step(Time::MAX) {}
    assert_eq!(pair.sender.failure(), Some(Failure::IdleTimeout));
    assert_eq!(pair.receiver.failure(), Some(Failure::IdleTimeout));
    let minutes = pair.now.as_secs_f64() / 60.0;
    assert!((30.0..31.0).contains(&minutes), "{minutes}");
    assert_eq!(
        pair.sent.last().unwrap().1,
        Packet::Reset(Reset::IdleTimeout)
    );
}

#[test]
fn a_path_that_is_never_there_fails_too() {
    let mut path = Path::new();
    path.blackouts.push(Time::ZERO..Time::MAX);
    let mut pair = Pair::transfer(1000, path);
    while pair.step(Time::MAX) {}
    assert_eq!(pair.sender.failure(), Some(Failure::IdleTimeout));
    // Pairs at 0, 3, 9, 21, 45, 93 s and every minute from then on.
    assert_eq!(pair.sent.len(), 2 * (6 + 28) + 1);
}

#[test]
fn a_reset_ends_the_other_end() {
    let mut pair = cut_off(steady(), 0.0);
    pair.sender.abort();
    pair.pump();
    pair.run_to(31.0);
    assert_eq!(pair.sender.failure(), Some(Failure::Aborted));
    assert_eq!(
        pair.receiver.failure(),
        Some(Failure::Reset(Reset::Aborted))
    );

    let mut pair = cut_off(steady(), 0.0);
    pair.receiver.abort();
    pair.pump();
    pair.run_to(31.0);
    assert_eq!(pair.sender.failure(), Some(Failure::Reset(Reset::Aborted)));
    assert_eq!(pair.sender.next_timer(), None);
}

#[test]
fn a_receiver_that_knows_of_no_connection_says_so() {
    let mut pair = cut_off(steady(), 0.0);
    pair.receiver = Receiver::new(Config::default());
    pair.run_to(35.0);
    assert_eq!(pair.sender.failure(), Some(Failure::Reset(Reset::Unknown)));
}

#[test]
fn an_end_that_was_acknowledged_in_vain_is_acknowledged_again() {
    let mut pair = Pair::transfer(1000, Path::new());
    pair.run_to(0.7);
    // All answers are lost for two minutes.
    pair.path.lose_acks = (1..1000).collect();
    pair.run_to(120.0);
    assert!(pair.receiver.is_finished() && pair.sender.in_blackout());
    pair.path.lose_acks.clear();
    pair.finish();
    pair.expect_delivered(1000);
}
