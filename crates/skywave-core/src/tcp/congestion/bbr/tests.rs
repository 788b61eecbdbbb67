//! The draft's rules, phase by phase, with ACKs as a path would send them.

use super::phase::Cycle;
use super::*;
use crate::tcp::congestion::path::testing::{MSS, OnPath, ms, setup};
use crate::tcp::testing::{ack_at, assert_near, loss_at, timeout_at, window};
use crate::time::Duration;

/// Bytes that the path delivers in its round trip of 100 ms: ten segments, 800 kb/s.
const BDP: u64 = 10_000;

/// A sender on a path of 100 ms.
type Path = OnPath<Bbr>;

impl Path {
    fn new() -> Self {
        Self::of(Bbr::new(&setup("bbr")), window(10.0, 1e6), 10)
    }

    fn phase(&self) -> Phase {
        self.law.phase
    }

    /// The sender after STARTUP and DRAIN.
    fn probing() -> Self {
        let mut path = Self::new();
        for _ in 0..10 {
            path.round();
        }
        assert!(matches!(path.phase(), Phase::ProbeBw(_)));
        path
    }

    fn at(mut self, index: usize) -> Self {
        let since = self.now;
        self.law.phase = Phase::ProbeBw(Cycle { index, since });
        self
    }

    fn index(&self) -> usize {
        match self.phase() {
            Phase::ProbeBw(cycle) => cycle.index,
            other => panic!("in {other:?}"),
        }
    }
}

#[test]
fn the_first_pace_is_the_initial_window_in_a_millisecond() {
    let path = Path::new();
    // 10 segments of 1000 bytes in 1 ms are 80 Mb/s.
    path.expect_pace(80.0 * 2.885 * 0.99);
    assert!(path.law.facts().owns_window && path.law.facts().needs_rate);
}

#[test]
fn the_first_round_trip_slows_the_first_pace_down() {
    let mut path = Path::new();
    path.rate = 1000;
    path.take_ack(1, ms(100), 0);
    // 10 segments, before this ACK, in 100 ms.
    path.expect_pace(0.8 * 2.885 * 0.99);
}

#[test]
fn startup_doubles_and_ends_after_three_rounds_without_a_quarter_more() {
    let mut path = Path::new();
    path.flight = 100 * BDP;
    for _ in 0..5 {
        path.rate *= 2;
        path.round();
        assert_eq!(path.phase(), Phase::Startup);
        let rate = path.rate as f64 * 80.0 / 1e6;
        path.expect_pace(rate * 2.885 * 0.99);
    }
    let cwnd = path.window.cwnd;
    for _ in 0..2 {
        path.rate = path.rate * 10 / 9;
        path.round();
        assert_eq!(path.phase(), Phase::Startup);
    }
    assert!(path.window.cwnd > cwnd);
    path.round();
    assert_eq!(
        path.phase(),
        Phase::Drain,
        "less than 25 % for three rounds"
    );
}

#[test]
fn growth_by_a_quarter_goes_on_counting() {
    let mut path = Path::new();
    path.flight = 100 * BDP;
    for _ in 0..10 {
        path.round();
        path.round();
        path.rate = path.rate * 5 / 4 + 1;
        path.round();
        assert_eq!(path.phase(), Phase::Startup);
    }
}

#[test]
fn a_round_in_which_the_application_had_too_little_says_nothing_of_the_pipe() {
    let mut path = Path::new();
    path.round();
    path.app_limited = true;
    for _ in 0..10 {
        path.round();
    }
    assert_eq!(path.phase(), Phase::Startup);
}

#[test]
fn drain_lasts_until_no_more_than_the_bdp_is_in_flight() {
    let mut path = Path::new();
    path.flight = 20 * u64::from(MSS);
    for _ in 0..4 {
        path.round();
    }
    assert_eq!(path.phase(), Phase::Drain);
    path.expect_pace(0.8 * 0.99 / 2.885);
    // The BDP of ten segments, and three bursts: of two at the pace of STARTUP, of one at that of DRAIN.
    assert_near(path.window.ssthresh.0, 16.0, "ssthresh");
    path.flight = 15 * u64::from(MSS);
    path.within(ms(1));
    assert_eq!(path.phase(), Phase::Drain);
    path.flight = 14 * u64::from(MSS);
    path.within(ms(1));
    assert!(matches!(path.phase(), Phase::ProbeBw(_)));
}

