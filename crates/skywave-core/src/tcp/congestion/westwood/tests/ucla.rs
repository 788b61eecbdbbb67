//! The rules of UCLA's module for ns-2 that are not the paper's, one by one.

use super::*;

fn ucla() -> Westwood {
    of(WestwoodConfig::UCLA)
}

#[test]
fn after_zeros_the_sample_is_over_the_time_that_they_leave() {
    let mut w = of(WestwoodConfig {
        tau: Duration::from_secs(1),
        filter: BandwidthFilter::Ns2,
        ..WestwoodConfig::DEFAULT
    });
    ack(&mut w, 0.0, 1.0);
    ack(&mut w, 100.0, 1.0);
    // τ = 1 s: αₖ = (2 − Δ) / (2 + Δ).
    let first = 10.0 * 0.1 / 2.1;
    assert_near(w.estimate, first, "the first sample");
    // 0.7 s without an ACK: a zero for 0.5 s, then one segment in 0.2 s.
    ack(&mut w, 800.0, 1.0);
    let zero = first * 1.5 / 2.5 + 10.0 * 0.5 / 2.5;
    assert_near(w.estimate, zero * 1.8 / 2.2 + 5.0 * 0.2 / 2.2, "BWE");
}

#[test]
fn a_rest_below_ten_milliseconds_belongs_to_a_whole_interval() {
    let after = |gap: f64| {
        let mut w = ucla();
        ack(&mut w, 0.0, 1.0);
        ack(&mut w, gap, 1.0);
        w.last_sample
    };
    assert_near(after(505.0), 1.0 / 0.505, "not 1 / 0.005");
    assert_near(after(1009.0), 1.0 / 0.509, "nor 1 / 0.009");
    assert_near(after(510.0), 1.0 / 0.010, "ten are enough");
    assert_near(after(5.0), 1.0 / 0.005, "without zeros any time is");
}

#[test]
fn the_filter_per_ack_has_fixed_weights_and_no_zeros() {
    let mut w = of(WestwoodConfig {
        filter: BandwidthFilter::PerAck,
        ..WestwoodConfig::DEFAULT
    });
    ack(&mut w, 0.0, 1.0);
    ack(&mut w, 10.0, 1.0);
    assert_near(w.estimate, 0.0476 * 100.0, "the first");
    ack(&mut w, 10_010.0, 1.0);
    let second = 0.9047 * 4.76 + 0.0476 * (0.1 + 100.0);
    assert_near(w.estimate, second, "after ten seconds");
}

#[test]
fn the_smallest_round_trip_is_in_whole_ticks_the_handshakes_included() {
    let mut w = ucla();
    let at = |ms: u64| Time::ZERO + Duration::from_millis(ms);
    // From 1003 to 1208 ms a clock of 10 ms ticks twenty times, from 1207 to 1412 twenty-one times.
    w.on_open(at(1208), Some(Duration::from_millis(205)));
    assert_eq!(w.rtt_min, Duration::from_millis(200));
    let timed = |ms: f64, rtt: u64| AckEvent {
        rtt: Some(Duration::from_millis(rtt)),
        ..ack_at(ms, 1.0)
    };
    take_ack(&mut w, &timed(1412.0, 205), &mut window(10.0, 5.0));
    assert_eq!(w.rtt_min, Duration::from_millis(200));
    take_ack(&mut w, &timed(1612.0, 195), &mut window(10.0, 5.0));
    assert_eq!(w.rtt_min, Duration::from_millis(200), "twenty ticks again");
    take_ack(&mut w, &timed(1812.0, 191), &mut window(10.0, 5.0));
    assert_eq!(w.rtt_min, Duration::from_millis(190));
    // What segments take that are not timed does not count.
    ack(&mut w, 2000.0, 1.0);
    assert_eq!(w.rtt_min, Duration::from_millis(190));

    let mut published = westwood(false);
    published.on_open(at(1208), Some(Duration::from_millis(205)));
    assert_eq!(published.rtt_min, Duration::MAX);
}

/// What the path carries is 12.5 segments, or a little less.
fn on_a_path() -> Westwood {
    Westwood {
        estimate: 125.0,
        rtt_min: Duration::from_millis(100),
        ..ucla()
    }
}

#[test]
fn the_threshold_is_whole_and_the_window_falls_to_it() {
    let r = on_a_path().on_loss(&loss_at(0, 40.0, 1, 2), &window(40.0, 50.0));
    assert_eq!(
        (r.ssthresh, r.window_after),
        (Segments(12.0), Segments(12.0))
    );
    // It may be above the window, which does not rise to it.
    let r = on_a_path().on_loss(&loss_at(0, 8.5, 1, 2), &window(8.5, 4.0));
    assert_eq!(
        (r.ssthresh, r.window_after),
        (Segments(12.0), Segments(8.5))
    );
}

#[test]
fn timeouts_below_the_threshold_divide_it_by_one_to_four() {
    let mut w = on_a_path();
    let slow_start = window(1.0, 12.0);
    for threshold in [12.0, 6.0, 4.0, 3.0, 3.0] {
        let r = w.on_timeout(&timeout_at(0, 1.0), &slow_start);
        assert_eq!(r.ssthresh, Segments(threshold));
        assert_eq!(r.window_after, Segments::ONE);
    }
    // A loss that duplicate ACKs find there counts a quarter, and its own threshold is not divided.
    let mut w = on_a_path();
    for _ in 0..4 {
        let r = w.on_loss(&loss_at(0, 5.0, 1, 2), &window(5.0, 12.0));
        assert_eq!(r.ssthresh, Segments(12.0));
    }
    let r = w.on_timeout(&timeout_at(0, 5.0), &slow_start);
    assert_eq!(r.ssthresh, Segments(6.0), "1 + 4 / 4");
    // One at or above the threshold begins anew.
    let r = w.on_timeout(&timeout_at(0, 20.0), &window(20.0, 20.0));
    assert_eq!(r.ssthresh, Segments(12.0));
}
