//! The cycle that probes.

use super::*;
use crate::tcp::testing::assert_near;

#[test]
fn a_cycle_is_down_cruise_refill_and_up() {
    let mut path = Path::down();
    path.flight = 101 * u64::from(MSS);
    path.within(ms(10));
    assert_eq!(path.phase(), Phase::Down, "more than the BDP is in flight");
    path.expect_pace(8.0 * 0.9 * 0.99);
    path.flight = 100 * u64::from(MSS);
    path.within(ms(10));
    assert_eq!(path.phase(), Phase::Cruise);
    path.expect_pace(8.0 * 0.99);
    path.within(ms(1900));
    assert_eq!(path.phase(), Phase::Cruise);
    path.within(ms(1100));
    assert_eq!(path.phase(), Phase::Refill);
    path.expect_pace(8.0 * 0.99);
    path.within(ms(1000));
    assert_eq!(path.phase(), Phase::Refill, "no round trip is over");
    path.round();
    assert_eq!(path.phase(), Phase::Up);
    path.expect_pace(8.0 * 1.25 * 0.99);
}

#[test]
fn down_may_go_on_to_the_next_probe() {
    let mut path = Path::down();
    path.flight = 150 * u64::from(MSS);
    path.within(ms(3001));
    assert_eq!(path.phase(), Phase::Refill);
}

#[test]
fn the_wait_is_two_to_three_seconds() {
    let mut quarters = [0; 4];
    for step in 0..200 {
        let mut path = Path::down();
        path.law
            .start_down(path.acks.now + Duration::from_nanos(step));
        path.acks.now += Duration::from_nanos(step);
        path.within(ms(1));
        let mut waited = 1;
        while path.phase() == Phase::Cruise {
            path.within(ms(50));
            waited += 50;
        }
        // Noticed up to 50 ms later.
        quarters[(waited - 2001_u64) as usize / 270] += 1;
    }
    assert!(quarters.iter().all(|n| *n > 30), "{quarters:?}");
}

#[test]
fn beside_reno_it_probes_after_as_many_rounds_as_segments_are_in_flight_and_63_at_most() {
    let rounds = |bdp: u64, cwnd: f64| {
        let mut path = Path::cruise();
        path.rate = bdp;
        path.flight = bdp;
        path.law.max_bandwidth = Largest::new(NO_RATE);
        let mut rounds = 0;
        path.law.start_down(path.acks.now);
        while path.phase() != Phase::Refill {
            path.window.cwnd = Segments(cwnd);
            path.take_ack(1, ms(1), 0);
            rounds += 1;
        }
        rounds
    };
    // One less where that was drawn.
    assert!((9..=10).contains(&rounds(10_000, 1000.0)));
    assert!((19..=20).contains(&rounds(20_000, 1000.0)));
    assert!((4..=5).contains(&rounds(20_000, 5.0)), "the window is less");
    assert!((62..=63).contains(&rounds(1_000_000, 1000.0)));
}

#[test]
fn up_ends_after_three_rounds_without_a_quarter_more() {
    let mut path = Path::up();
    for _ in 0..2 {
        path.round();
        assert_eq!(path.phase(), Phase::Up);
    }
    path.rate = path.rate * 5 / 4;
    path.round();
    for _ in 0..2 {
        path.round();
        assert_eq!(path.phase(), Phase::Up, "it had grown");
    }
    path.round();
    assert_eq!(path.phase(), Phase::Down);
}

#[test]
fn up_goes_on_while_the_application_has_too_little() {
    let mut path = Path::up();
    path.app_limited = true;
    for _ in 0..10 {
        path.round();
    }
    assert_eq!(path.phase(), Phase::Up);
}

#[test]
fn the_window_of_up_is_two_and_a_quarter_bdps() {
    let mut path = Path::up();
    path.law.extra_acked = Largest::new(Segments::ZERO);
    path.law.lumps.begin(path.acks.now);
    path.within(ms(10));
    path.within(ms(10));
    // Two segments more while probing, and the one that came in.
    path.expect_cwnd(225.0 + 2.0 + 1.0);
}

/// In UP with a bound of what may be in flight, which is in flight.
fn bounded(bound: u64) -> Path {
    let mut path = Path::refill();
    path.law.bounds.long_term = Some(Segments(bound as f64));
    path.window.cwnd = Segments(bound as f64);
    path.flight = bound * u64::from(MSS);
    path.take_ack(1, ms(100), 0);
    assert_eq!(path.phase(), Phase::Up);
    path
}

#[test]
fn a_probe_that_runs_into_its_bound_raises_it_by_twice_as_much_each_round() {
    let mut path = bounded(128);
    let mut bound = 128.0;
    for growth in [1, 2, 4, 8, 16] {
        for _ in 0..127 {
            path.within(ms(0));
        }
        // What is in flight follows the bound.
        path.take_ack(1, ms(100), 0);
        let raised = path.law.bounds.long_term.expect("a bound").0;
        assert!(
            (raised - bound - f64::from(growth)).abs() <= 1.0,
            "from {bound} to {raised}, not by {growth}"
        );
        bound = raised;
        path.flight = bound as u64 * u64::from(MSS);
        assert_eq!(
            path.phase(),
            Phase::Up,
            "the bound keeps the rate from growing"
        );
    }
}

