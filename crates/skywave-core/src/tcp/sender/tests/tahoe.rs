//! Tahoe: fast retransmit, then slow start from the lost segment.

use super::{config, plain};
use crate::tcp::config::TcpConfig;
use crate::tcp::testing::Script;
use crate::units::Segments;

#[test]
fn the_third_dupack_restarts_with_one_segment_and_goes_back_n() {
    let mut s = Script::sent(config("tahoe", 10), 10);
    s.ack(2);
    s.expect_sent([11]);
    s.dupack();
    s.expect_sent([12]);
    s.dupack();
    s.expect_sent([13]);
    s.dupack();
    s.expect_sent([2]);
    s.expect_cwnd(1.0);
    s.expect_ssthresh(5.0);
    s.dupacks(7);
    s.expect_nothing();
    // 7 is lost as well: slow start resends from there, 8 needlessly.
    s.ack(7);
    s.expect_cwnd(2.0);
    s.expect_sent([7, 8]);
    // The receiver held the other segments.
    s.ack(14);
    s.expect_cwnd(3.0);
    s.expect_sent([14, 15, 16]);
    for ack in 15..=16 {
        s.ack(ack);
    }
    s.expect_cwnd(5.0);
    s.ack(17);
    s.expect_cwnd(5.2);
}

#[test]
fn a_fast_retransmit_is_not_repeated_below_the_highest_segment_sent() {
    let mut s = Script::sent(plain("tahoe", 10), 10);
    s.dupacks(3);
    s.expect_sent([1]);
    s.ack(2);
    s.expect_sent([2, 3]);
    s.dupacks(3);
    s.expect_nothing();
    assert_eq!(s.sender.counters().fast_retransmits, 1);
}

#[test]
fn a_larger_loss_window_is_what_slow_start_begins_with_again() {
    // SIFEST's LIW: Pan, Mark and Shen 2004, section 4.2.
    let liw = TcpConfig {
        loss_window: Segments(2.0),
        ..plain("tahoe", 10)
    };
    let mut s = Script::sent(liw.clone(), 10);
    s.dupacks(3);
    s.expect_sent([1, 2]);
    s.expect_cwnd(2.0);
    s.expect_ssthresh(5.0);
    let mut s = Script::sent(liw, 10);
    s.wait_for_timeout();
    s.expect_sent([1, 2]);
    s.expect_cwnd(2.0);
    s.expect_ssthresh(5.0);
}
