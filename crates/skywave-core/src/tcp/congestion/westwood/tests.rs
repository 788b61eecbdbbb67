//! Casetti et al. 2002, section 3; Grieco and Mascolo 2004.

mod ucla;

use proptest::prelude::*;

use super::*;
use crate::tcp::testing::{ack_at, assert_near, loss_at, take_ack, timeout_at, window};

fn westwood(plus: bool) -> Westwood {
    of(WestwoodConfig {
        plus,
        ..WestwoodConfig::DEFAULT
    })
}

/// With a clock of 10 ms.
fn of(config: WestwoodConfig) -> Westwood {
    Westwood::new(config, Duration::from_millis(10))
}

/// An ACK of `acked` segments at `ms`; none acknowledged makes it a duplicate.
fn ack(w: &mut Westwood, ms: f64, acked: f64) {
    let event = AckEvent {
        segment_rtt: (acked > 0.0).then(|| Duration::from_millis(100)),
        srtt: Some(Duration::from_millis(100)),
        ..ack_at(ms, acked)
    };
    if acked > 0.0 {
        take_ack(w, &event, &mut window(10.0, 5.0));
    } else {
        w.on_dupack(&event);
    }
}

/// Section 3.1 as printed: `b̂ₖ = αₖ b̂ₖ₋₁ + (1 − αₖ)(bₖ + bₖ₋₁)/2`,
/// `αₖ = (2τ − Δₖ)/(2τ + Δₖ)`, with τ = 0.5 s; in segments and seconds.
#[derive(Default)]
struct Literal {
    estimate: f64,
    sample: f64,
}

impl Literal {
    fn step(&mut self, sample: f64, gap: f64) {
        let tau = 0.5;
        let alpha = (2.0 * tau - gap) / (2.0 * tau + gap);
        self.estimate = alpha * self.estimate + (1.0 - alpha) * (sample + self.sample) / 2.0;
        self.sample = sample;
    }
}

proptest! {
    #[test]
    fn the_filter_is_the_papers(gaps in prop::collection::vec(1u64..250, 1..60)) {
        let (mut w, mut literal) = (westwood(false), Literal::default());
        let mut now = 0;
        ack(&mut w, 0.0, 1.0);
        for gap in gaps {
            now += gap;
            ack(&mut w, now as f64, 1.0);
            let seconds = gap as f64 / 1000.0;
            literal.step(1.0 / seconds, seconds);
            assert_near(w.estimate, literal.estimate, "BWE");
        }
    }
}

#[test]
fn without_acks_virtual_samples_of_zero_decay_the_estimate() {
    // The paper: "the filter ... should receive at least one sample every τ/2".
    let (mut w, mut literal) = (westwood(false), Literal::default());
    ack(&mut w, 0.0, 1.0);
    ack(&mut w, 100.0, 1.0);
    literal.step(10.0, 0.1);
    // 600 ms of silence: two virtual samples and one of the rest.
    ack(&mut w, 700.0, 1.0);
    literal.step(0.0, 0.25);
    literal.step(0.0, 0.25);
    literal.step(1.0 / 0.6, 0.1);
    assert_near(w.estimate, literal.estimate, "BWE");
    // After an hour only the last samples count.
    ack(&mut w, 3_600_000.0, 1.0);
    assert!(w.estimate < 0.01);
}

#[test]
fn a_steady_stream_is_estimated_at_its_rate() {
    let mut w = westwood(false);
    for n in 0..1000 {
        ack(&mut w, f64::from(n) * 8.0, 1.0);
    }
    assert!((w.estimate - 125.0).abs() < 1.0, "{}", w.estimate);
}

#[test]
fn acks_of_one_instant_are_one_sample() {
    let (mut one, mut two) = (westwood(false), westwood(false));
    for w in [&mut one, &mut two] {
        ack(w, 0.0, 1.0);
    }
    ack(&mut one, 100.0, 1.0);
    ack(&mut one, 100.0, 1.0);
    ack(&mut one, 200.0, 1.0);
    ack(&mut two, 100.0, 1.0);
    ack(&mut two, 200.0, 2.0);
    assert_near(one.estimate, two.estimate, "BWE");
}

/// BWE 125 segments a second, RTTmin 100 ms: a path of 12.5 segments.
fn steady(plus: bool) -> Westwood {
    let mut w = westwood(plus);
    for n in 0..5000 {
        ack(&mut w, f64::from(n) * 8.0, 1.0);
    }
    w
}

