//! Vegas' fine-grained loss check, end to end through the sender.

use super::config;
use crate::tcp::config::TcpConfig;
use crate::tcp::testing::Script;

/// One sample of 100 ms: the fine timeout is (100 + 2·25)·17/16 = 159.4 ms. 2 was sent 100 ms ago.
fn one_sample() -> Script {
    let mut s = Script::sent(
        TcpConfig {
            limited_transmit: true,
            ..config("vegas", 10)
        },
        10,
    );
    s.wait(100);
    s.ack(2);
    s.expect_sent([11]);
    s
}

#[test]
fn the_first_dupack_resends_a_segment_older_than_the_fine_timeout() {
    let mut s = one_sample();
    s.wait(59);
    s.dupack();
    s.expect_nothing();
    let mut s = one_sample();
    s.wait(60);
    s.dupack();
    s.expect_sent([2]);
    // The window falls by a quarter, and slow start ends.
    s.expect_cwnd(8.0);
    s.expect_ssthresh(2.0);
}

#[test]
fn what_is_sent_this_very_moment_is_not_late_however_short_the_timeout() {
    let mut s = Script::sent(config("vegas", 10), 10);
    // A round trip of zero.
    s.ack(2);
    s.expect_sent([11]);
    s.dupack();
    s.expect_nothing();
    s.wait(1);
    s.dupack();
    s.expect_sent([2]);
}

#[test]
fn three_dupacks_do_as_well() {
    let mut s = one_sample();
    s.dupacks(2);
    s.expect_nothing();
    s.dupack();
    // 8 and three from 2 on.
    s.expect_sent([2, 12]);
    s.expect_cwnd(8.0);
}

#[test]
fn the_ack_after_a_retransmission_checks_the_next_segment() {
    // 2 and 4 are lost; the partial ACK finds 4 older than the fine timeout.
    let mut s = one_sample();
    s.dupacks(3);
    s.expect_sent([2, 12]);
    s.wait(200);
    s.ack(4); // 300 ms are more than (125 + 2·68.75)·17/16
    let sent = s.poll();
    assert_eq!(sent[0], 4);
    s.expect_cwnd(8.1); // this round trip adds 1/10 an ACK
    assert_eq!(s.sender.counters().window_cuts, 1);
    assert_eq!(s.sender.counters().fast_retransmits, 1);
}

#[test]
fn a_segment_sent_before_the_last_cut_does_not_cut_again() {
    let mut s = one_sample();
    s.dupacks(3);
    s.expect_sent([2, 12]);
    s.expect_cwnd(8.0);
    // The segment is too young for the check on the ACK; then come three dupacks.
    s.wait(10);
    s.ack(4);
    s.dupacks(3);
    let sent = s.poll();
    assert_eq!(sent[0], 4);
    s.expect_cwnd(8.1);
    assert_eq!(s.sender.counters().window_cuts, 1);
}

#[test]
fn a_fast_retransmit_doubles_the_coarse_timer() {
    let mut s = one_sample();
    s.expect_timer_in(300);
    s.dupacks(3);
    s.expect_timer_in(600);
}

#[test]
fn a_timeout_restarts_with_two_segments() {
    let mut s = one_sample();
    s.wait_for_timeout();
    s.expect_cwnd(2.0);
    s.expect_ssthresh(5.0);
    s.expect_sent([2, 3]);
}
