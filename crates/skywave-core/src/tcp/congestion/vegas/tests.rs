//! Brakmo 1994, section 3, as ns-2 reads it.

use super::*;
use crate::tcp::testing::{ack_at, assert_near, loss_at, timeout_at, window};

/// A path on which every ACK of a round trip comes at its end. Positions are segments.
struct Path {
    vegas: Vegas,
    window: Window,
    now: u64,
    una: u64,
    nxt: u64,
}

impl Path {
    fn new(cwnd: f64, ssthresh: f64) -> Self {
        let mut path = Self {
            vegas: Vegas::new(VegasConfig::DEFAULT, 1),
            window: window(cwnd, ssthresh),
            now: 0,
            una: 0,
            nxt: 0,
        };
        path.send();
        path
    }

    fn send(&mut self) {
        self.nxt = self.nxt.max(self.una + self.window.cwnd.0 as u64);
    }

    /// Acknowledges all segments in flight, one by one, after `rtt` ms.
    fn round(&mut self, rtt: u64) {
        self.now += rtt;
        for una in self.una + 1..=self.nxt {
            self.una = una;
            let ack = AckEvent {
                segment_rtt: Some(Duration::from_millis(rtt)),
                una,
                nxt: self.nxt,
                in_flight: Segments((self.nxt - una) as f64),
                ..ack_at(self.now as f64, 1.0)
            };
            self.vegas.grow(&ack, &mut self.window);
            self.send();
        }
    }

    /// The window after each of these round trips, rounded down.
    fn rounds(&mut self, rtts: &[u64]) -> Vec<u64> {
        rtts.iter()
            .map(|&rtt| {
                self.round(rtt);
                self.window.cwnd.0 as u64
            })
            .collect()
    }
}

#[test]
fn slow_start_doubles_every_other_round_trip() {
    let mut p = Path::new(2.0, 1000.0);
    assert_eq!(p.rounds(&[100; 6]), [2, 4, 4, 8, 8, 16]);
}

#[test]
fn slow_start_ends_an_eighth_lower_when_more_than_gamma_is_queued() {
    let mut p = Path::new(2.0, 1000.0);
    assert_eq!(p.rounds(&[100; 4]), [2, 4, 4, 8]);
    // expected 8 segments, actual 8·100/130 = 6.2: two queued, more than one.
    assert_eq!(p.rounds(&[130]), [8]);
    p.round(130);
    // The decision was made on the round's first ACK: 8 − 1, and congestion avoidance from there.
    assert_eq!(p.window.ssthresh, MIN_SSTHRESH);
    assert!((7.0..7.5).contains(&p.window.cwnd.0), "{:?}", p.window);
}

#[test]
fn one_segment_queued_does_not_end_slow_start() {
    let mut p = Path::new(2.0, 1000.0);
    assert_eq!(p.rounds(&[100; 4]), [2, 4, 4, 8]);
    // actual 8·100/115 = 6.96: one queued.
    assert_eq!(p.rounds(&[115, 115]), [8, 16]);
}

/// Segments that a round trip adds to the window after one of `rtt` ms, with a window of 20 and
/// BaseRTT 100.
fn change_at(rtt: u64) -> f64 {
    let mut p = Path::new(20.0, 2.0);
    p.vegas.base_rtt = Duration::from_millis(100);
    p.round(rtt);
    let before = p.window.cwnd.0;
    p.round(rtt);
    p.window.cwnd.0 - before
}

#[test]
fn below_alpha_it_grows_by_one_a_round_trip() {
    // 20 − 20·100/102 = 0.39: none.
    let grown = change_at(102);
    assert!((0.95..=1.05).contains(&grown), "{grown}");
}

#[test]
fn between_alpha_and_beta_it_stays() {
    // 20 − 20·100/105 = 0.95, 1.8, 3.3: one, two and three.
    for rtt in [105, 110, 120] {
        assert_near(change_at(rtt), 0.0, "change");
    }
}

#[test]
fn above_beta_it_shrinks_by_one_a_round_trip() {
    // 20 − 20·100/125 = 4.
    assert_near(change_at(125), -1.0, "change");
}

#[test]
fn the_window_never_shrinks_below_two() {
    let mut p = Path::new(3.0, 2.0);
    p.vegas.base_rtt = Duration::from_millis(10);
    p.rounds(&[2000; 10]);
    assert!(p.window.cwnd >= Segments(2.0));
}

#[test]
fn a_window_that_is_not_used_does_not_grow() {
    let mut v = Vegas::new(VegasConfig::DEFAULT, 1);
    v.increment = Segments(0.1);
    v.round_start = 100;
    let grows = |v: &mut Vegas, in_flight| {
        let mut w = window(10.0, 2.0);
        let ack = AckEvent {
            in_flight: Segments(in_flight),
            ..ack_at(1.0, 1.0)
        };
        v.grow(&ack, &mut w);
        w.cwnd > Segments(10.0)
    };
    assert!(grows(&mut v, 7.0));
    assert!(!grows(&mut v, 6.0));
}

fn loss(ms: u64, window: f64, sent_ms: u64, transmissions: u32) -> LossEvent {
    LossEvent {
        sent_at: Time::ZERO + Duration::from_millis(sent_ms),
        transmissions,
        ..loss_at(ms, window, 1, 11)
    }
}

#[test]
fn a_loss_cuts_by_a_quarter_and_by_half_when_it_was_resent_before() {
    let after = |win, transmissions| {
        let mut v = Vegas::new(VegasConfig::DEFAULT, 1);
        let r = v.on_loss(&loss(500, win, 100, transmissions), &window(win, 50.0));
        assert_eq!(r.ssthresh, MIN_SSTHRESH);
        r.window_after.0
    };
    assert_eq!(after(10.9, 1), 8.0); // whole segments: 10 − 2
    assert_eq!(after(16.0, 1), 12.0);
    assert_eq!(after(16.0, 2), 8.0);
    assert_eq!(after(3.0, 1), 2.0);
}

#[test]
fn a_segment_that_left_before_the_last_cut_cuts_nothing() {
    let mut v = Vegas::new(VegasConfig::DEFAULT, 1);
    v.on_loss(&loss(500, 16.0, 100, 1), &window(16.0, 50.0));
    let now = window(12.0, 2.0);
    for sent in [200, 500] {
        let r = v.on_loss(&loss(600, 12.0, sent, 1), &now);
        assert_eq!((r.window_after, r.ssthresh), (now.cwnd, now.ssthresh));
    }
    let r = v.on_loss(&loss(900, 12.0, 501, 1), &now);
    assert_eq!(r.window_after, Segments(9.0));
}

#[test]
fn a_timeout_restarts_with_two_segments_and_is_a_cut() {
    let mut v = Vegas::new(VegasConfig::DEFAULT, 1);
    let r = v.on_timeout(&timeout_at(500, 16.0), &window(16.0, 50.0));
    assert_eq!((r.ssthresh, r.window_after), (Segments(8.0), Segments(2.0)));
    let now = window(2.0, 8.0);
    assert_eq!(
        v.on_loss(&loss(600, 2.0, 300, 1), &now).ssthresh,
        now.ssthresh
    );
}

#[test]
fn a_segment_sent_at_the_very_start_may_cut() {
    let mut v = Vegas::new(VegasConfig::DEFAULT, 1);
    let r = v.on_loss(&loss(500, 16.0, 0, 1), &window(16.0, 50.0));
    assert_eq!(r.window_after, Segments(12.0));
}
