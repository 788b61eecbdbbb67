//! The cause of a timeout (Francis 2012, section 5.2), end to end through the sender.

use super::plain;
use crate::tcp::config::{RtoConfig, TcpConfig};
use crate::tcp::testing::Script;

/// Ten segments were acknowledged after 100 ms and 300 ms, the smallest and the largest round trip; those after them
/// have timed out, and the oldest was sent again just now.
#[track_caller]
fn timed_out() -> Script {
    let config = TcpConfig {
        rto: RtoConfig::EXACT.into(),
        ..plain("rto-cause", 10)
    };
    let mut s = Script::sent(config, 10);
    s.wait(100);
    s.ack(6);
    s.wait(200);
    s.ack(11);
    s.poll();
    s.expect_cwnd(window_before());
    s.wait_for_timeout();
    s.expect_sent([11]);
    s.expect_cwnd(1.0);
    s
}

fn window_before() -> f64 {
    10.0 + 0.1 + 1.0 / 10.1
}

/// ACKs of single segments from 11 on, each `ms` after what it acknowledges was sent again.
fn answers(s: &mut Script, n: u64, ms: u64) {
    for _ in 0..n {
        s.wait(ms);
        let next = s.sender.flight().una() / 1000 + 2;
        s.ack(next);
    }
}

#[test]
fn a_short_queue_takes_window_and_backoff_back() {
    let mut s = timed_out();
    assert_eq!(s.sender.rto().backoff(), 2);
    answers(&mut s, 3, 100);
    assert!(
        s.sender.window().cwnd.0 < 5.0,
        "after three round trips nothing is decided"
    );
    answers(&mut s, 1, 100);
    s.expect_cwnd(window_before());
    s.expect_ssthresh(10.0);
    assert_eq!(s.sender.rto().backoff(), 1);
}

#[test]
fn a_long_queue_leaves_both() {
    let mut s = timed_out();
    answers(&mut s, 4, 201);
    assert!(s.sender.window().cwnd.0 < 7.0);
    s.expect_ssthresh(5.0);
    assert_eq!(s.sender.rto().backoff(), 2);
    // And nothing is decided again afterwards.
    answers(&mut s, 4, 100);
    assert!(s.sender.window().cwnd.0 < 8.0);
}

#[test]
fn when_all_is_repaired_fewer_round_trips_decide() {
    let mut s = timed_out();
    s.wait(100);
    s.ack(21);
    s.expect_cwnd(window_before());
}

#[test]
fn a_further_timeout_is_part_of_the_first() {
    let mut s = timed_out();
    s.wait_for_timeout();
    s.expect_sent([11]);
    answers(&mut s, 4, 100);
    s.expect_cwnd(window_before());
}

#[test]
fn an_answer_to_an_earlier_copy_tells_nothing() {
    let mut s = timed_out();
    // Sooner than any round trip: of the first transmission.
    s.wait(50);
    s.ack(21);
    assert!(s.sender.window().cwnd.0 < 3.0);
}

#[test]
fn without_a_timeout_round_trips_change_nothing() {
    let config = plain("rto-cause", 10);
    let mut s = Script::sent(config, 10);
    answers(&mut s, 10, 10);
    s.expect_ssthresh(10.0);
}
