//! RFC 9438, against its formulas written out.

use proptest::prelude::*;

use super::*;
use crate::tcp::testing::{ack_at, assert_near, loss_at, timeout_at, window};
use crate::time::Duration;

fn cubic(fast_convergence: bool) -> Cubic {
    Cubic::new(CubicConfig {
        fast_convergence,
        ..CubicConfig::DEFAULT
    })
}

/// Section 4 as printed: times in seconds, windows in segments, C = 0.4, β = 0.7.
#[derive(Default)]
struct Literal {
    cwnd: f64,
    ssthresh: f64,
    w_max: f64,
    cwnd_prior: f64,
    /// Start of the present congestion avoidance stage, its cwnd_epoch and W_est.
    stage: Option<(f64, f64, f64)>,
    after_timeout: bool,
}

impl Literal {
    fn ack(&mut self, now: f64, rtt: f64, segments_acked: f64) {
        if self.cwnd < self.ssthresh {
            self.cwnd += segments_acked;
            return;
        }
        // Sections 4.8 and 4.10: K = 0 and W_max = cwnd after a timeout, or when slow start ended
        // without a loss.
        if self.stage.is_none() && (self.after_timeout || self.w_max < self.cwnd) {
            self.w_max = self.cwnd;
            self.after_timeout = false;
        }
        let (start, cwnd_epoch, w_est) = self.stage.unwrap_or((now, self.cwnd, self.cwnd));
        // Figures 1 and 2.
        let k = libm::cbrt((self.w_max - cwnd_epoch) / 0.4);
        let w_cubic = |t: f64| 0.4 * (t - k) * (t - k) * (t - k) + self.w_max;
        // Figure 4, with α = 1 from cwnd_prior on.
        let alpha = if w_est >= self.cwnd_prior {
            1.0
        } else {
            3.0 * (1.0 - 0.7) / (1.0 + 0.7)
        };
        let w_est = w_est + alpha * segments_acked / self.cwnd;
        self.stage = Some((start, cwnd_epoch, w_est));
        let t = now - start;
        if w_cubic(t) < w_est {
            self.cwnd = self.cwnd.max(w_est);
        } else {
            let target = w_cubic(t + rtt);
            let target = if target < self.cwnd {
                self.cwnd
            } else if target > 1.5 * self.cwnd {
                1.5 * self.cwnd
            } else {
                target
            };
            self.cwnd += (target - self.cwnd) / self.cwnd;
        }
    }

    fn reduce(&mut self) {
        self.cwnd_prior = self.cwnd;
        self.ssthresh = (self.cwnd * 0.7).max(2.0);
        self.stage = None;
    }

    fn loss(&mut self, fast_convergence: bool) {
        // Section 4.7.
        self.w_max = if fast_convergence && self.cwnd < self.w_max {
            self.cwnd * (1.0 + 0.7) / 2.0
        } else {
            self.cwnd
        };
        self.after_timeout = false;
        self.reduce();
        self.cwnd = self.ssthresh;
    }

    fn timeout(&mut self) {
        self.reduce();
        self.w_max = 0.0;
        self.after_timeout = true;
        self.cwnd = 1.0;
    }
}

#[derive(Clone, Copy, Debug)]
enum Operation {
    /// ACKs of this many segments each, this many milliseconds apart.
    Acks {
        n: u32,
        gap: u64,
        acked: u32,
    },
    Loss,
    Timeout,
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        8 => (1u32..200, 1u64..100, 1u32..3)
            .prop_map(|(n, gap, acked)| Operation::Acks { n, gap, acked }),
        3 => Just(Operation::Loss),
        1 => Just(Operation::Timeout),
    ]
}