#[test]
fn after_a_loss_the_threshold_is_what_the_path_carries() {
    for plus in [false, true] {
        let mut w = steady(plus);
        let path = w.estimate * 0.1;
        assert!((path - 12.5).abs() < 0.2, "{path}");
        let r = w.on_loss(&loss_at(0, 40.0, 1, 2), &window(40.0, 50.0));
        assert_near(r.ssthresh.0, path, "ssthresh");
        assert_near(r.window_after.0, path, "cwnd");
        // A window below that is kept.
        let r = w.on_loss(&loss_at(0, 8.0, 1, 2), &window(8.0, 50.0));
        assert_near(r.ssthresh.0, path, "ssthresh");
        assert_near(r.window_after.0, 8.0, "cwnd");
        let r = w.on_timeout(&timeout_at(0, 40.0), &window(40.0, 50.0));
        assert_near(r.ssthresh.0, path, "ssthresh");
        assert_eq!(r.window_after, Segments::ONE);
    }
}

#[test]
fn before_an_estimate_a_loss_halves() {
    let r = westwood(false).on_loss(&loss_at(0, 10.0, 1, 2), &window(10.0, 50.0));
    assert_eq!((r.ssthresh, r.window_after), (Segments(5.0), Segments(5.0)));
}

#[test]
fn the_threshold_is_never_below_two_segments() {
    let mut w = westwood(false);
    ack(&mut w, 0.0, 1.0);
    ack(&mut w, 200.0, 1.0);
    let r = w.on_loss(&loss_at(0, 10.0, 1, 2), &window(10.0, 50.0));
    assert_eq!(r.ssthresh, Segments(2.0));
}

#[test]
fn a_resent_segment_gives_no_smallest_rtt() {
    let mut w = westwood(false);
    let event = AckEvent {
        segment_rtt: None,
        ..ack_at(0.0, 1.0)
    };
    take_ack(&mut w, &event, &mut window(10.0, 5.0));
    assert_eq!(w.rtt_min, Duration::MAX);
}

#[test]
fn westwood_plus_takes_one_sample_a_round_trip() {
    let mut w = westwood(true);
    ack(&mut w, 0.0, 1.0);
    for ms in [30.0, 60.0, 90.0] {
        ack(&mut w, ms, 1.0);
        assert_eq!(w.estimate, 0.0);
    }
    ack(&mut w, 100.0, 1.0);
    assert_near(w.estimate, 40.0, "the first sample");
    ack(&mut w, 150.0, 2.0);
    ack(&mut w, 210.0, 2.0);
    let sample = 4.0 / 0.11;
    assert_near(
        w.estimate,
        0.875 * 40.0 + 0.125 * sample,
        "the second, by an eighth",
    );
}

#[test]
fn westwood_plus_takes_no_sample_while_no_round_trip_is_known() {
    let mut w = westwood(true);
    ack(&mut w, 0.0, 1.0);
    for ms in [200.0, 400.0] {
        take_ack(&mut w, &ack_at(ms, 1.0), &mut window(10.0, 5.0));
        assert_eq!(w.estimate, 0.0);
    }
    ack(&mut w, 500.0, 3.0);
    assert_near(w.estimate, 10.0, "all of it, over all of the time");
}

#[test]
fn growth_is_renos() {
    let mut w = westwood(false);
    let mut win = window(10.0, 5.0);
    take_ack(&mut w, &ack_at(0.0, 1.0), &mut win);
    assert_near(win.cwnd.0, 10.1, "cwnd");
}

#[test]
fn a_pause_is_no_round_trip_of_westwood_plus() {
    let (mut w, mut without) = (westwood(true), westwood(true));
    for at in 0..20 {
        ack(&mut w, f64::from(at) * 100.0, 4.0);
        ack(&mut without, f64::from(at) * 100.0, 4.0);
    }
    w.on_resume(&IdleEvent {
        now: Time::ZERO + Duration::from_secs(60),
        idle: Duration::from_secs(58),
        initial_window: Segments(10.0),
    });
    // The first ACK begins the next interval.
    ack(&mut w, 60_000.0, 4.0);
    assert_eq!(w.estimate, without.estimate);
    ack(&mut w, 60_100.0, 4.0);
    ack(&mut without, 2000.0, 4.0);
    assert_eq!(w.estimate, without.estimate);
}
