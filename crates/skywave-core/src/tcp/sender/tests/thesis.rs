//! The changes of Francis' thesis: a half window after a timeout and three quarters after a fast
//! retransmit (chapter 4), the extended timer (chapter 5).

use super::{MSS, config, plain};
use crate::packet::{Flags, Segment};
use crate::seq::SeqNr;
use crate::tcp::config::{CongestionConfig, DetectionConfig, Handshake, TcpConfig, TimeoutConfig};
use crate::tcp::testing::Script;
use crate::tcp::timeout::ExtendedConfig;
use crate::time::Duration;

/// Lets time pass until the extended timer expires, which is not a timeout yet.
#[track_caller]
fn wait_for_extension(s: &mut Script) {
    let before = *s.sender.counters();
    let window = s.sender.window();
    s.now = s.sender.next_timer().expect("a timer");
    s.sender.on_timer(s.now);
    assert_eq!(*s.sender.counters(), before);
    assert_eq!(s.sender.window(), window);
}

#[test]
fn a_timeout_leaves_half_of_what_is_outstanding() {
    for (window, half) in [(10, 5_u32), (4, 2), (3, 2), (2, 2)] {
        let mut s = Script::sent(plain("thesis-reno", window), window.into());
        s.wait_for_timeout();
        s.expect_cwnd(half.into());
        s.expect_ssthresh(half.into());
        s.expect_sent(1..=u64::from(half));
        // The timer is backed off as usual.
        s.expect_timer_in(6000);
    }
}

#[test]
fn all_that_is_outstanding_counts_while_going_back_n() {
    let mut s = Script::sent(plain("thesis-reno", 12), 12);
    for _ in 0..2 {
        s.wait_for_timeout();
        s.expect_sent(1..=6);
        s.expect_cwnd(6.0);
        s.expect_ssthresh(6.0);
    }
}

#[test]
fn a_fast_retransmit_leaves_three_quarters_of_what_is_outstanding() {
    let mut s = Script::sent(plain("thesis-reno", 12), 12);
    s.dupacks(3);
    s.expect_sent([1]);
    s.expect_cwnd(9.0);
    s.expect_ssthresh(9.0);
    // Inflated by the three, and by one more.
    s.dupack();
    s.expect_sent([13]);
    s.ack(14);
    s.expect_cwnd(9.0 + 1.0 / 9.0);
}

#[test]
fn a_fast_retransmit_leaves_two_segments_at_least() {
    let mut config = plain("thesis-reno", 2);
    config.composition.detection = DetectionConfig::Dupacks(1);
    let mut s = Script::sent(config, 2);
    s.dupack();
    s.expect_cwnd(2.0);
    s.expect_ssthresh(2.0);
}

#[test]
fn three_quarters_without_the_half_window_restart_with_one_segment() {
    let mut config = plain("reno", 12);
    config.composition.congestion = CongestionConfig::ThreeQuarter;
    let mut s = Script::sent(config, 12);
    s.wait_for_timeout();
    s.expect_sent([1]);
    s.expect_ssthresh(6.0);
}

#[test]
fn the_first_expiry_extends_the_timer_and_the_next_one_is_a_timeout() {
    let mut s = Script::sent(config("thesis-newreno", 10), 10);
    s.expect_timer_in(3000);
    wait_for_extension(&mut s);
    s.expect_nothing();
    s.expect_timer_in(4500);
    s.wait_for_timeout();
    s.expect_sent([1]);
    s.expect_cwnd(1.0);
    s.expect_ssthresh(5.0);
    // Without an ACK since, the sender does not wait again.
    for seconds in [6, 12, 24] {
        s.expect_timer_in(seconds * 1000);
        s.wait_for_timeout();
        s.expect_sent([1]);
        s.expect_cwnd(1.0);
    }
}