#[test]
fn a_cycle_is_a_quarter_more_a_quarter_less_and_six_round_trips() {
    let mut path = Path::probing().at(0);
    // Enough to be seen as a full probe; too much for the drained phase to end early.
    path.flight = 40 * u64::from(MSS);
    let mut gains = Vec::new();
    for _ in 0..8 {
        path.within(ms(1));
        gains.push(path.law.pace.rate().as_bps() as f64 / 0.8e6 / 0.99);
        path.within(ms(100));
    }
    for (gain, expected) in gains.iter().zip([1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]) {
        assert!((gain - expected).abs() < 1e-5, "{gains:?}");
    }
    assert_eq!(path.index(), 0);
}

#[test]
fn a_probe_lasts_until_it_is_in_flight_or_something_is_lost() {
    let mut path = Path::probing().at(0);
    path.flight = 10 * u64::from(MSS);
    path.within(ms(500));
    assert_eq!(path.index(), 0, "1.25 BDPs were never in flight");
    path.lost = 1.0;
    path.within(ms(1));
    assert_eq!(path.index(), 1);
}

#[test]
fn the_phase_after_it_ends_as_soon_as_the_queue_is_gone() {
    let mut path = Path::probing().at(1);
    path.flight = 20 * u64::from(MSS);
    path.within(ms(10));
    assert_eq!(path.index(), 1);
    path.flight = 14 * u64::from(MSS);
    path.within(ms(10));
    assert_eq!(path.index(), 2);
}

#[test]
fn the_cycle_begins_anywhere_but_where_it_drains() {
    let mut seen = [0; 8];
    for step in 0..1000 {
        let mut path = Path::new();
        path.now += Duration::from_nanos(step);
        for _ in 0..4 {
            path.round();
        }
        seen[path.index()] += 1;
    }
    assert_eq!(seen[1], 0, "{seen:?}");
    let others = seen.iter().enumerate().filter(|(index, _)| *index != 1);
    assert!(others.map(|(_, n)| n).all(|n| *n > 100), "{seen:?}");
}

#[test]
fn a_rate_counts_for_ten_round_trips_more() {
    let mut path = Path::probing();
    path.rate = 2 * BDP;
    path.round();
    path.rate = BDP;
    for _ in 0..10 {
        path.round();
        assert_eq!(path.law.bandwidth.get(), Rate::from_bps(1_600_000));
    }
    path.round();
    assert_eq!(path.law.bandwidth.get(), Rate::from_bps(800_000));
}

#[test]
fn many_acks_of_one_round_trip_are_one_round() {
    let mut path = Path::probing();
    path.rate = 2 * BDP;
    path.round();
    path.rate = BDP;
    for _ in 0..100 {
        path.within(ms(1));
    }
    assert_eq!(path.law.bandwidth.get(), Rate::from_bps(1_600_000));
}

#[test]
fn a_sample_of_an_application_with_too_little_counts_only_if_it_shows_more() {
    let mut path = Path::probing();
    path.app_limited = true;
    path.rate = BDP / 10;
    for _ in 0..30 {
        path.round();
    }
    assert_eq!(path.law.bandwidth.get(), Rate::from_bps(800_000));
    path.rate = 2 * BDP;
    path.round();
    assert_eq!(path.law.bandwidth.get(), Rate::from_bps(1_600_000));
}

#[test]
fn a_sample_shorter_than_a_round_trip_is_none() {
    let mut path = Path::probing();
    let rounds = path.law.rounds.count();
    let sample = RateSample {
        delivered: 100 * BDP,
        interval: ms(1),
        send_elapsed: Duration::ZERO,
        receiver_time: None,
        prior_delivered: path.delivered,
        total_delivered: path.delivered + 1000,
        flight_at_send: 1000,
        flight_before: 1000,
        flight_now: 1000,
        lost: 0,
        rtt: None,
        app_limited: false,
        too_short: true,
        of_original: false,
    };
    let event = AckEvent {
        rate: Some(sample),
        ..ack_at(3000.0, 1.0)
    };
    path.law.grow(&event, &mut path.window);
    assert_eq!(path.law.rounds.count(), rounds);
    assert_eq!(path.law.bandwidth.get(), Rate::from_bps(800_000));
}

