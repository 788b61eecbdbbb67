//! Window, bursts and lumps of ACKs.

use super::*;

/// In CRUISE, where a segment comes in every millisecond, as the path delivers them.
fn steady() -> Path {
    let mut path = Path::cruise();
    path.law.extra_acked = Largest::new(Segments::ZERO);
    path.law.lumps.begin(path.acks.now);
    for _ in 0..10 {
        path.within(ms(1));
    }
    path
}

#[test]
fn in_steady_state_two_bdps_are_in_flight() {
    // And the segment that came in.
    steady().expect_cwnd(201.0);
}

#[test]
fn the_window_is_wider_by_the_largest_lump_of_acks_of_ten_rounds() {
    let mut path = steady();
    path.take_ack(31, ms(1), 1_000_000_000);
    path.within(ms(1));
    path.expect_cwnd(200.0 + 31.0);
    for _ in 0..10 {
        path.take_ack(1, ms(100), 0);
        path.expect_cwnd(231.0);
    }
    path.take_ack(1, ms(100), 0);
    path.expect_cwnd(201.0);
}

#[test]
fn during_startup_a_lump_counts_in_its_round_and_the_next_one() {
    let mut path = Path::new();
    path.round();
    path.take_ack(50, ms(1), 1_000_000_000);
    let extra = |path: &Path| path.law.extra_acked.of_last(EXTRA_ACKED_AT_FIRST);
    assert!(extra(&path) >= Segments(50.0));
    path.take_ack(1, ms(1000), 0);
    assert!(extra(&path) >= Segments(50.0));
    path.take_ack(1, ms(1000), 0);
    assert!(extra(&path) <= Segments(1.0));
}

#[test]
fn a_burst_is_a_millisecond_of_the_pace_and_two_segments_at_least() {
    let mut bbr = Bbr3::new(&setup("bbr3"));
    let mut quantum = |bps| {
        bbr.pace.set(Rate::from_bps(bps));
        bbr.send_quantum()
    };
    assert_eq!(quantum(1_000_000), Some(2000));
    assert_eq!(quantum(80_000_000), Some(10_000));
    assert_eq!(quantum(10_000_000_000), Some(65_000));
}

#[test]
fn a_path_that_holds_less_than_a_segment_gets_a_window_of_three_bursts() {
    let mut path = Path::cruise();
    path.rate = 100;
    path.law.max_bandwidth = Largest::new(NO_RATE);
    path.law.extra_acked = Largest::new(Segments::ZERO);
    path.law.lumps.begin(path.acks.now);
    path.within(ms(10));
    path.within(ms(1000));
    path.expect_cwnd(6.0);
    path.expect_pace(0.008 * 0.99);
}

#[test]
fn a_sample_shorter_than_a_round_trip_tells_no_rate() {
    let mut path = Path::cruise();
    let rounds = path.law.rounds.count();
    let mut event = path.acks.ack(100, ms(1), 0);
    event.rate = event.rate.map(|sample| RateSample {
        delivered: 100 * BDP,
        too_short: true,
        ..sample
    });
    path.law.grow(&event, &mut path.window);
    assert_eq!(path.law.rounds.count(), rounds);
    assert_eq!(path.law.max_bandwidth.get(), Rate::from_bps(8_000_000));
}

#[test]
fn the_window_keeps_the_sender_back_for_a_round_after_it_was_full() {
    let mut limit = WindowUse::default();
    limit.on_ack(false, true);
    limit.on_ack(false, false);
    assert!(limit.is_limiting());
    limit.on_ack(true, false);
    assert!(limit.is_limiting());
    limit.on_ack(true, false);
    assert!(!limit.is_limiting());
}
