//! TCP SAC (Francis 2012, section 3.1.2.1), end to end through the sender.

use super::{MSS, plain};
use crate::tcp::config::{CongestionConfig, RecoveryConfig, RenoConfig, TcpConfig};
use crate::tcp::testing::Script;
use crate::tcp::window::{AckEvent, LossEvent, Response, TimeoutEvent, Window};
use crate::tcp::{CongestionControl, CustomCongestion};
use crate::units::Segments;

/// The example of the text: ten segments were sent and the second is acknowledged, so `t_nps` is 8.
fn example(config: TcpConfig) -> Script {
    let mut s = Script::idle(config);
    s.sender.write(10 * u64::from(MSS));
    s.expect_sent(1..=10);
    s.ack(3);
    s
}

fn fast_retransmits(s: &Script) -> u64 {
    s.sender.counters().fast_retransmits
}

#[test]
fn the_fourth_additional_dupack_of_the_example_resends_the_lost_copy() {
    let mut s = example(plain("sac", 10));
    s.dupacks(3);
    s.expect_sent([3]);
    // Rlp is 5.
    s.dupacks(3);
    s.expect_nothing();
    s.dupack();
    s.expect_sent([3]);
    s.ack(11);
    assert!(!s.sender.in_recovery());
    let counters = s.sender.counters();
    assert_eq!((counters.fast_retransmits, counters.window_cuts), (2, 1));
}

#[test]
fn newreno_waits_for_the_timer_in_the_same_place() {
    let mut s = example(plain("newreno", 10));
    s.dupacks(7);
    s.expect_sent([3]);
    s.wait_for_timeout();
    s.expect_sent([3]);
}

#[test]
fn the_threshold_is_half_of_what_is_outstanding() {
    let mut s = example(plain("sac", 10));
    s.dupacks(3);
    s.expect_ssthresh(4.0);
    s.expect_cwnd(4.0);
    // NewReno halves the window.
    let mut s = example(plain("newreno", 10));
    s.dupacks(3);
    s.expect_ssthresh(5.0);
}

#[test]
fn the_copy_of_the_copy_is_watched_as_well() {
    let mut s = Script::sent(plain("sac", 10), 10);
    s.dupacks(3);
    s.expect_sent([1]);
    // Six others are on their way; the window of 5 and inflation let 11 to 13 out.
    s.dupacks(5);
    s.expect_sent([11, 12, 13]);
    s.dupack();
    s.expect_sent([1, 14]);
    // 11, 12 and 13 were on their way then.
    s.dupacks(2);
    s.expect_sent([15, 16]);
    s.dupack();
    s.expect_sent([1, 17]);
    assert_eq!(s.sender.counters().window_cuts, 1);
}

#[test]
fn the_next_hole_is_watched_after_a_partial_ack() {
    let mut s = Script::sent(plain("sac", 10), 10);
    // 1 and 5 are lost.
    s.dupacks(8);
    s.expect_sent([1, 11, 12, 13]);
    s.ack(5);
    s.expect_sent([5, 14]);
    // 11, 12 and 13 are on their way, and have left before the copy of 5.
    s.dupacks(2);
    s.expect_sent([15, 16]);
    s.dupack();
    s.expect_sent([5, 17]);
}

#[test]
fn a_dupack_at_least_must_come_after_the_copy() {
    let mut s = Script::sent(plain("sac", 4), 4);
    s.dupacks(3);
    s.expect_sent([1, 5]);
    assert_eq!(fast_retransmits(&s), 1);
    s.dupack();
    s.expect_sent([1, 6]);
}

#[test]
fn more_dupacks_than_segments_outstanding_say_nothing() {
    // A receiver that refuses the segment answers each copy of it.
    for preset in ["sac", "ddlrp"] {
        let mut config = plain(preset, 4);
        config.rwnd = 4 * MSS;
        let mut s = Script::sent(config, 4);
        s.dupacks(3);
        s.expect_sent([1]);
        let mut copies = 0;
        for _ in 0..20 {
            s.dupack();
            copies += s.poll().len();
        }
        assert_eq!(copies, 1, "{preset}");
    }
}

#[test]
fn after_the_recovery_it_takes_three_dupacks_again() {
    let mut config = plain("sac", 10);
    config.composition.recovery = RecoveryConfig::Reno(RenoConfig::DEFAULT);
    let mut s = Script::sent(config, 10);
    s.dupacks(3);
    s.expect_sent([1]);
    // Reno's recovery ends here; RFC 6582's guard holds for one segment more.
    s.ack(11);
    let _ = s.poll();
    s.ack(12);
    let _ = s.poll();
    s.dupacks(2);
    assert_eq!(fast_retransmits(&s), 1);
    s.dupack();
    assert_eq!(fast_retransmits(&s), 2);
}

#[test]
fn what_a_timeout_or_an_idle_time_took_from_the_window_is_not_given_back() {
    let mut s = example(plain("sac", 10));
    s.dupacks(6);
    s.expect_sent([3]);
    s.wait_for_timeout();
    s.expect_sent([3]);
    s.ack(11);
    s.expect_cwnd(2.0);

    let mut s = Script::idle(TcpConfig {
        restart_after_idle: true,
        initial_ssthresh: Some(Segments(100.0)),
        ..plain("sac", 2)
    });
    s.sender.write(12 * u64::from(MSS));
    for ack in 2..=9 {
        s.ack(ack);
    }
    let _ = s.poll();
    s.dupacks(3);
    s.expect_sent([9]);
    s.ack(13);
    s.wait(60_000);
    s.sender.write(2 * u64::from(MSS));
    s.expect_sent([13, 14]);
    s.expect_cwnd(2.0);
    s.expect_ssthresh(2.0);
}

#[test]
fn what_partial_acks_took_from_the_window_is_given_back_at_the_end() {
    let mut s = Script::sent(plain("sac", 10), 10);
    s.dupacks(3);
    s.expect_sent([1]);
    s.ack(8);
    s.expect_cwnd(1.0);
    s.ack(11);
    s.expect_cwnd(5.0);
}

#[test]
fn a_window_in_slow_start_does_not_jump_to_its_threshold() {
    let mut config = TcpConfig {
        initial_ssthresh: Some(Segments(100.0)),
        ..plain("sac", 10)
    };
    let law = CustomCongestion::new("patient", |_| Patient);
    config.composition.congestion = CongestionConfig::Custom(law);
    let mut s = Script::sent(config, 10);
    s.dupacks(3);
    s.expect_ssthresh(100.0);
    s.ack(8);
    s.expect_cwnd(6.0);
    s.ack(11);
    s.expect_cwnd(6.0);
}

/// A law that neither grows nor answers losses.
struct Patient;

impl CongestionControl for Patient {
    fn grow(&mut self, _ack: &AckEvent, _window: &mut Window) {}

    fn on_loss(&mut self, _loss: &LossEvent, window: &Window) -> Response {
        Response::unchanged(window)
    }

    fn on_timeout(&mut self, _timeout: &TimeoutEvent, window: &Window) -> Response {
        Response::unchanged(window)
    }
}