/// A path whose smallest round trip was seen ten seconds ago.
fn with_old_rtt(flight: u64) -> Path {
    let mut path = Path::probing();
    path.flight = flight * u64::from(MSS);
    path.rtt = ms(150);
    for _ in 0..99 {
        path.take_ack(1, ms(100), 0);
    }
    path
}

#[test]
fn after_ten_seconds_four_segments_show_the_round_trip() {
    let mut path = with_old_rtt(14);
    let cwnd = path.window.cwnd;
    assert_eq!(path.law.min_rtt.get(), ms(100));
    path.within(ms(101));
    assert_eq!(path.phase(), Phase::ProbeRtt(None));
    assert_eq!(path.law.min_rtt.get(), ms(150), "the latest one");
    assert_near(path.window.cwnd.0, 4.0, "cwnd");
    path.expect_pace(0.8 * 0.99);
    // 200 ms, and a round trip, count from when few are in flight.
    path.within(ms(300));
    assert_eq!(path.phase(), Phase::ProbeRtt(None));
    path.flight = 4 * u64::from(MSS);
    path.rtt = ms(100);
    path.within(ms(10));
    assert!(matches!(path.phase(), Phase::ProbeRtt(Some(_))));
    path.take_ack(1, ms(150), 0);
    assert!(path.phase().is_probe_rtt(), "a round trip, but no 200 ms");
    path.within(ms(51));
    assert!(matches!(path.phase(), Phase::ProbeBw(_)));
    assert_eq!(path.law.min_rtt.get(), ms(100));
    assert_near(path.window.cwnd.0, cwnd.0, "cwnd");
}

#[test]
fn it_also_lasts_a_round_trip() {
    let mut path = with_old_rtt(4);
    path.within(ms(101));
    for _ in 0..10 {
        path.within(ms(100));
        assert!(path.phase().is_probe_rtt(), "1 s, but no round trip");
    }
    path.take_ack(1, ms(1), 0);
    assert!(!path.phase().is_probe_rtt());
}

#[test]
fn the_few_segments_in_flight_then_say_nothing_of_the_path() {
    let mut path = with_old_rtt(14);
    path.within(ms(101));
    path.rate = BDP / 10;
    for _ in 0..40 {
        path.take_ack(1, ms(10), 0);
    }
    assert_eq!(path.law.bandwidth.get(), Rate::from_bps(800_000));
}

#[test]
fn a_smaller_round_trip_counts_at_once() {
    let mut path = Path::probing();
    path.rtt = ms(50);
    path.within(ms(10));
    assert_eq!(path.law.min_rtt.get(), ms(50));
}

#[test]
fn an_ack_that_may_have_been_kept_back_is_no_smallest_round_trip() {
    let mut path = with_old_rtt(1);
    path.within(ms(101));
    assert_eq!(path.law.min_rtt.get(), ms(100));
}

#[test]
fn in_steady_state_two_bdps_and_three_bursts_are_in_flight() {
    let mut path = Path::probing().at(2);
    path.law.aggregation = Aggregation::default();
    for _ in 0..100 {
        path.within(ms(10));
    }
    let lump = path
        .law
        .aggregation
        .allowance(path.law.delivers.in_silence());
    assert!(lump <= Segments(2.0), "{lump:?}");
    assert!(
        (23.0..=28.0).contains(&path.window.cwnd.0),
        "{:?}",
        path.window.cwnd
    );
}

#[test]
fn the_window_is_wider_by_the_largest_lump_of_acks() {
    let mut path = Path::probing().at(2);
    path.law.aggregation = Aggregation::default();
    path.window.cwnd = Segments(30.0);
    path.within(ms(10));
    // Eight segments arrive at once on a path that delivers one in 10 ms.
    path.take_ack(8, ms(10), 1_000_000);
    let allowance = |path: &Path| {
        path.law
            .aggregation
            .allowance(path.law.delivers.in_silence())
    };
    assert_near(allowance(&path).0, 8.0, "allowance");
    path.take_ack(40, ms(10), 1_000_000);
    assert_near(allowance(&path).0, 10.0, "allowance: 100 ms of the rate");
    // The sender forgets this after five to ten round trips.
    for _ in 0..10 {
        path.take_ack(1, ms(10_000), 0);
    }
    assert!(allowance(&path) <= Segments::ONE);
}

