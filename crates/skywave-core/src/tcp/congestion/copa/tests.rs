//! The paper's rules (section 2), one by one.

use super::*;
use crate::tcp::congestion::path::testing::{Acks, MSS, ms, setup};
use crate::tcp::testing::{assert_near, loss_at, timeout_at, window};
use crate::time::Time;

/// A sender on a path of 100 ms.
struct Path {
    copa: Copa,
    window: Window,
    acks: Acks,
    /// Smoothed round trip.
    srtt: Duration,
}

impl Path {
    /// With a window of so many segments, of which `config` says what becomes.
    fn with(config: CopaConfig, cwnd: f64) -> Self {
        let mut path = Self {
            copa: Copa::new(config, &setup("copa")),
            window: window(cwnd, 1e6),
            acks: Acks::new(100_000),
            srtt: ms(100),
        };
        path.acks.flight = cwnd as u64 * u64::from(MSS);
        path
    }

    /// Past slow start, with the smallest round trip of 100 ms known, and a queue of 10 ms.
    fn following(cwnd: f64) -> Self {
        let mut path = Self::with(CopaConfig::DEFAULT, cwnd);
        path.within(1, 100);
        path.within(60, 110);
        path.copa.slow_start = false;
        path.copa.velocity = Velocity::starting_at(Segments(cwnd));
        path.window.cwnd = Segments(cwnd);
        path
    }

    fn ack(&mut self, segments: u64, after: u64, rtt: u64, age: u64) {
        self.acks.rtt = ms(rtt);
        let mut event = self.acks.ack(segments, ms(after), age);
        event.srtt = Some(self.srtt);
        self.copa.grow(&event, &mut self.window);
    }

    /// An ACK in the middle of a round trip, `after` ms, that took `rtt` ms.
    fn within(&mut self, after: u64, rtt: u64) {
        self.ack(1, after, rtt, 1_000_000_000);
    }

    /// An ACK that ends a round trip.
    fn round(&mut self, after: u64, rtt: u64) {
        self.ack(1, after, rtt, 0);
    }

    fn cwnd(&self) -> f64 {
        self.window.cwnd.0
    }
}

#[test]
fn an_ack_moves_the_window_towards_the_target_rate() {
    // A queue of 10 ms: the target is 1/(0.5 · 10 ms) = 200 segments a second, 22 in 110 ms.
    let mut path = Path::following(21.0);
    path.within(1, 110);
    assert_near(path.cwnd(), 21.0 + 1.0 / (0.5 * 21.0), "cwnd below it");
    let mut path = Path::following(23.0);
    path.within(1, 110);
    assert_near(path.cwnd(), 23.0 - 1.0 / (0.5 * 23.0), "cwnd above it");
    path.ack(3, 1, 110, 1_000_000_000);
    let from = 23.0 - 1.0 / (0.5 * 23.0);
    assert_near(
        path.cwnd(),
        from - 3.0 / (0.5 * from),
        "an ACK of three segments",
    );
}

#[test]
fn delta_says_how_much_is_queued() {
    let config = CopaConfig {
        delta: 0.1,
        ..CopaConfig::DEFAULT
    };
    // 1/(0.1 · 10 ms): 110 segments in 110 ms.
    for (cwnd, up) in [(109.0, true), (111.0, false)] {
        let mut path = Path::with(config, cwnd);
        path.within(1, 100);
        path.within(60, 110);
        path.copa.slow_start = false;
        path.window.cwnd = Segments(cwnd);
        path.within(1, 110);
        let step = 1.0 / (0.1 * cwnd);
        assert_near(
            path.cwnd(),
            if up { cwnd + step } else { cwnd - step },
            "cwnd",
        );
    }
}

#[test]
fn without_a_queue_the_window_grows() {
    let mut path = Path::following(1000.0);
    path.within(60, 100);
    assert!(path.cwnd() > 1000.0);
}

#[test]
fn slow_start_adds_what_arrives_until_the_rate_is_above_the_target() {
    let mut path = Path::with(CopaConfig::DEFAULT, 10.0);
    path.within(1, 100);
    path.ack(5, 1, 100, 1_000_000_000);
    assert_near(path.cwnd(), 16.0, "cwnd");
    path.acks.flight = 16_000;
    path.within(60, 110);
    assert_near(path.cwnd(), 17.0, "below 22");
    assert!(path.copa.slow_start);
    path.within(60, 130);
    // 1/(0.5 · 30 ms): 8.7 segments in 130 ms.
    assert!(!path.copa.slow_start);
    assert_near(path.cwnd(), 17.0 - 1.0 / (0.5 * 17.0), "cwnd");
    path.within(60, 100);
    let step = 1.0 / (0.5 * (17.0 - 1.0 / 8.5));
    assert_near(path.cwnd(), 17.0 - 1.0 / 8.5 + step, "not slow start again");
}

