//! Losses: while probing, between probes, and those that were none.

use super::*;
use crate::tcp::testing::{assert_near, loss_at, timeout_at};

#[test]
fn a_probe_that_loses_more_than_two_percent_ends() {
    let mut path = Path::up();
    path.lose(1, 150_000, 3000);
    assert_eq!(path.phase(), Phase::Up, "2 %");
    path.lose(1, 150_000, 4000);
    assert_eq!(path.phase(), Phase::Down);
    // 149 before it, of which 3 were lost: (0.02 · 149 − 3)/0.98 of it were too many.
    let bound = path.law.bounds.long_term.expect("a bound");
    assert_near(bound.0, 149.0 + (0.02 * 149.0 - 3.0) / 0.98, "bound");
    path.flight = 150_000;
    path.within(ms(1));
    path.expect_pace(8.0 * 0.9 * 0.99);
}

#[test]
fn a_bound_is_no_less_than_seven_tenths_of_the_bdp() {
    let mut path = Path::up();
    path.lose(1, 20_000, 1000);
    assert_eq!(path.law.bounds.long_term, Some(Segments(70.0)));
}

#[test]
fn a_probe_is_answered_once() {
    let mut path = Path::up();
    path.lose(1, 150_000, 4000);
    path.lose(1, 80_000, 4000);
    assert!(path.law.bounds.long_term > Some(Segments(140.0)));
}

#[test]
fn a_loss_of_what_an_application_with_too_little_sent_sets_no_bound() {
    let mut path = Path::up();
    path.app_limited = true;
    path.lose(1, 150_000, 4000);
    assert_eq!(path.phase(), Phase::Down);
    assert_eq!(path.law.bounds.long_term, None);
}

#[test]
fn what_was_sent_for_a_probe_tells_of_it_also_afterwards() {
    let mut path = Path::up();
    for _ in 0..3 {
        path.round();
    }
    assert_eq!(path.phase(), Phase::Down);
    path.lose(1, 150_000, 4000);
    assert!(path.law.bounds.long_term > Some(Segments(140.0)));
    // A round trip later nothing of it is on its way.
    let mut path = Path::up();
    for _ in 0..4 {
        path.round();
    }
    path.lose(1, 150_000, 4000);
    assert_eq!(path.law.bounds.long_term, None);
}

#[test]
fn a_loss_while_cruising_sets_no_long_term_bound() {
    let mut path = Path::cruise();
    path.lose(1, 100_000, 50_000);
    path.within(ms(1));
    assert_eq!(path.law.bounds.long_term, None);
    assert_eq!(path.phase(), Phase::Cruise);
}

#[test]
fn a_round_with_losses_brings_rate_and_window_to_what_was_delivered() {
    let mut path = Path::cruise();
    path.round();
    path.window.cwnd = Segments(120.0);
    path.rate = BDP * 95 / 100;
    path.round();
    path.lose_one();
    path.within(ms(1));
    assert_eq!(path.law.bounds, Bounds::default(), "no round trip is over");
    path.window.cwnd = Segments(120.0);
    path.round();
    assert_eq!(path.law.bounds.bandwidth, Some(Rate::from_bps(7_600_000)));
    assert_eq!(path.law.bounds.short_term, Some(Segments(95.0)));
    path.expect_pace(7.6 * 0.99);
    path.expect_cwnd(95.0);
    // A round trip without a loss changes nothing.
    path.rate = BDP / 2;
    path.round();
    path.round();
    path.expect_pace(7.6 * 0.99);
    // A bound falls to seven tenths at most, in a round trip.
    path.lose_one();
    path.round();
    path.round();
    path.expect_pace(7.6 * 0.7 * 0.99);
    path.expect_cwnd(95.0 * 0.7);
    // The next probe forgets that.
    path.within(ms(3000));
    assert_eq!(path.phase(), Phase::Refill);
    path.expect_pace(8.0 * 0.99);
    assert_eq!(path.law.bounds, Bounds::default());
}

#[test]
fn many_losses_of_a_round_count_once() {
    let mut path = Path::cruise();
    path.rate = BDP / 10;
    path.round();
    for _ in 0..50 {
        path.lose_one();
        path.within(ms(1));
    }
    path.round();
    assert_eq!(path.law.bounds.bandwidth, Some(Rate::from_bps(5_600_000)));
}

#[test]
fn while_asking_for_more_a_loss_does_not_slow_it_down() {
    for mut path in [Path::refill(), Path::up()] {
        path.lose_one();
        path.rate = BDP / 2;
        path.round();
        path.round();
        assert_eq!(path.law.bounds.bandwidth, None);
        assert_eq!(path.law.bounds.short_term, None);
    }
}

