//! STARTUP, DRAIN, PROBE_RTT, and pauses.

use super::*;

#[test]
fn the_first_pace_is_the_initial_window_in_a_millisecond() {
    let mut path = Path::new();
    // 10 segments of 1000 bytes in 1 ms are 80 Mb/s.
    path.expect_pace(80.0 * 2.77 * 0.99);
    let bbr = &path.law;
    assert!(bbr.facts().owns_window && bbr.facts().needs_rate && bbr.facts().needs_losses);
    path.rate = 1000;
    path.take_ack(1, ms(100), 0);
    // 10 segments, before this ACK, in 100 ms.
    path.expect_pace(0.8 * 2.77 * 0.99);
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
        path.expect_pace(rate * 2.77 * 0.99);
    }
    for _ in 0..2 {
        path.rate = path.rate * 10 / 9;
        path.round();
        assert_eq!(path.phase(), Phase::Startup);
    }
    path.round();
    assert!(matches!(path.phase(), Phase::Drain(_)));
    path.expect_pace(path.rate as f64 * 80.0 / 1e6 * 0.5 * 0.99);
}

#[test]
fn in_startup_the_window_grows_up_to_two_bdps() {
    let mut path = Path::new();
    for _ in 0..2 {
        path.round();
    }
    // What arrives is added while the window is below 2 BDPs and the largest lump, and not beyond it.
    path.expect_cwnd(210.0);
    path.within(ms(1));
    path.expect_cwnd(211.0);
    path.window.cwnd = Segments(400.0);
    path.within(ms(1));
    path.expect_cwnd(400.0);
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

/// A round trip of STARTUP that loses segments in `ranges` places, and `lost` bytes in all; the rate
/// doubles.
fn lossy_startup(ranges: u64, lost: u64, repairing: Repairing) -> Path {
    let mut path = Path::new();
    path.flight = 5 * BDP;
    path.round();
    path.rate *= 2;
    path.round();
    path.rate *= 2;
    for _ in 0..ranges {
        path.lose(1, 5 * BDP, lost);
        // The segment behind it too: the same range.
        path.lose(0, 5 * BDP, lost);
    }
    path.repairing = repairing;
    path.lost_meanwhile = lost;
    path.within(ms(1));
    assert_eq!(path.phase(), Phase::Startup, "no round trip with losses");
    path.round();
    path
}

#[test]
fn startup_ends_when_a_round_loses_more_than_two_percent_in_six_places() {
    let path = lossy_startup(6, 10_001, Repairing::Loss);
    assert!(matches!(path.phase(), Phase::Drain(_)));
    // The BDP at the rate of the round: 400 segments.
    assert_eq!(path.law.bounds.long_term, Some(Segments(400.0)));
    let phase = |ranges, lost, repairing| lossy_startup(ranges, lost, repairing).phase();
    assert_eq!(phase(5, 10_001, Repairing::Loss), Phase::Startup);
    assert_eq!(phase(6, 10_000, Repairing::Loss), Phase::Startup);
    assert_eq!(phase(6, 10_001, Repairing::Nothing), Phase::Startup);
}

#[test]
fn the_places_are_counted_anew_in_each_round() {
    let mut path = lossy_startup(5, 10_001, Repairing::Loss);
    path.rate *= 2;
    path.lose_one();
    path.round();
    assert_eq!(path.phase(), Phase::Startup);
}

#[test]
fn drain_lasts_until_no_more_than_the_bdp_is_in_flight() {
    let mut path = Path::new();
    path.flight = 200 * u64::from(MSS);
    for _ in 0..4 {
        path.round();
    }
    assert!(matches!(path.phase(), Phase::Drain(_)));
    path.expect_pace(8.0 * 0.5 * 0.99);
    path.flight = 101 * u64::from(MSS);
    path.within(ms(1));
    assert!(matches!(path.phase(), Phase::Drain(_)));
    path.flight = 100 * u64::from(MSS);
    path.within(ms(1));
    assert_eq!(path.phase(), Phase::Cruise);
    path.expect_pace(8.0 * 0.99);
}

#[test]
fn drain_lasts_three_round_trips_at_most() {
    let mut path = Path::new();
    path.flight = 200 * u64::from(MSS);
    for _ in 0..7 {
        path.round();
    }
    assert!(matches!(path.phase(), Phase::Drain(_)));
    path.round();
    assert_eq!(path.phase(), Phase::Down);
}

/// A path whose smallest round trip was seen five seconds ago.
fn with_old_rtt() -> Path {
    let mut path = Path::cruise();
    path.rtt = ms(150);
    path.law.bounds.bandwidth = Some(Rate::from_bps(7_900_000));
    for _ in 0..4 {
        // No probe is due in so few round trips and so short a time.
        path.law.probing = Probing::default();
        path.law.start_down(path.acks.now);
        path.within(ms(1000));
    }
    path.law.phase = Phase::Cruise;
    path.law.start_down(path.acks.now);
    path.law.bounds.bandwidth = None;
    path.law.phase = Phase::Cruise;
    path
}

#[test]
fn after_five_seconds_half_a_bdp_shows_the_round_trip() {
    let mut path = with_old_rtt();
    let cwnd = path.window.cwnd;
    path.within(ms(1000));
    assert_eq!(path.phase(), Phase::ProbeRtt(None));
    assert_eq!(path.law.min_rtt.get(), Some(ms(100)), "of ten seconds");
    path.expect_cwnd(50.0);
    path.expect_pace(8.0 * 0.99);
    // 200 ms, and a round trip, count from when few are in flight.
    path.within(ms(300));
    assert_eq!(path.phase(), Phase::ProbeRtt(None));
    path.flight = 50 * u64::from(MSS);
    path.within(ms(10));
    assert!(matches!(path.phase(), Phase::ProbeRtt(Some(_))));
    path.take_ack(1, ms(150), 0);
    assert!(path.phase().is_probe_rtt(), "a round trip, but no 200 ms");
    path.law.bounds.bandwidth = Some(Rate::from_bps(1));
    path.within(ms(51));
    assert_eq!(path.phase(), Phase::Cruise);
    assert_eq!(path.law.bounds.bandwidth, None);
    assert!(path.window.cwnd >= cwnd, "{:?}", path.window.cwnd);
}

#[test]
fn it_also_lasts_a_round_trip() {
    let mut path = with_old_rtt();
    path.flight = 50 * u64::from(MSS);
    path.within(ms(1000));
    for _ in 0..10 {
        path.within(ms(100));
        assert!(path.phase().is_probe_rtt(), "1 s, but no round trip");
    }
    path.take_ack(1, ms(1), 0);
    assert_eq!(path.phase(), Phase::Cruise);
}

#[test]
fn the_few_segments_in_flight_then_say_nothing_of_the_path() {
    let mut path = with_old_rtt();
    path.within(ms(1000));
    path.rate = BDP / 10;
    // The samples end the feedback of two cycles, with nothing but what was sent in between.
    path.flight = 50 * u64::from(MSS);
    for _ in 0..2 {
        path.within(ms(100));
    }
    path.law.cycles += 2;
    path.take_ack(1, ms(100), 0);
    assert_eq!(path.law.max_bandwidth.get(), Rate::from_bps(8_000_000));
}

#[test]
fn a_smaller_round_trip_postpones_the_look_for_one() {
    let mut path = with_old_rtt();
    path.rtt = ms(99);
    path.within(ms(500));
    path.within(ms(500));
    assert!(!path.phase().is_probe_rtt());
    assert_eq!(path.law.min_rtt.get(), Some(ms(99)));
}

#[test]
fn the_smallest_round_trip_counts_for_ten_seconds() {
    let mut min = MinRtt::default();
    let at = |s| Time::ZERO + Duration::from_secs(s);
    min.update(at(1), Some(ms(100)));
    assert!(!min.update(at(6), Some(ms(150))));
    assert!(min.update(at(7), Some(ms(150))));
    assert_eq!(min.get(), Some(ms(100)));
    min.confirm(at(7));
    assert!(!min.update(at(11), Some(ms(160))));
    assert_eq!(min.get(), Some(ms(100)));
    min.update(at(12), Some(ms(160)));
    assert_eq!(min.get(), Some(ms(150)), "the smallest one since the look");
}

#[test]
fn probe_rtt_during_startup_leads_back_to_it() {
    let mut path = Path::new();
    path.flight = 4 * u64::from(MSS);
    path.round();
    path.rtt = ms(150);
    path.within(ms(5001));
    assert!(matches!(path.phase(), Phase::ProbeRtt(Some(_))));
    path.take_ack(1, ms(201), 0);
    assert_eq!(path.phase(), Phase::Startup);
}

#[test]
fn after_a_pause_it_goes_on_at_the_measured_rate() {
    let mut path = Path::up();
    let idle = IdleEvent {
        now: path.now + Duration::from_secs(20),
        idle: Duration::from_secs(20),
        initial_window: Segments(10.0),
    };
    path.expect_pace(8.0 * 1.25 * 0.99);
    let before = path.window;
    path.law.on_idle_restart(&idle, &mut path.window);
    assert_eq!(path.window, before);
    path.expect_pace(8.0 * 0.99);
    // The pipe has been empty: no need to empty it for the round trip.
    path.within(Duration::from_secs(20));
    assert!(!path.phase().is_probe_rtt());
}

#[test]
fn a_connection_that_begins_late_does_not_begin_with_probe_rtt() {
    let mut path = Path::new();
    path.now += Duration::from_secs(100);
    path.round();
    assert_eq!(path.phase(), Phase::Startup);
}