#[test]
fn the_standing_round_trip_is_the_smallest_of_half_a_round_trip() {
    let mut path = Path::following(20.0);
    path.within(10, 140);
    assert_eq!(path.copa.delays.standing(), ms(110));
    path.within(30, 150);
    assert_eq!(path.copa.delays.standing(), ms(110));
    path.within(11, 145);
    assert_eq!(path.copa.delays.standing(), ms(140));
    assert_eq!(path.copa.delays.queueing(), ms(40));
    path.srtt = ms(20);
    path.within(10, 150);
    assert_eq!(path.copa.delays.standing(), ms(145), "of 10 ms");
}

#[test]
fn the_smallest_round_trip_counts_for_ten_seconds() {
    let mut path = Path::following(20.0);
    path.within(9_000, 120);
    path.within(900, 125);
    assert_eq!(path.copa.delays.queueing(), ms(25));
    path.within(41, 130);
    // 110 ms, seen 60 ms after the 100.
    assert_eq!(path.copa.delays.queueing(), ms(15));
}

#[test]
fn the_longest_one_is_of_four_round_trips() {
    let mut path = Path::following(20.0);
    path.within(1, 200);
    path.within(400, 120);
    assert_eq!(path.copa.delays.swing(), ms(100));
    path.within(1, 110);
    assert_eq!(path.copa.delays.swing(), ms(20));
}

#[test]
fn the_velocity_doubles_from_the_third_round_in_one_direction_on() {
    let mut velocity = Velocity::starting_at(Segments(100.0));
    let step = |velocity: &mut Velocity| velocity.step(0.5, Segments(100.0)) * 50.0;
    let mut cwnd = 100.0;
    for expected in [1.0, 1.0, 2.0, 4.0, 8.0] {
        cwnd += 1.0;
        velocity.on_round(Segments(cwnd));
        assert_near(step(&mut velocity), expected, "velocity");
    }
    for expected in [1.0, 1.0, 2.0] {
        cwnd -= 1.0;
        velocity.on_round(Segments(cwnd));
        assert_near(step(&mut velocity), expected, "velocity after a turn");
    }
}

#[test]
fn a_window_grows_no_faster_than_in_slow_start() {
    let mut velocity = Velocity::starting_at(Segments(10.0));
    for round in 1..50_u8 {
        velocity.on_round(Segments(10.0 + f64::from(round)));
    }
    assert_near(velocity.step(0.5, Segments(100.0)), 1.0, "step");
    velocity.on_round(Segments(0.0));
    assert_near(velocity.step(0.5, Segments(100.0)), 1.0 / 50.0, "step");
}

#[test]
fn the_velocity_turns_with_the_window() {
    let mut path = Path::following(60.0);
    // 110 ms: down towards 22.
    for _ in 0..4 {
        for _ in 0..20 {
            path.within(1, 110);
        }
        path.round(1, 110);
    }
    let before = path.cwnd();
    path.within(1, 110);
    assert_near(before - path.cwnd(), 4.0 / (0.5 * before), "v = 4");
    // In the middle of a round trip.
    let before = path.cwnd();
    path.within(60, 100);
    assert_near(path.cwnd() - before, 1.0 / (0.5 * before), "v = 1");
}

#[test]
fn the_pace_is_two_windows_a_standing_round_trip() {
    let mut path = Path::with(CopaConfig::DEFAULT, 10.0);
    let pace = |path: &Path| path.copa.pacing_rate().expect("a pace").as_bps();
    // The initial window of 10 segments in 1 ms.
    assert_eq!(pace(&path), 160_000_000);
    path.within(1, 100);
    assert_eq!(pace(&path), 11 * 8000 * 20);
    assert!(path.copa.facts().owns_window && path.copa.facts().needs_rate);
}

/// A round trip of 100 ms with a queue of 10 to 50 ms, which is never empty.
fn filled(path: &mut Path) {
    for rtt in [110, 120, 130, 140, 150] {
        path.within(10, rtt);
        path.within(10, rtt);
    }
}

#[test]
fn where_the_queue_is_not_nearly_empty_in_five_round_trips_somebody_fills_it() {
    let mut path = Path::following(22.0);
    for _ in 0..4 {
        filled(&mut path);
        path.round(0, 140);
        assert!(!path.copa.mode.is_competitive());
    }
    filled(&mut path);
    filled(&mut path);
    assert!(path.copa.mode.is_competitive());
    // Longest less smallest is 50 ms: up to 5 ms are nearly nothing.
    path.within(60, 106);
    assert!(path.copa.mode.is_competitive());
    path.within(60, 105);
    assert!(!path.copa.mode.is_competitive());
}