#[test]
fn in_the_first_round_of_a_recovery_as_much_is_sent_as_arrives() {
    let mut path = Path::probing().at(2);
    path.within(ms(1));
    let before = path.window.cwnd;
    let response = path.law.on_loss(&loss_at(0, 20.0, 0, 20), &path.window);
    assert_eq!(
        (response.window_after, response.ssthresh),
        (before, path.window.ssthresh)
    );
    path.repairing = Repairing::Loss;
    path.lost = 2.0;
    path.flight = 9 * u64::from(MSS);
    path.within(ms(10));
    assert_near(
        path.window.cwnd.0,
        10.0,
        "nine in flight and one that arrived",
    );
    path.lost = 0.0;
    path.flight = 8 * u64::from(MSS);
    path.within(ms(10));
    assert_near(path.window.cwnd.0, 10.0, "cwnd");
    path.lost = 1.0;
    path.within(ms(10));
    assert_near(
        path.window.cwnd.0,
        9.0,
        "eight in flight and one that arrived",
    );
    // From the second round on it grows by the segments that arrive.
    path.lost = 0.0;
    path.take_ack(1, ms(10), 0);
    assert_near(path.window.cwnd.0, 10.0, "cwnd");
    path.within(ms(10));
    assert_near(path.window.cwnd.0, 11.0, "cwnd");
    // Afterwards the previous window comes back.
    path.repairing = Repairing::Nothing;
    path.within(ms(10));
    assert!(
        path.window.cwnd >= before - Segments::ONE,
        "{:?}",
        path.window.cwnd
    );
}

#[test]
fn after_a_timeout_the_window_starts_with_one_segment_and_comes_back() {
    let mut path = Path::probing().at(2);
    path.within(ms(1));
    let before = path.window.cwnd;
    let response = path.law.on_timeout(&timeout_at(0, 20.0), &path.window);
    assert_eq!(
        (response.window_after, response.ssthresh),
        (Segments::ONE, path.window.ssthresh)
    );
    path.window.apply(response);
    path.repairing = Repairing::Timeout;
    path.lost = 20.0;
    path.within(ms(1000));
    assert_near(path.window.cwnd.0, 4.0, "the least window");
    path.lost = 0.0;
    path.within(ms(10));
    assert_near(path.window.cwnd.0, 5.0, "cwnd");
    path.repairing = Repairing::Nothing;
    path.within(ms(10));
    assert!(
        path.window.cwnd >= before - Segments::ONE,
        "{:?}",
        path.window.cwnd
    );
    path.expect_pace(0.8 * 0.99);
}

#[test]
fn a_mark_changes_nothing() {
    let mut path = Path::probing();
    let response = path.law.on_ecn(&loss_at(0, 20.0, 0, 20), &path.window);
    assert_eq!(response, Response::unchanged(&path.window));
}

#[test]
fn after_a_pause_it_goes_on_at_the_measured_rate() {
    let mut path = Path::probing().at(0);
    path.within(ms(1));
    let idle = IdleEvent {
        now: path.now + Duration::from_secs(20),
        idle: Duration::from_secs(20),
        initial_window: Segments(10.0),
    };
    let before = path.window;
    path.law.on_idle_restart(&idle, &mut path.window);
    assert_eq!(path.window, before);
    path.expect_pace(0.8 * 0.99);
    // The pipe has already been empty: the sender need not empty it to measure the round trip.
    path.within(Duration::from_secs(20));
    assert!(matches!(path.phase(), Phase::ProbeBw(_)));
}

#[test]
fn a_connection_that_begins_late_does_not_begin_with_probe_rtt() {
    let mut path = Path::new();
    path.now += Duration::from_secs(100);
    path.round();
    assert_eq!(path.phase(), Phase::Startup);
}

#[test]
fn a_burst_is_a_millisecond_of_the_pace() {
    let mut bbr = Bbr::new(&setup("bbr"));
    let mut quantum = |bps| {
        bbr.pace.set(Rate::from_bps(bps));
        bbr.send_quantum()
    };
    assert_eq!(quantum(1_000_000), Some(1000));
    assert_eq!(quantum(2_000_000), Some(2000));
    assert_eq!(quantum(80_000_000), Some(10_000));
    assert_eq!(quantum(10_000_000_000), Some(65_000));
}