#[test]
fn later_expiries_on_the_connection_double_the_timer() {
    let mut s = Script::sent(config("thesis-newreno", 10), 10);
    s.wait(100);
    s.ack(2);
    s.expect_sent([11]);
    wait_for_extension(&mut s);
    s.expect_timer_in(450);
    s.wait(1);
    // A late ACK: the regular timer runs again, and nothing is sent twice.
    s.ack(3);
    s.expect_sent([12]);
    s.expect_timer_in(300);
    for _ in 0..2 {
        wait_for_extension(&mut s);
        s.expect_nothing();
        let timer = s.sender.next_timer().expect("a timer");
        assert_eq!(timer.since(s.now), s.sender.rto().rto() * 2);
        let next = s.next();
        s.acks_to(next);
        let _ = s.poll();
    }
    wait_for_extension(&mut s);
    s.wait_for_timeout();
    assert_eq!(s.sender.counters().retransmits, 1);
}

#[test]
fn a_timeout_takes_half_of_what_is_outstanding_while_going_back_n() {
    let mut s = Script::sent(config("thesis-newreno", 12), 12);
    wait_for_extension(&mut s);
    for _ in 0..2 {
        s.wait_for_timeout();
        s.expect_ssthresh(6.0);
        s.expect_cwnd(1.0);
    }
}

#[test]
fn dupacks_do_not_return_to_the_regular_timer() {
    let mut s = Script::sent(plain("thesis-newreno", 10), 10);
    wait_for_extension(&mut s);
    s.dupacks(2);
    s.wait_for_timeout();
}

#[test]
fn the_extended_timer_keeps_below_the_largest_rto() {
    for (initial, extended) in [(30, 45), (50, 60), (60, 60)] {
        let mut config = config("thesis-newreno", 10);
        std::sync::Arc::make_mut(&mut config.rto).initial = Duration::from_secs(initial);
        let mut s = Script::sent(config, 10);
        wait_for_extension(&mut s);
        s.expect_timer_in(extended * 1000);
    }
}

#[test]
fn the_factors_are_parameters() {
    let mut config = config("thesis-newreno", 10);
    config.composition.timeout = TimeoutConfig::Extended(ExtendedConfig {
        first: 3.0,
        later: 1.25,
        retransmit: false,
    });
    let mut s = Script::sent(config, 10);
    s.wait(100);
    s.ack(2);
    wait_for_extension(&mut s);
    s.expect_timer_in(900);
    s.ack(3);
    wait_for_extension(&mut s);
    s.expect_timer_in(375);
}

#[test]
fn the_first_expiry_may_retransmit_as_well() {
    let mut config = config("thesis-newreno", 10);
    config.composition.timeout = TimeoutConfig::Extended(ExtendedConfig {
        retransmit: true,
        ..ExtendedConfig::DEFAULT
    });
    let mut s = Script::sent(config, 10);
    wait_for_extension(&mut s);
    s.expect_sent([1]);
    s.expect_cwnd(10.0);
    s.expect_timer_in(4500);
    s.wait(100);
    s.ack(11);
    // Karn's rule: the segment was sent twice.
    assert_eq!(s.sender.poll_rtt(), None);
    s.expect_sent(11..=20);
}

#[test]
fn a_partial_ack_returns_to_the_regular_timer() {
    // The impatient variant: later partial ACKs do not restart a regular timer.
    let mut s = Script::sent(plain("thesis-newreno", 10), 10);
    s.wait(100);
    s.ack(2);
    s.expect_sent([11]);
    s.dupacks(3);
    s.expect_sent([2]);
    s.wait(100);
    s.ack(4);
    s.expect_sent([4]);
    s.expect_timer_in(300);
    s.wait(100);
    s.ack(6);
    s.expect_timer_in(200);
    wait_for_extension(&mut s);
    s.expect_timer_in(450);
    s.ack(8);
    s.expect_timer_in(300);
    wait_for_extension(&mut s);
}

#[test]
fn a_syn_is_not_waited_for() {
    let mut s = Script::new(TcpConfig {
        handshake: Handshake::ThreeWay,
        ..config("thesis-newreno", 2)
    });
    assert!(s.poll_segment().unwrap().is_syn());
    s.wait_for_timeout();
    assert!(s.poll_segment().unwrap().is_syn());
    s.receive(&Segment {
        ack: SeqNr(1),
        window: 100 * MSS,
        flags: Flags::SYN_ACK,
        ..Segment::default()
    });
    s.expect_sent([1]);
    // Two backed-off initial RTOs; the first time half as much again.
    s.expect_timer_in(6000);
    wait_for_extension(&mut s);
    s.expect_timer_in(9000);
}