#[test]
fn a_path_whose_round_trip_never_varies_is_empty() {
    let mut path = Path::with(CopaConfig::DEFAULT, 10.0);
    for _ in 0..100 {
        path.within(100, 100);
    }
    assert!(!path.copa.mode.is_competitive());
}

fn competitive() -> Path {
    let mut path = Path::following(22.0);
    for _ in 0..7 {
        filled(&mut path);
    }
    assert!(path.copa.mode.is_competitive());
    assert_near(path.copa.mode.delta(), 0.5, "delta");
    path
}

#[test]
fn beside_others_one_over_delta_grows_by_one_a_round_trip_and_halves_at_a_loss() {
    let mut path = competitive();
    for weight in 3..10 {
        path.round(1, 140);
        assert_near(path.copa.mode.delta(), 1.0 / f64::from(weight), "delta");
    }
    let response = path.copa.on_loss(&loss_at(0, 22.0, 0, 22), &path.window);
    assert_eq!(response.window_after, path.window.cwnd);
    assert_near(path.copa.mode.delta(), 2.0 / 9.0, "delta");
    for _ in 0..3 {
        path.copa.on_loss(&loss_at(0, 22.0, 0, 22), &path.window);
    }
    assert_near(path.copa.mode.delta(), 0.5, "delta at most");
    path.round(1, 140);
    path.within(60, 101);
    assert_near(path.copa.mode.delta(), 0.5, "delta alone");
}

#[test]
fn alone_a_loss_changes_nothing() {
    let mut path = Path::following(22.0);
    let response = path.copa.on_loss(&loss_at(0, 22.0, 0, 22), &path.window);
    assert_eq!(response.window_after, path.window.cwnd);
    path.round(1, 110);
    assert_near(path.copa.mode.delta(), 0.5, "delta");
}

#[test]
fn one_that_does_not_look_for_others_finds_none() {
    let mut path = Path::following(22.0);
    path.copa.mode = Mode::new(CopaConfig {
        competitive: false,
        ..CopaConfig::DEFAULT
    });
    for _ in 0..20 {
        filled(&mut path);
    }
    assert!(!path.copa.mode.is_competitive());
}

#[test]
fn a_window_that_is_not_used_does_not_grow() {
    let mut path = Path::following(21.0);
    path.acks.flight = 10_000;
    path.within(1, 110);
    assert_near(path.cwnd(), 21.0, "cwnd");
    path.acks.flight = 11_000;
    path.within(1, 110);
    assert!(path.cwnd() > 21.0);
}

#[test]
fn the_window_is_two_segments_at_least() {
    let mut path = Path::following(2.1);
    // With the published δ the target alone is two segments.
    path.copa.mode = Mode::new(CopaConfig {
        delta: 5.0,
        ..CopaConfig::DEFAULT
    });
    for _ in 0..10 {
        path.within(60, 1000);
    }
    assert_near(path.cwnd(), 2.0, "cwnd");
}

#[test]
fn a_timeout_begins_with_slow_start_unless_nothing_was_lost() {
    let mut path = Path::following(22.0);
    let response = path.copa.on_timeout(&timeout_at(0, 22.0), &path.window);
    assert_eq!(response.window_after, Segments::ONE);
    path.window.apply(response);
    path.acks.flight = 1000;
    path.within(60, 100);
    assert_near(path.cwnd(), 2.0, "cwnd");
    let spurious = SpuriousEvent {
        now: Time::ZERO,
        outstanding: Segments::ONE,
    };
    path.copa.on_spurious(&spurious, &mut path.window);
    assert_near(path.cwnd(), 22.0, "cwnd");
}

/// The queue of this flow is empty after a pause, but nobody has seen it: five round trips begin again.
#[test]
fn a_pause_is_no_time_in_which_others_fill_the_queue() {
    let mut path = Path::following(22.0);
    let now = path.acks.now + ms(5000);
    path.copa.on_resume(&IdleEvent {
        now,
        idle: ms(5000),
        initial_window: Segments(10.0),
    });
    path.acks.now = now;
    assert!(!path.copa.mode.is_competitive());
    path.within(75, 120);
    assert!(
        !path.copa.mode.is_competitive(),
        "less than five round trips"
    );
}

#[test]
fn a_pause_leaves_the_window() {
    let mut path = Path::following(22.0);
    let idle = IdleEvent {
        now: path.acks.now + ms(5000),
        idle: ms(5000),
        initial_window: Segments(10.0),
    };
    path.copa.on_idle_restart(&idle, &mut path.window);
    assert_near(path.cwnd(), 22.0, "cwnd");
}