proptest! {
    #[test]
    fn the_window_is_the_rfcs(
        operations in prop::collection::vec(operation(), 1..30),
        rtt in 1u64..300,
        fast_convergence: bool,
    ) {
        let mut c = cubic(fast_convergence);
        let mut w = window(10.0, 30.0);
        let mut literal = Literal { cwnd: 10.0, ssthresh: 30.0, ..Literal::default() };
        let mut ms = 0;
        for operation in operations {
            match operation {
                Operation::Acks { n, gap, acked } => for _ in 0..n {
                    ms += gap;
                    let event = AckEvent {
                        counted: Segments(f64::from(acked)),
                        srtt: Some(Duration::from_millis(rtt)),
                        ..ack_at(ms as f64, f64::from(acked))
                    };
                    c.grow(&event, &mut w);
                    literal.ack(ms as f64 / 1000.0, rtt as f64 / 1000.0, f64::from(acked));
                    let error = (w.cwnd.0 - literal.cwnd).abs();
                    prop_assert!(error <= 1e-6 * literal.cwnd, "{w:?} {}", literal.cwnd);
                },
                Operation::Loss => {
                    let r = c.on_loss(&loss_at(ms, w.cwnd.0, 0, 0), &w);
                    w = window(r.window_after.0, r.ssthresh.0);
                    literal.loss(fast_convergence);
                }
                Operation::Timeout => {
                    let r = c.on_timeout(&timeout_at(ms, w.cwnd.0), &w);
                    w = window(r.window_after.0, r.ssthresh.0);
                    literal.timeout();
                }
            }
            assert_near(w.ssthresh.0, literal.ssthresh, "ssthresh");
        }
    }
}

/// One ACK of one segment at `ms`, with a round trip of 100 ms.
fn ack(c: &mut Cubic, w: &mut Window, ms: f64, may_grow: bool) {
    let event = AckEvent {
        srtt: Some(Duration::from_millis(100)),
        may_grow,
        ..ack_at(ms, 1.0)
    };
    c.grow(&event, w);
}

/// Cut at a window of 100 segments.
fn cut_at_100() -> (Cubic, Window) {
    let mut c = cubic(true);
    let r = c.on_loss(&loss_at(0, 100.0, 0, 0), &window(100.0, 200.0));
    (c, window(r.window_after.0, r.ssthresh.0))
}

#[test]
fn a_loss_leaves_seven_tenths() {
    let (_, w) = cut_at_100();
    assert_near(w.cwnd.0, 70.0, "cwnd");
    assert_near(w.ssthresh.0, 70.0, "ssthresh");
}

#[test]
fn the_window_is_back_at_w_max_after_k_seconds() {
    // K = cbrt(30/0.4) = 4.217 s.
    let (mut c, mut w) = cut_at_100();
    let mut at = [0.0; 3];
    for ms in 0..=8434 {
        ack(&mut c, &mut w, f64::from(ms), true);
        match ms {
            2100 => at[0] = w.cwnd.0,
            4217 => at[1] = w.cwnd.0,
            8434 => at[2] = w.cwnd.0,
            _ => (),
        }
    }
    // Concave, flat at W_max, convex: the curve is followed a round trip ahead, less a lag.
    assert!((at[0] - 96.0).abs() < 1.0, "{at:?}");
    assert!((at[1] - 100.0).abs() < 0.1, "{at:?}");
    assert!((at[2] - 130.0).abs() < 2.0, "{at:?}");
}

#[test]
fn a_flow_that_lost_below_its_last_maximum_gives_way() {
    // Section 4.7: W_max = cwnd·(1 + β)/2.
    let (mut c, _) = cut_at_100();
    c.on_loss(&loss_at(0, 80.0, 0, 0), &window(80.0, 70.0));
    assert_near(c.w_max, 68.0, "W_max");
    c.on_loss(&loss_at(0, 90.0, 0, 0), &window(90.0, 70.0));
    assert_near(c.w_max, 90.0, "W_max");
    let mut c = cubic(false);
    c.on_loss(&loss_at(0, 100.0, 0, 0), &window(100.0, 70.0));
    c.on_loss(&loss_at(0, 80.0, 0, 0), &window(80.0, 70.0));
    assert_near(c.w_max, 80.0, "W_max");
}

#[test]
fn with_short_round_trips_it_grows_as_reno_would() {
    // Section 4.3: 10 segments, a round trip of 1 ms; the curve needs 1.96 s to come back to 10.
    let mut c = cubic(true);
    let r = c.on_loss(&loss_at(0, 10.0, 0, 0), &window(10.0, 20.0));
    let mut w = window(r.window_after.0, r.ssthresh.0);
    let mut reno = w.cwnd.0;
    let mut ms = 0.0;
    for round in 1..=5 {
        for _ in 0..w.cwnd.0 as u32 {
            ms += 0.1;
            let event = AckEvent {
                srtt: Some(Duration::from_millis(1)),
                ..ack_at(ms, 1.0)
            };
            reno += 9.0 / 17.0 / w.cwnd.0; // α = 3(1 − β)/(1 + β)
            c.grow(&event, &mut w);
        }
        assert!(
            (w.cwnd.0 - reno).abs() < 0.02,
            "round {round}: {w:?} {reno}"
        );
    }
    assert!(w.cwnd.0 > 9.0);
}

