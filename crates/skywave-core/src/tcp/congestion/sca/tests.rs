//! The window ACK by ACK: it stands still, then grows by a whole segment.

use super::*;
use crate::tcp::testing::{Script, ack_at, assert_near, config, loss_at, timeout_at, window};

fn sca(acks: u32) -> Sca {
    Sca {
        config: ScaConfig { acks },
        counted: 0,
    }
}

/// cwnd after each of `n` ACKs, from four segments in congestion avoidance.
fn after_acks(law: &mut Sca, n: u32) -> Vec<f64> {
    let mut win = window(4.0, 4.0);
    let mut after = Vec::new();
    for _ in 0..n {
        law.grow(&ack_at(0.0, 1.0), &mut win);
        after.push(win.cwnd.0);
    }
    after
}

#[test]
fn the_window_stands_still_until_the_threshold_then_grows_by_one() {
    let windows = after_acks(&mut sca(3), 7);
    assert_eq!(windows, [4.0, 4.0, 5.0, 5.0, 5.0, 6.0, 6.0]);
    let windows = after_acks(&mut sca(10), 10);
    assert_eq!((windows[8], windows[9]), (4.0, 5.0));
}

#[test]
fn a_sender_sends_one_segment_more_after_ten_acks() {
    let mut script = Script::sent(config("sca", 4), 4);
    script.acks_to(10);
    script.expect_sent(5..=13);
    script.ack(11);
    script.expect_sent([14, 15]);
    script.expect_cwnd(5.0);
}

#[test]
fn slow_start_is_not_slowed_and_does_not_count() {
    let mut law = sca(2);
    let mut win = window(2.0, 4.0);
    law.grow(&ack_at(0.0, 1.0), &mut win);
    law.grow(&ack_at(0.0, 1.0), &mut win);
    assert_near(win.cwnd.0, 4.0, "cwnd at the threshold");
    law.grow(&ack_at(0.0, 1.0), &mut win);
    assert_near(win.cwnd.0, 4.0, "cwnd after one ACK of two");
}

#[test]
fn a_delayed_ack_counts_once() {
    let mut law = sca(2);
    let mut win = window(4.0, 4.0);
    let two = AckEvent {
        counted: Segments(2.0),
        ..ack_at(0.0, 2.0)
    };
    law.grow(&two, &mut win);
    assert_near(win.cwnd.0, 4.0, "cwnd");
    law.grow(&two, &mut win);
    assert_near(win.cwnd.0, 5.0, "cwnd");
}

#[test]
fn what_may_not_grow_does_not_count() {
    let mut law = sca(1);
    let mut win = window(4.0, 4.0);
    let held = AckEvent {
        may_grow: false,
        ..ack_at(0.0, 1.0)
    };
    law.grow(&held, &mut win);
    assert_eq!((win.cwnd, law.counted), (Segments(4.0), 0));
}

#[test]
fn a_cut_is_renos_and_begins_the_count_again() {
    for timeout in [false, true] {
        let mut law = sca(3);
        after_acks(&mut law, 2);
        let response = if timeout {
            law.on_timeout(&timeout_at(0, 8.0), &window(8.0, 8.0))
        } else {
            law.on_loss(&loss_at(0, 8.0, 1, 9), &window(8.0, 8.0))
        };
        let renos = if timeout {
            Response::restart(Segments(4.0))
        } else {
            Response::cut_to(Segments(4.0))
        };
        assert_eq!(response, renos);
        assert_eq!(after_acks(&mut law, 3), [4.0, 4.0, 5.0]);
    }
}
