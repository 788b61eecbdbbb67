//! SACK as ns-2's Sack1 keeps its pipe (Fall and Floyd 1996, section 4).

use super::config;
use super::reno::window_of_twenty;
use crate::tcp::testing::Script;

#[test]
fn two_losses_in_a_window_of_twenty_as_ns2_has_it() {
    let mut s = window_of_twenty("sack1");
    s.dupack_sacking(&[21..22]);
    s.dupack_sacking(&[23..24, 21..22]);
    s.expect_nothing();
    s.dupack_sacking(&[23..25, 21..22]);
    s.expect_sent([20]);
    s.expect_cwnd(10.0);
    s.expect_ssthresh(10.0);
    // pipe starts at 20 - 3 = 17 and falls by one a dupack: the eighth makes room for hole 22.
    for top in 26..=32 {
        s.dupack_sacking(&[23..top, 21..22]);
        s.expect_nothing();
    }
    s.dupack_sacking(&[23..33, 21..22]);
    s.expect_sent([22]);
    for top in 34..=40 {
        s.dupack_sacking(&[23..top, 21..22]);
        s.expect_nothing(); // the receiver's window is full
    }
    s.ack_sacking(22, &[23..40]);
    s.expect_sent([40, 41]);
    // The ACK that ends the recovery does not open the window.
    s.ack(40);
    s.expect_cwnd(10.0);
    s.expect_sent(42..=49);
    s.ack(41);
    s.expect_cwnd(10.1);
}

#[test]
fn a_partial_ack_takes_two_off_the_pipe() {
    let mut s = Script::sent(config("sack1", 20), 20);
    for top in 3..=5 {
        s.dupack_sacking(&[2..top]);
    }
    // 20 and two by limited transmit; pipe 22 - 3 = 19, window 10.
    s.expect_sent([21, 22, 1]);
    for _ in 0..9 {
        s.dupack(); // every ACK takes one off, with news or not
    }
    s.expect_nothing();
    // pipe 10 - 2 = 8: two segments, the hole first.
    s.ack_sacking(6, &[7..9]);
    s.expect_sent([6, 23]);
    assert!(s.sender.in_recovery());
    s.dupack();
    s.expect_sent([24]);
}

#[test]
fn a_hole_counts_as_lost_below_any_held_segment_and_is_resent_once() {
    let mut s = Script::sent(config("sack1", 8), 8);
    s.dupack_sacking(&[2..3]);
    s.dupack_sacking(&[2..4]);
    s.dupack_sacking(&[2..5]);
    s.expect_sent([9, 10, 1]);
    // pipe 10 - 3 = 7, window 4: the third dupack leaves 4, the next 3.
    s.dupacks(2);
    s.dupack_sacking(&[6..7, 2..5]);
    s.expect_nothing();
    s.dupack_sacking(&[6..8, 2..5]);
    s.expect_sent([5]);
    s.dupack_sacking(&[6..9, 2..5]);
    s.expect_sent([11]);
}

#[test]
fn a_timeout_forgets_what_is_held() {
    let mut s = Script::sent(config("sack1", 10), 10);
    s.dupack_sacking(&[3..7]);
    s.expect_sent([11]);
    s.wait_for_timeout();
    assert_eq!(s.sender.flight().sacked_bytes(), 0);
    s.expect_sent([1]);
    s.ack(3);
    s.expect_sent([3, 4]);
}

#[test]
fn after_a_timeout_nothing_is_resent_fast_until_newer_data_is_acknowledged() {
    let after = || {
        let mut s = Script::sent(config("sack1", 10), 10);
        s.wait_for_timeout();
        s.expect_sent([1]);
        s.ack(11);
        s.expect_sent([11, 12]);
        s
    };
    // All that was sent before the timeout has arrived, and 11 is lost.
    let mut s = after();
    s.dupack_sacking(&[12..13]);
    s.expect_sent([13]);
    s.dupack_sacking(&[12..14]);
    s.expect_sent([14]);
    s.dupack_sacking(&[12..15]);
    s.expect_sent([]);
    // 11 has arrived too, and 12 is lost.
    let mut s = after();
    s.ack(12);
    s.expect_sent([13, 14]);
    s.dupack_sacking(&[13..14]);
    s.expect_sent([15]);
    s.dupack_sacking(&[13..15]);
    s.expect_sent([16]);
    s.dupack_sacking(&[13..16]);
    s.expect_sent([12]);
}