#[test]
fn a_recovery_leaves_the_window_and_gives_it_back() {
    let mut path = Path::cruise();
    path.window.cwnd = Segments(190.0);
    let response = path.law.on_loss(&loss_at(0, 190.0, 0, 190), &path.window);
    assert_eq!(response, Response::unchanged(&path.window));
    path.repairing = Repairing::Loss;
    path.lose_one();
    path.round();
    path.window.cwnd = Segments(50.0);
    path.within(ms(1));
    path.expect_cwnd(51.0);
    path.law.bounds.forget_short_term();
    path.repairing = Repairing::Nothing;
    path.within(ms(1));
    path.expect_cwnd(191.0);
}

#[test]
fn after_a_timeout_the_window_starts_with_one_segment_and_comes_back() {
    let mut path = Path::cruise();
    path.window.cwnd = Segments(150.0);
    let response = path.law.on_timeout(&timeout_at(0, 150.0), &path.window);
    assert_eq!(
        (response.window_after, response.ssthresh),
        (Segments::ONE, path.window.ssthresh)
    );
    path.window.apply(response);
    path.repairing = Repairing::Timeout;
    path.within(ms(1000));
    path.expect_cwnd(4.0);
    path.within(ms(10));
    path.expect_cwnd(5.0);
    path.repairing = Repairing::Nothing;
    path.within(ms(10));
    path.expect_cwnd(151.0);
}

fn take_back(path: &mut Path) {
    let spurious = SpuriousEvent {
        now: path.now,
        outstanding: Segments(100.0),
    };
    path.law.on_spurious(&spurious, &mut path.window);
}

#[test]
fn a_probe_that_ended_by_mistake_begins_again() {
    let mut path = Path::up();
    path.law.bounds.long_term = Some(Segments(300.0));
    path.window.cwnd = Segments(222.0);
    path.lose(1, 150_000, 4000);
    path.lose(1, 150_000, 5000);
    path.window.cwnd = Segments(90.0);
    path.within(ms(1));
    assert_eq!(path.phase(), Phase::Cruise);
    take_back(&mut path);
    assert_eq!(path.phase(), Phase::Refill);
    assert_eq!(path.law.bounds.long_term, Some(Segments(300.0)));
    path.expect_cwnd(222.0);
    // Once.
    path.law.phase = Phase::Cruise;
    take_back(&mut path);
    assert_eq!(path.phase(), Phase::Cruise);
}

#[test]
fn a_recovery_of_its_own_does_not_begin_a_probe_again() {
    let mut path = Path::up();
    path.lose(1, 150_000, 4000);
    path.within(ms(1));
    // The probe's losses were real; those of the next recovery are none.
    path.law.on_loss(&loss_at(0, 190.0, 0, 190), &path.window);
    path.lose_one();
    take_back(&mut path);
    assert_eq!(path.phase(), Phase::Cruise);
}

#[test]
fn a_startup_that_ended_by_mistake_goes_on() {
    let mut path = Path::new();
    path.flight = 5 * BDP;
    path.round();
    path.rate *= 2;
    for _ in 0..6 {
        path.lose(1, 5 * BDP, 20_000);
    }
    path.repairing = Repairing::Loss;
    path.lost_meanwhile = 20_000;
    path.round();
    assert!(matches!(path.phase(), Phase::Drain(_)));
    path.lose(1, 5 * BDP, 20_000);
    take_back(&mut path);
    assert_eq!(path.phase(), Phase::Startup);
    assert_eq!(path.law.bounds, Bounds::default());
    assert!(!path.law.was_full);
}

#[test]
fn what_losses_between_probes_have_taught_is_taken_back() {
    let mut path = Path::cruise();
    path.rate = BDP / 2;
    path.lose_one();
    path.round();
    assert_ne!(path.law.bounds, Bounds::default());
    take_back(&mut path);
    assert_eq!(path.law.bounds, Bounds::default());
    assert_eq!(path.phase(), Phase::Cruise);
}

#[test]
fn a_mark_changes_nothing() {
    let mut path = Path::cruise();
    let response = path.law.on_ecn(&loss_at(0, 20.0, 0, 20), &path.window);
    assert_eq!(response, Response::unchanged(&path.window));
}

#[test]
fn without_sack_any_loss_of_a_probe_is_too_much() {
    let mut path = Path::up();
    path.law.sack = false;
    path.lose(1, 150_000, 1000);
    assert_eq!(path.phase(), Phase::Down);
}