#[test]
fn after_a_timeout_the_curve_begins_where_slow_start_ended() {
    // Section 4.8: K = 0 and W_max = cwnd, so that it is flat at first.
    let (mut c, _) = cut_at_100();
    let r = c.on_timeout(&timeout_at(0, 100.0), &window(100.0, 70.0));
    assert_near(r.ssthresh.0, 70.0, "ssthresh");
    assert_eq!(r.window_after, Segments::ONE);
    let mut w = window(70.0, 70.0);
    for ms in 0..=1000 {
        ack(&mut c, &mut w, f64::from(ms), true);
    }
    assert!(w.cwnd.0 < 71.5 + 0.53 * 1000.0 / 70.0, "{w:?}");
    assert_near(c.w_max, 70.0, "W_max");
}

#[test]
fn time_in_which_the_window_is_not_used_does_not_count() {
    // Section 5.8: the window grows as much with an hour of a slow application in between.
    let grown = |pause: f64| {
        let (mut c, mut w) = cut_at_100();
        for n in 0..2000 {
            ack(&mut c, &mut w, f64::from(n), true);
        }
        for n in 0..10 {
            ack(&mut c, &mut w, 1999.0 + f64::from(n) * pause, false);
        }
        for n in 0..100 {
            ack(&mut c, &mut w, 1999.0 + 9.0 * pause + f64::from(n), true);
        }
        w.cwnd.0
    };
    assert_near(grown(360_000.0), grown(0.0), "cwnd");
}

/// A small window at a short round trip: W_est is above the curve, and past the window before the loss.
#[test]
fn without_the_step_of_section_4_3_the_window_grows_more_slowly_than_renos() {
    let grown = |alpha_one| {
        let mut cubic = Cubic::new(CubicConfig {
            alpha_one,
            ..CubicConfig::DEFAULT
        });
        let mut win = window(7.0, 7.0);
        cubic.on_loss(&loss_at(0, 10.0, 0, 0), &window(10.0, 7.0));
        for ack in 0..200 {
            let event = AckEvent {
                srtt: Some(Duration::from_millis(10)),
                ..ack_at(f64::from(ack), 1.0)
            };
            cubic.grow(&event, &mut win);
        }
        win.cwnd.0
    };
    // dW/dn = α/W: W² grows by 2α an ACK. α is 9/17 up to 10 segments, then 1 or still 9/17.
    let alpha: f64 = 9.0 / 17.0;
    let to_ten = (100.0 - 49.0) / (2.0 * alpha);
    let rest: f64 = 200.0 - to_ten;
    let near = |got: f64, want: f64| assert!((got / want - 1.0).abs() < 0.01, "{got}, {want}");
    near(grown(true), (100.0 + 2.0 * rest).sqrt());
    near(grown(false), (49.0 + 2.0 * alpha * 200.0).sqrt());
}

/// Sections 4.2 and 5.8: neither a pause nor the slow start after it is time of congestion avoidance.
#[test]
fn a_pause_and_the_slow_start_after_it_do_not_count() {
    let grown = |pause: u64, slow_start: bool| {
        let (mut c, mut w) = cut_at_100();
        for n in 0..2000 {
            ack(&mut c, &mut w, f64::from(n), true);
        }
        let cwnd = w.cwnd;
        let begin = 1999 + pause;
        c.on_resume(&IdleEvent {
            now: Time::ZERO + Duration::from_millis(begin),
            idle: Duration::from_millis(pause),
            initial_window: Segments(10.0),
        });
        let mut now = begin as f64;
        if slow_start {
            w = window(cwnd.0 / 2.0, cwnd.0);
            while w.cwnd < w.ssthresh {
                now += 50.0;
                ack(&mut c, &mut w, now, true);
            }
            w.cwnd = cwnd;
        }
        for n in 0..100 {
            ack(&mut c, &mut w, now + f64::from(n), true);
        }
        w.cwnd.0
    };
    let without = grown(0, false);
    assert_near(grown(360_000, false), without, "cwnd after a pause");
    assert_near(grown(360_000, true), without, "cwnd after a slow start");
}