#[test]
fn a_bound_that_is_not_reached_is_not_raised() {
    let mut path = bounded(128);
    path.flight = 100 * u64::from(MSS);
    // The window was full in the round trip before the first of these.
    path.round();
    path.round();
    let bound = path.law.bounds.long_term;
    path.take_ack(1000, ms(1), 1_000_000_000);
    assert_eq!(path.phase(), Phase::Up);
    assert_eq!(path.law.bounds.long_term, bound);
}

#[test]
fn what_was_carried_without_loss_is_within_the_bound() {
    let mut path = Path::cruise();
    path.law.bounds.long_term = Some(Segments(80.0));
    path.flight = 90 * u64::from(MSS);
    path.within(ms(1));
    assert_eq!(path.law.bounds.long_term, Some(Segments(90.0)));
    path.flight = 95 * u64::from(MSS);
    path.lost_meanwhile = 2000;
    path.within(ms(1));
    assert_eq!(
        path.law.bounds.long_term,
        Some(Segments(90.0)),
        "2.1 % lost"
    );
}

#[test]
fn cruising_leaves_room_to_others() {
    let mut path = Path::down();
    path.law.bounds.long_term = Some(Segments(80.0));
    path.flight = 69 * u64::from(MSS);
    path.within(ms(1));
    assert_eq!(path.phase(), Phase::Down);
    path.expect_cwnd(80.0);
    path.flight = 68 * u64::from(MSS);
    path.within(ms(1));
    assert_eq!(path.phase(), Phase::Cruise);
    path.expect_cwnd(68.0);
}

#[test]
fn after_a_probe_that_lost_too_much_the_next_one_is_careful() {
    let mut path = Path::refill();
    path.law.probing.was_too_much = true;
    path.law.bounds.long_term = Some(Segments(110.0));
    path.round();
    assert_eq!(path.phase(), Phase::Up);
    path.flight = 109 * u64::from(MSS);
    path.within(ms(10));
    assert_eq!(path.phase(), Phase::Up);
    path.flight = 110 * u64::from(MSS);
    path.within(ms(10));
    assert_eq!(path.phase(), Phase::Down);
    // It went well: the next one comes at once, and is not careful.
    path.round();
    assert_eq!(path.phase(), Phase::Refill);
    path.round();
    path.flight = 120 * u64::from(MSS);
    path.within(ms(10));
    assert_eq!(path.phase(), Phase::Up);
}

#[test]
fn a_careful_probe_that_loses_too_much_is_not_followed_by_another() {
    let mut path = Path::refill();
    path.law.probing.was_too_much = true;
    path.law.bounds.long_term = Some(Segments(110.0));
    path.round();
    path.flight = 110 * u64::from(MSS);
    path.within(ms(10));
    assert_eq!(path.phase(), Phase::Down);
    path.lose(1, 110_000, 3000);
    path.within(ms(10));
    path.round();
    assert_ne!(path.phase(), Phase::Refill);
}

#[test]
fn a_rate_counts_in_its_cycle_and_in_the_next_one() {
    let mut path = Path::cruise();
    path.rate = 2 * BDP;
    path.within(ms(1));
    path.rate = BDP;
    path.flight = BDP / 2;
    let mut ends = 0;
    while path.law.max_bandwidth.get() > Rate::from_bps(8_000_000) {
        let before = path.law.cycles;
        path.round();
        ends += path.law.cycles - before;
        assert!(ends <= 2);
    }
    assert_eq!(ends, 2);
    assert_eq!(path.law.max_bandwidth.get(), Rate::from_bps(8_000_000));
}

#[test]
fn a_sample_of_an_application_with_too_little_counts_only_if_it_shows_more() {
    let mut path = Path::cruise();
    path.app_limited = true;
    path.rate = BDP / 10;
    path.law.cycles += 5;
    path.within(ms(1));
    assert_eq!(path.law.max_bandwidth.get(), Rate::from_bps(8_000_000));
    path.rate = 2 * BDP;
    path.within(ms(1));
    assert_eq!(path.law.max_bandwidth.get(), Rate::from_bps(16_000_000));
}

#[test]
fn the_growth_of_the_bound_is_spread_over_the_round() {
    let mut growth = super::super::cycle::Growth::default();
    assert_near(growth.on_ack(Segments(50.0)).0, 0.0, "before it began");
    growth.steepen(Segments(100.0));
    growth.steepen(Segments(100.0));
    // Two in 100 segments.
    assert_near(growth.on_ack(Segments(49.0)).0, 0.0, "growth");
    assert_near(growth.on_ack(Segments(1.0)).0, 1.0, "growth");
    assert_near(growth.on_ack(Segments(101.0)).0, 2.0, "growth");
    assert_near(growth.on_ack(Segments(49.0)).0, 1.0, "growth");
    for _ in 0..40 {
        growth.steepen(Segments(100.0));
    }
    assert_near(growth.on_ack(Segments(7.0)).0, 7.0, "one for each at most");
}
