//! The window segment by segment: a fraction a round trip, and Reno's in everything else.

use super::*;
use crate::tcp::testing::{Script, ack_at, assert_near, config, loss_at, timeout_at, window};
use crate::units::Segments;

fn few(alpha: f64) -> Few {
    Few {
        config: FewConfig { alpha },
    }
}

#[test]
fn a_window_of_acks_adds_alpha_segments() {
    let mut win = window(4.0, 4.0);
    let mut law = few(0.01);
    law.grow(&ack_at(0.0, 1.0), &mut win);
    assert_near(win.cwnd.0, 4.0 + 0.01 / 4.0, "cwnd after one ACK");
    let mut script = Script::sent(config("few", 4), 4);
    script.acks_to(5);
    // Four ACKs of a window that hardly changes: where Reno has five segments, it has 4.01.
    assert!((script.sender.window().cwnd.0 - 4.01).abs() < 1e-4);
    script.expect_sent(5..=8);
}

#[test]
fn it_does_not_grow_otherwise_than_reno_in_slow_start() {
    let mut win = window(2.0, 8.0);
    few(0.01).grow(&ack_at(0.0, 1.0), &mut win);
    assert_near(win.cwnd.0, 3.0, "cwnd");
}

#[test]
fn an_ack_counts_as_many_segments_as_the_connection_says() {
    let mut win = window(10.0, 2.0);
    let two = AckEvent {
        counted: Segments(2.0),
        ..ack_at(0.0, 2.0)
    };
    few(0.5).grow(&two, &mut win);
    assert_near(win.cwnd.0, 10.1, "cwnd");
}

#[test]
fn it_does_not_grow_where_no_law_may() {
    let mut win = window(4.0, 2.0);
    let held = AckEvent {
        may_grow: false,
        ..ack_at(0.0, 1.0)
    };
    few(0.01).grow(&held, &mut win);
    assert_near(win.cwnd.0, 4.0, "cwnd");
}

#[test]
fn a_loss_and_a_timeout_halve_as_renos() {
    let loss = few(0.01).on_loss(&loss_at(0, 8.0, 1, 9), &window(8.0, 8.0));
    assert_eq!(loss, Response::cut_to(Segments(4.0)));
    let timeout = few(0.01).on_timeout(&timeout_at(0, 8.0), &window(8.0, 8.0));
    assert_eq!(timeout, Response::restart(Segments(4.0)));
}
