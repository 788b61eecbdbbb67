//! Timeouts and fast retransmits, counted by what the sender knew: SIFEST section 4.1.

use super::{MSS, plain};
use crate::tcp::config::TcpConfig;
use crate::tcp::testing::Script;

fn held(s: &Script) -> ([u32; 4], [u32; 3]) {
    let events = s.sender.counters().events;
    (events.timeouts, events.failed_dupacks)
}

/// A sender that has sent its window of `n` segments and received `dupacks` duplicate ACKs, at its timeout.
fn timed_out(n: u32, dupacks: u32) -> Script {
    let mut s = Script::sent(plain("tahoe", n), u64::from(n));
    s.dupacks(dupacks);
    s.wait_for_timeout();
    s
}

#[test]
fn a_timeout_counts_by_the_duplicate_acks_held() {
    // Three are out and two are answered: all but the lost one.
    assert_eq!(held(&timed_out(3, 2)), ([0, 0, 1, 0], [0, 0, 1]));
    // Four are out: one besides the first is missing.
    assert_eq!(held(&timed_out(4, 2)), ([0, 0, 1, 0], [0; 3]));
    assert_eq!(held(&timed_out(2, 1)), ([0, 1, 0, 0], [0, 1, 0]));
    assert_eq!(held(&timed_out(1, 0)), ([1, 0, 0, 0], [1, 0, 0]));
}

#[test]
fn what_went_back_n_is_outstanding_once_it_is_sent_again() {
    let mut s = timed_out(4, 1);
    s.expect_sent([1]);
    s.wait_for_timeout();
    assert_eq!(held(&s), ([1, 1, 0, 0], [1, 0, 0]));
}

#[test]
fn a_timeout_after_a_fast_retransmit_has_three_or_more() {
    let mut s = Script::sent(plain("reno", 6), 6);
    s.dupacks(4);
    s.wait_for_timeout();
    assert_eq!(held(&s), ([0, 0, 0, 1], [0; 3]));
}

#[test]
fn small_windows_are_those_of_three_segments_or_less() {
    let small = |s: &Script| {
        let events = s.sender.counters().events;
        (
            events.small_cwnd_timeouts,
            events.small_cwnd_fast_retransmits,
        )
    };
    assert_eq!(small(&timed_out(3, 1)), (1, 0));
    assert_eq!(small(&timed_out(4, 1)), (0, 0));
    let mut s = Script::sent(plain("tahoe", 4), 4);
    s.dupacks(3);
    assert_eq!(small(&s), (0, 0));
    // Limited transmit brings a third duplicate ACK at a window of three.
    let mut s = Script::sent(
        TcpConfig {
            limited_transmit: true,
            ..plain("tahoe", 3)
        },
        3,
    );
    s.dupacks(3);
    assert_eq!(small(&s), (0, 1));
    assert_eq!(s.sender.counters().fast_retransmits, 1);
}

#[test]
fn a_last_segment_that_is_not_full_is_outstanding_too() {
    let mut s = Script::idle(plain("reno", 10));
    s.sender.write(u64::from(MSS) + 1);
    s.expect_sent([1, 2]);
    s.dupack();
    s.wait_for_timeout();
    assert_eq!(held(&s), ([0, 1, 0, 0], [0, 1, 0]));
}
