//! The restart after an idle time (RFC 5681 section 4.1), and the cap of the congestion window.

use super::{MSS, config};
use crate::tcp::config::TcpConfig;
use crate::tcp::testing::Script;
use crate::units::Segments;

/// A sender with an initial window of two that has grown in one transfer of 14 segments.
fn after_a_transfer(restart_after_idle: bool) -> Script {
    let mut s = Script::idle(TcpConfig {
        initial_window: Segments(2.0),
        initial_ssthresh: None,
        restart_after_idle,
        ..config("reno", 2)
    });
    s.sender.write(14 * u64::from(MSS));
    s.expect_sent([1, 2]);
    s.wait(100);
    s.acks_to(3);
    s.expect_sent(3..=6);
    s.wait(100);
    s.acks_to(7);
    s.expect_sent(7..=14);
    s.wait(100);
    s.acks_to(15);
    s.expect_cwnd(16.0);
    s.expect_no_timer();
    s
}

#[test]
fn after_an_idle_time_of_more_than_the_rto_it_begins_anew() {
    let mut s = after_a_transfer(true);
    s.wait(1000);
    s.sender.write(10 * u64::from(MSS));
    s.expect_sent([15, 16]);
    s.expect_cwnd(2.0);
}

#[test]
fn a_short_pause_is_no_idle_time() {
    let mut s = after_a_transfer(true);
    s.wait(50);
    s.sender.write(10 * u64::from(MSS));
    s.expect_sent(15..=24);
}

#[test]
fn without_the_switch_the_window_stays() {
    let mut s = after_a_transfer(false);
    s.wait(60_000);
    s.sender.write(10 * u64::from(MSS));
    s.expect_sent(15..=24);
}

#[test]
fn an_idle_time_never_enlarges_the_window() {
    let mut s = Script::sent(
        TcpConfig {
            initial_window: Segments(4.0),
            restart_after_idle: true,
            ..config("reno", 4)
        },
        4,
    );
    s.wait_for_timeout();
    s.expect_cwnd(1.0);
    s.expect_sent([1]);
    s.sender.close();
    s.ack(5);
    s.expect_cwnd(2.0);
}

#[test]
fn the_window_grows_to_its_cap_and_the_receivers_window_is_another_matter() {
    let mut s = Script::sent(
        TcpConfig {
            initial_window: Segments(2.0),
            initial_ssthresh: Some(Segments(100.0)),
            max_cwnd: Segments(5.0),
            ..config("reno", 2)
        },
        2,
    );
    s.acks_to(3);
    s.expect_sent(3..=6);
    s.acks_to(7);
    s.expect_cwnd(5.0);
    s.expect_sent(7..=11);
    // Fast recovery inflates beyond the cap: the inflated window is not a congestion window.
    s.dupacks(4);
    s.expect_sent([12, 13, 7]);
    s.expect_cwnd(2.5);
}

#[test]
fn the_first_window_obeys_the_cap() {
    let mut s = Script::new(TcpConfig {
        max_cwnd: Segments(3.0),
        ..config("reno", 8)
    });
    s.expect_sent(1..=3);
}
