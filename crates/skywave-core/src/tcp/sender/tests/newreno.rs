//! NewReno: RFC 6582.

use super::reno::window_of_twenty;
use super::{config, plain};
use crate::tcp::config::TcpConfig;
use crate::tcp::testing::Script;

#[test]
fn each_partial_ack_resends_the_next_hole_until_recover() {
    // 2, 7 and 9 are lost.
    let mut s = Script::sent(config("newreno", 10), 10);
    s.ack(2);
    s.expect_sent([11]);
    s.dupack(); // 3
    s.expect_sent([12]);
    s.dupack(); // 4
    s.expect_sent([13]);
    s.dupack(); // 5
    s.expect_sent([2]);
    s.expect_cwnd(5.05);
    s.dupacks(6); // 6, 8, 10, 11, 12, 13: nine in all
    s.expect_sent([14, 15]);
    // Five acknowledged: inflation 9 - 5 + 1 = 5, so 5.05 + 5 from segment 7 on.
    s.ack(7);
    s.expect_sent([7, 16]);
    s.dupacks(2); // 14, 15
    s.expect_sent([17, 18]);
    s.ack(9);
    s.expect_sent([9, 19]);
    assert!(s.sender.in_recovery());
    s.dupacks(4); // 16 to 19
    s.expect_sent([20, 21, 22, 23]);
    // Past recover (13): the recovery is over, the window deflated.
    s.ack(20);
    assert!(!s.sender.in_recovery());
    s.expect_cwnd(5.05 + 1.0 / 5.05);
    s.expect_ssthresh(5.0);
    s.expect_sent([24]);
    assert_eq!(s.sender.counters().window_cuts, 1);
}

#[test]
fn the_ack_of_recover_itself_is_a_full_ack() {
    let in_recovery_after = |ack| {
        let mut s = Script::sent(plain("newreno", 10), 10);
        s.dupacks(3);
        s.expect_sent([1]);
        s.ack(ack);
        s.sender.in_recovery()
    };
    assert!(in_recovery_after(10));
    assert!(!in_recovery_after(11));
}

#[test]
fn a_partial_ack_beyond_the_inflation_deflates_the_window() {
    // Seven acknowledged, three inflated: cwnd falls by four, inflation is one.
    let mut s = Script::sent(plain("newreno", 10), 10);
    s.dupacks(3);
    s.expect_sent([1]);
    s.expect_cwnd(5.0);
    s.ack(8);
    s.expect_cwnd(1.0);
    s.expect_sent([8]);
}

#[test]
fn deflation_leaves_one_segment() {
    let mut s = Script::sent(plain("newreno", 10), 10);
    s.dupacks(3);
    s.expect_sent([1]);
    s.ack(10);
    s.expect_cwnd(1.0);
    // One segment and one of inflation.
    s.expect_sent([10, 11]);
}

#[test]
fn only_the_first_partial_ack_restarts_an_impatient_timer() {
    let timer_after_two_partial_acks = |impatient| {
        let mut s = Script::sent(
            TcpConfig {
                impatient,
                ..plain("newreno", 10)
            },
            10,
        );
        s.wait(100);
        s.ack(2); // RTT 100 ms: RTO 300 ms
        s.expect_timer_in(300);
        s.dupacks(3);
        s.wait(100);
        s.ack(4);
        s.expect_timer_in(300);
        s.wait(100);
        s.ack(6);
        s.sender.next_timer().unwrap().since(s.now)
    };
    assert_eq!(timer_after_two_partial_acks(true).as_secs_f64(), 0.2);
    assert_eq!(timer_after_two_partial_acks(false).as_secs_f64(), 0.3);
}

#[test]
fn linux_restarts_the_timer_whenever_the_oldest_segment_goes_again() {
    let config = TcpConfig {
        restart_on_repair: true,
        ..plain("newreno", 10)
    };
    let mut s = Script::sent(config, 10);
    s.wait(100);
    s.ack(2); // RTT 100 ms: RTO 300 ms
    s.dupacks(3);
    for oldest in [4, 6, 8] {
        s.wait(100);
        let _ = s.poll();
        s.ack(oldest);
        assert_eq!(s.poll()[0], oldest);
        s.expect_timer_in(300);
    }
}

#[test]
fn dupacks_below_recover_do_not_start_another_recovery() {
    let mut s = Script::sent(plain("newreno", 10), 10);
    s.dupacks(3);
    s.expect_sent([1]);
    s.ack(11);
    s.expect_sent(11..=15);
    // These may be caused by unnecessary retransmissions: 11 is not above recover.
    s.dupacks(4);
    s.expect_nothing();
    s.ack(12);
    s.expect_sent([16]);
    s.dupacks(3);
    s.expect_sent([12]);
}

#[test]
fn a_timeout_ends_the_recovery_and_forbids_another_below_its_highest_segment() {
    let mut s = Script::sent(plain("newreno", 10), 10);
    s.dupacks(3);
    s.expect_sent([1]);
    s.wait_for_timeout();
    assert!(!s.sender.in_recovery());
    s.expect_sent([1]);
    s.ack(4);
    s.expect_sent([4, 5]);
    s.dupacks(3);
    s.expect_nothing();
    assert_eq!(s.sender.counters().fast_retransmits, 1);
}

#[test]
fn two_losses_in_a_window_of_twenty_as_ns2_has_it() {
    // ns-2.35: the partial ACK sends 22, 40 and 41; the full one 42 to 49 with cwnd 10.1.
    let mut s = window_of_twenty("newreno");
    s.dupacks(18);
    s.expect_sent([20]);
    s.ack(22);
    s.expect_sent([22, 40, 41]);
    s.ack(40);
    s.expect_cwnd(10.1);
    s.expect_sent(42..=49);
}
