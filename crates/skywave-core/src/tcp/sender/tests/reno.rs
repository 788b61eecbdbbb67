//! Reno: RFC 5681, RFC 3042, and ns-2's guard against a second fast retransmit in a window.

use super::{MSS, config, plain};
use crate::tcp::config::TcpConfig;
use crate::tcp::testing::Script;
use crate::units::Segments;

#[test]
fn slow_start_sends_two_segments_an_ack() {
    let mut s = Script::sent(
        TcpConfig {
            initial_ssthresh: Some(Segments(4.0)),
            ..config("reno", 1)
        },
        1,
    );
    s.ack(2);
    s.expect_sent([2, 3]);
    s.ack(3);
    s.expect_sent([4, 5]);
    s.ack(4);
    s.expect_sent([6, 7]);
    s.expect_cwnd(4.0);
    // At the threshold congestion avoidance takes over: 4 and 1/4.
    s.ack(5);
    s.expect_sent([8]);
    s.expect_cwnd(4.25);
}

#[test]
fn congestion_avoidance_adds_a_segment_a_round_trip() {
    let mut s = Script::sent(config("reno", 4), 4);
    let mut cwnd = 4.0;
    for ack in 2..=5 {
        s.ack(ack);
        cwnd += 1.0 / cwnd;
        s.expect_cwnd(cwnd);
        s.expect_sent([ack + 3]);
    }
    assert!(cwnd > 4.9 && cwnd < 5.0);
}

#[test]
fn an_ack_of_several_segments_counts_once_by_acks_and_twice_at_most_by_bytes() {
    use crate::tcp::config::Counting;
    let slow_start = |counting| {
        let mut s = Script::sent(
            TcpConfig {
                counting,
                initial_ssthresh: Some(Segments(100.0)),
                ..config("reno", 6)
            },
            6,
        );
        s.ack(6);
        s.sender.window().cwnd
    };
    assert_eq!(slow_start(Counting::Acks), Segments(7.0));
    assert_eq!(slow_start(Counting::Bytes(2)), Segments(8.0));
    assert_eq!(slow_start(Counting::Delivered), Segments(11.0));
}

#[test]
fn by_bytes_delayed_acks_grow_the_window_as_fast() {
    // RFC 3465 section 2.1: a segment for each window of bytes acknowledged.
    use crate::tcp::config::Counting;
    let mut s = Script::sent(
        TcpConfig {
            counting: Counting::Bytes(2),
            ..config("reno", 10)
        },
        10,
    );
    for ack in [3, 5, 7, 9, 11] {
        s.ack(ack);
    }
    let cwnd = s.sender.window().cwnd.0;
    assert!(cwnd > 10.9 && cwnd < 11.0, "{cwnd}");
}

#[test]
fn by_bytes_a_window_that_is_not_used_does_not_grow() {
    use crate::tcp::config::Counting;
    let mut s = Script::idle(TcpConfig {
        counting: Counting::Bytes(2),
        ..config("reno", 10)
    });
    s.sender.write(3 * u64::from(MSS));
    s.expect_sent(1..=3);
    s.ack(4);
    s.expect_cwnd(10.0);
}

#[test]
fn the_third_dupack_halves_the_window_and_resends() {
    let mut s = Script::sent(plain("reno", 10), 10);
    s.ack(2);
    s.expect_sent([11]);
    s.dupacks(2);
    s.expect_nothing();
    s.expect_cwnd(10.1);
    s.dupack();
    s.expect_sent([2]);
    // Half of 10.1; the threshold is kept in whole segments.
    s.expect_cwnd(5.05);
    s.expect_ssthresh(5.0);
    assert!(s.sender.in_recovery());
    // 5.05 + 3 segments from 2 on: all of these are sent already. Each further dupack adds one.
    s.dupacks(2);
    s.expect_nothing();
    s.dupack();
    s.expect_sent([12]);
    s.dupacks(3);
    s.expect_sent([13, 14, 15]);
    s.expect_cwnd(5.05);
    // The first new ACK deflates the window, and makes it grow as any ACK does.
    s.ack(12);
    s.expect_cwnd(5.05 + 1.0 / 5.05);
    s.expect_sent([16]);
    assert!(!s.sender.in_recovery());
}

#[test]
fn without_rounding_threshold_and_window_are_half_exactly() {
    let mut s = Script::sent(
        TcpConfig {
            whole_ssthresh: false,
            ..plain("reno", 9)
        },
        9,
    );
    s.dupacks(3);
    s.expect_sent([1]);
    s.expect_cwnd(4.5);
    s.expect_ssthresh(4.5);
}

#[test]
fn the_threshold_is_never_below_two_segments() {
    let mut s = Script::sent(config("reno", 3), 3);
    s.dupacks(2);
    s.expect_sent([4, 5]);
    s.dupack();
    s.expect_sent([1]);
    s.expect_ssthresh(2.0);
    s.expect_cwnd(2.0);
}

