//! Which losses cut, and to what; segment by segment with marks on the ACKs.

use super::*;
use crate::tcp::config::{EcnRules, TcpConfig};
use crate::tcp::testing::{
    Script, ack_at, assert_near, config, loss_at, take_ack, timeout_at, window,
};
use crate::tcp::window::LossCause;
use crate::time::Duration;

/// A sender with a round trip of 100 ms whose ACKs of one segment come 10 ms apart: ten segments a round trip.
fn measured() -> Jersey {
    let mut law = Jersey::default();
    for i in 0..300 {
        let ack = AckEvent {
            srtt: Some(Duration::from_millis(100)),
            ..ack_at(f64::from(i) * 10.0, 1.0)
        };
        take_ack(&mut law, &ack, &mut window(10.0, 5.0));
    }
    law
}

fn warned(cause: LossCause) -> LossEvent {
    LossEvent {
        cause,
        warned: true,
        ..loss_at(0, 20.0, 1, 21)
    }
}

#[test]
fn a_warning_and_a_loss_with_one_leave_the_measured_window() {
    let mut law = measured();
    let loss = law.on_loss(&warned(LossCause::Dupacks), &window(20.0, 30.0));
    let mark = law.on_ecn(&warned(LossCause::Mark), &window(20.0, 30.0));
    for r in [loss, mark] {
        assert!((r.ssthresh.0 - 10.0).abs() < 1e-6, "{r:?}");
        assert_eq!(r.window_after, r.ssthresh);
    }
    let small = law.on_loss(&warned(LossCause::Dupacks), &window(6.0, 30.0));
    assert_eq!(small.window_after, Segments(6.0), "it is not raised");
}

#[test]
fn a_loss_without_a_warning_cuts_nothing() {
    let win = window(20.0, 30.0);
    let r = measured().on_loss(&loss_at(0, 20.0, 1, 21), &win);
    assert_eq!(r, Response::unchanged(&win));
}

#[test]
fn a_timeout_restarts_up_to_the_measured_window() {
    let r = measured().on_timeout(&timeout_at(0, 40.0), &window(40.0, 30.0));
    assert!((r.ssthresh.0 - 10.0).abs() < 1e-6, "{r:?}");
    assert_eq!(r.window_after, Segments::ONE);
}

#[test]
fn before_there_is_an_estimate_the_window_is_halved() {
    let mut law = Jersey::default();
    let r = law.on_loss(&warned(LossCause::Dupacks), &window(20.0, 30.0));
    assert_near(r.window_after.0, 10.0, "cwnd");
    let r = law.on_timeout(&timeout_at(0, 20.0), &window(20.0, 30.0));
    assert_eq!(r, Response::restart(Segments(10.0)));
}

/// Ten segments on their way.
fn script() -> Script {
    let config = TcpConfig {
        ecn_rules: EcnRules::Rfc3168,
        whole_ssthresh: false,
        ..config("jersey", 10)
    };
    assert!(config.ecn && config.exact_echo);
    Script::sent(config, 10)
}

#[test]
fn a_sender_repairs_a_random_loss_at_full_window() {
    let mut s = script();
    s.dupacks(2);
    s.expect_sent([11, 12]); // limited transmit
    s.dupack();
    s.expect_sent([1, 13]);
    s.expect_cwnd(10.0);
    s.dupacks(7);
    s.expect_sent(14..=20);
    s.ack(11);
    s.expect_cwnd(10.0);
    assert_eq!(s.sender.counters().window_cuts, 0);
}

/// A sender with a round trip of ten ACKs 10 ms apart, whose window has grown into a queue.
fn grown() -> (Script, u64) {
    let mut s = script();
    s.wait(90);
    for n in 2..=60 {
        s.wait(10);
        s.ack(n);
    }
    let cwnd = s.sender.window().cwnd.0;
    assert!(cwnd > 13.0, "{cwnd}");
    (s, 60)
}

#[test]
fn a_sender_cuts_for_a_loss_under_a_warning_once() {
    let (mut s, next) = grown();
    for _ in 0..3 {
        s.wait(10);
        s.echo(next);
    }
    assert_eq!(s.sender.counters().fast_retransmits, 1);
    let cut = s.sender.window();
    assert!((cut.cwnd.0 / cut.ssthresh.0 - 1.0).abs() < 0.05, "{cut:?}");
    let round_trip = s.sender.rto().srtt().expect("a sample").as_secs_f64();
    assert!(
        (cut.cwnd.0 / (round_trip / 0.01) - 1.0).abs() < 0.15,
        "{cut:?}"
    );
    assert_eq!(s.sender.counters().window_cuts, 1);
}

#[test]
fn the_same_sender_keeps_its_window_without_one() {
    let (mut s, _) = grown();
    let before = s.sender.window();
    s.dupacks(3);
    assert_eq!(s.sender.counters().fast_retransmits, 1);
    assert_eq!(s.sender.window(), before);
}
