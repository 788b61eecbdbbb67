//! Cuts of the window that were wrong, and cuts that were right.

use std::sync::Arc;

use super::config;
use crate::tcp::config::TcpConfig;
use crate::tcp::testing::Script;
use crate::tcp::{RtoArithmetic, RtoConfig, UndoConfig};
use crate::time::Time;

const ALL: UndoConfig = UndoConfig {
    frto: false,
    ..UndoConfig::ALL
};

fn undoing(preset: &str, undo: UndoConfig) -> TcpConfig {
    let config = config(preset, 10);
    TcpConfig {
        timestamps: true,
        sack: true,
        dsack: true,
        undo,
        rto: Arc::new(RtoConfig {
            arithmetic: RtoArithmetic::Exact,
            ..*config.rto
        }),
        ..config
    }
}

/// A sender with segments 2 to 12 in flight whose timer has just expired. Returns also the times at which
/// those were sent and at which segment 2 was sent again.
fn timed_out(preset: &str, undo: UndoConfig) -> (Script, Time, Time) {
    let mut s = Script::sent(undoing(preset, undo), 10);
    s.wait(100);
    s.ack_echoing(2, s.now);
    s.expect_sent([11]);
    let sent = s.now;
    s.wait_for_timeout();
    s.expect_sent([2]);
    s.expect_cwnd(1.0);
    let again = s.now;
    s.wait(10);
    (s, sent, again)
}

#[test]
fn a_timeout_that_came_too_early_is_taken_back() {
    for preset in ["reno", "newreno", "sack", "sack1"] {
        let (mut s, sent, _) = timed_out(preset, ALL);
        // The ACK of the original was only late.
        s.ack_echoing(3, sent);
        s.expect_cwnd(10.1);
        s.expect_ssthresh(10.0);
        // New data goes out; nothing else is sent again.
        s.expect_sent([12]);
        s.ack_echoing(4, sent);
        s.expect_sent([13]);
        assert_eq!(s.sender.counters().retransmits, 1, "{preset}");
    }
}

#[test]
fn one_that_was_right_is_not() {
    let (mut s, _, again) = timed_out("sack", ALL);
    s.ack_echoing(3, again);
    s.expect_cwnd(2.0);
    s.expect_sent([3, 4]);
}

#[test]
fn without_undo_the_sender_goes_back_n() {
    let (mut s, sent, _) = timed_out("sack", UndoConfig::default());
    s.ack_echoing(3, sent);
    s.expect_sent([3, 4]);
}

#[test]
fn a_fast_retransmit_of_what_was_only_reordered_is_taken_back() {
    let mut s = Script::sent(undoing("sack", ALL), 10);
    s.wait(100);
    s.ack_echoing(2, s.now);
    s.expect_sent([11]);
    let before = s.sender.window();
    for held in 4..=6 {
        s.dupack_sacking(&[3..held]);
    }
    assert!(s.sender.in_recovery());
    assert!(s.poll().contains(&2));
    let sent = s.now;
    s.wait(5);
    // Segment 2 itself arrives, with its first timestamp.
    s.ack_echoing(7, sent - crate::time::Duration::from_millis(1));
    assert!(!s.sender.in_recovery());
    assert!(s.sender.window().cwnd >= before.cwnd);
    assert_eq!(s.sender.window().ssthresh, before.ssthresh);
}

#[test]
fn reports_of_duplicates_take_it_back_without_timestamps() {
    let config = TcpConfig {
        timestamps: false,
        ..undoing("sack", ALL)
    };
    let mut s = Script::sent(config, 10);
    s.wait(100);
    s.ack(2);
    s.expect_sent([11]);
    for held in 4..=6 {
        s.dupack_sacking(&[3..held]);
    }
    assert!(s.poll().contains(&2));
    s.wait(5);
    s.ack(7);
    let cut = s.sender.window();
    assert!(cut.ssthresh < crate::units::Segments(10.0));
    // Segment 2 comes a second time: the receiver says so.
    s.wait(95);
    s.dupack_sacking(&[2..3]);
    assert!(s.sender.window().ssthresh >= crate::units::Segments(10.0));
    assert!(s.sender.window().cwnd > cut.cwnd);
}