#[test]
fn the_receivers_window_counts_where_it_is_the_smaller() {
    let mut s = Script::sent(
        TcpConfig {
            rwnd: 6 * MSS,
            ..config("reno", 20)
        },
        6,
    );
    s.dupacks(3);
    s.expect_sent([1]);
    s.expect_cwnd(3.0);
    s.expect_ssthresh(3.0);
}

#[test]
fn limited_transmit_sends_one_new_segment_on_each_of_two_dupacks() {
    let mut s = Script::sent(config("reno", 4), 4);
    s.dupack();
    s.expect_sent([5]);
    s.dupack();
    s.expect_sent([6]);
    s.dupack();
    s.expect_sent([1]);
    s.expect_cwnd(2.0);

    // With the guard off, the inflated window, 2 + 3, lets 5 out with the retransmission.
    let mut s = Script::sent(plain("reno", 4), 4);
    s.dupacks(2);
    s.expect_nothing();
    s.dupack();
    s.expect_sent([1, 5]);
}

#[test]
fn limited_transmit_keeps_to_the_receivers_window() {
    let mut s = Script::sent(
        TcpConfig {
            rwnd: 5 * MSS,
            ..config("reno", 4)
        },
        4,
    );
    s.dupacks(2);
    s.expect_sent([5]);
}

/// Segments 2 and 7 of a window are lost. Stops at the ACK that asks for 7.
fn two_losses(avoid_repeated_recovery: bool) -> Script {
    let mut config = config("reno", 10);
    config.composition.avoid_repeated_recovery = avoid_repeated_recovery;
    let mut s = Script::sent(config, 10);
    s.wait(100);
    s.ack(2);
    s.expect_sent([11]);
    s.dupacks(3); // 3, 4, 5
    s.expect_sent([12, 13, 2]);
    s.dupacks(7); // 6, 8 to 13: ten in all
    s.expect_sent([14, 15, 16]);
    s.ack(7);
    s.expect_cwnd(5.05 + 1.0 / 5.05);
    s.expect_nothing();
    s
}

#[test]
fn a_second_loss_of_the_window_waits_for_the_timeout() {
    let mut s = two_losses(true);
    s.dupacks(3); // 14, 15, 16
    s.expect_nothing();
    assert_eq!(s.sender.counters().fast_retransmits, 1);
    s.wait_for_timeout();
    s.expect_ssthresh(2.0);
    s.expect_cwnd(1.0);
    s.expect_sent([7]);
    s.ack(17);
    s.expect_sent([17, 18]);
}

#[test]
fn without_the_guard_a_second_loss_is_resent_and_cuts_again() {
    let mut s = two_losses(false);
    s.dupacks(3);
    s.expect_sent([7]);
    assert_eq!(s.sender.counters().fast_retransmits, 2);
    assert_eq!(s.sender.counters().window_cuts, 2);
    s.expect_ssthresh(2.0);
}

#[test]
fn the_guard_ends_when_more_than_recover_is_acknowledged() {
    // RFC 6582 section 3.2 step 2: "covers more than recover".
    let mut s = Script::sent(plain("reno", 10), 10);
    s.dupacks(3);
    s.expect_sent([1]);
    s.ack(11);
    s.expect_sent(11..=15);
    s.dupacks(3);
    s.expect_nothing();
    s.ack(12);
    s.expect_sent([16]);
    s.dupacks(3);
    s.expect_sent([12]);
}

#[test]
fn two_losses_in_a_window_of_twenty_as_ns2_has_it() {
    // ns-2.35, receiver's window 20, packets 20 and 22 of a transfer lost: the window was above 20,
    // half is of 20; ACK 22, silence, timeout, then 40 and 41.
    let mut s = window_of_twenty("reno");
    s.dupacks(18);
    s.expect_sent([20]);
    s.expect_ssthresh(10.0);
    s.expect_cwnd(10.0);
    s.ack(22);
    s.expect_cwnd(10.1);
    s.expect_nothing();
    s.wait_for_timeout();
    s.expect_ssthresh(5.0);
    s.expect_cwnd(1.0);
    s.expect_sent([22]);
    s.ack(40);
    s.expect_sent([40, 41]);
}

/// 20 to 39 are outstanding, the receiver waits for 20, its window is 20.
pub(super) fn window_of_twenty(name: &str) -> Script {
    let mut s = Script::sent(
        TcpConfig {
            rwnd: 20 * MSS,
            ..config(name, 20)
        },
        20,
    );
    s.wait(100);
    s.acks_to(20);
    s.expect_sent(21..=39);
    assert!(s.sender.window().cwnd > Segments(20.0));
    s
}
