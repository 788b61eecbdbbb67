//! F-RTO (RFC 5682): new data tells after a timeout whether the rest of the flight was lost.

use std::sync::Arc;

use super::plain as config;
use crate::tcp::config::TcpConfig;
use crate::tcp::testing::Script;
use crate::tcp::{RtoArithmetic, RtoConfig, UndoConfig};

/// Without SACK (or with a scoreboard that forgets), and with it.
const WITHOUT: [&str; 4] = ["tahoe", "reno", "newreno", "sack1"];
const WITH: [&str; 1] = ["sack"];

fn testing(preset: &str) -> TcpConfig {
    let config = config(preset, 10);
    TcpConfig {
        undo: UndoConfig {
            frto: true,
            ..UndoConfig::default()
        },
        rto: Arc::new(RtoConfig {
            arithmetic: RtoArithmetic::Exact,
            ..*config.rto
        }),
        ..config
    }
}

/// Segments 2 to 11 are in flight; the timer has expired, and 2 was sent again.
fn time_out(mut s: Script) -> Script {
    s.expect_sent(1..=10);
    s.wait(100);
    s.ack(2);
    s.expect_sent([11]);
    s.wait_for_timeout();
    s.expect_sent([2]);
    s.expect_cwnd(1.0);
    s.expect_ssthresh(5.0);
    s.wait(10);
    s
}

fn timed_out(preset: &str) -> Script {
    time_out(Script::new(testing(preset)))
}

/// As [`timed_out`], with an application that has written this number of segments.
fn timed_out_of(preset: &str, segments: u64) -> Script {
    let mut s = Script::idle(testing(preset));
    s.sender.write(segments * 1000);
    time_out(s)
}

#[test]
fn an_ack_of_data_sent_once_shows_that_the_timeout_was_spurious() {
    for preset in WITHOUT.iter().chain(&WITH) {
        let mut s = timed_out(preset);
        s.ack(3);
        s.expect_sent([12, 13]);
        s.expect_ssthresh(5.0);
        s.ack(4);
        s.expect_cwnd(10.1);
        s.expect_ssthresh(10.0);
        s.expect_nothing();
        s.ack(5);
        s.expect_sent([14]);
        assert_eq!(s.sender.counters().retransmits, 1, "{preset}");
    }
}

/// A duplicate ACK of a receiver that reports what it holds, if the sender goes by that.
fn duplicate(s: &mut Script, preset: &str, held: std::ops::Range<u64>) {
    if preset.starts_with("sack") {
        s.dupack_sacking(&[held]);
    } else {
        s.dupack();
    }
}

#[test]
fn a_duplicate_of_it_shows_that_the_rest_was_lost() {
    for preset in WITHOUT.iter().chain(&WITH) {
        let mut s = timed_out(preset);
        s.ack(3);
        s.expect_sent([12, 13]);
        duplicate(&mut s, preset, 12..13);
        s.expect_cwnd(3.0);
        s.expect_ssthresh(5.0);
        s.expect_sent([3, 4, 5]);
        duplicate(&mut s, preset, 12..14);
        s.expect_nothing();
        s.ack(6);
        s.expect_cwnd(4.0);
        s.expect_sent([6, 7, 8, 9]);
        // Of the new data only what is not known to have arrived is sent again.
        s.ack(10);
        let next: &[u64] = match *preset {
            "sack" => &[10, 11, 14],
            _ => &[10, 11, 12, 13, 14],
        };
        s.expect_sent(next.iter().copied());
        assert_eq!(s.sender.counters().window_cuts, 1, "{preset}");
    }
}

#[test]
fn without_sack_a_duplicate_before_that_ends_the_test() {
    for preset in WITHOUT {
        let mut s = timed_out(preset);
        duplicate(&mut s, preset, 6..7);
        s.expect_nothing();
        s.ack(3);
        s.expect_sent([3, 4]);
        s.ack(4);
        s.expect_ssthresh(5.0);
    }
}

#[test]
fn with_sack_it_waits_and_a_report_of_the_rest_is_enough() {
    for preset in WITH {
        let mut s = timed_out(preset);
        s.dupack_sacking(&[6..7]);
        s.expect_nothing();
        s.ack_sacking(3, &[6..7]);
        s.expect_sent([12, 13]);
        // What was reported before is no news.
        s.dupack_sacking(&[6..7]);
        s.expect_ssthresh(5.0);
        s.dupack_sacking(&[6..8]);
        s.expect_ssthresh(10.0);
        assert_eq!(s.sender.counters().retransmits, 1, "{preset}");
    }
}

#[test]
fn limited_transmit_does_not_spoil_the_test() {
    let mut s = time_out(Script::new(TcpConfig {
        limited_transmit: true,
        ..testing("sack")
    }));
    s.dupack_sacking(&[6..7]);
    s.expect_nothing();
    s.ack_sacking(3, &[6..7]);
    s.expect_sent([12, 13]);
}

#[test]
fn with_sack_a_report_of_what_was_sent_again_says_nothing() {
    let mut s = Script::new(TcpConfig {
        dsack: true,
        ..testing("sack")
    });
    s = time_out(s);
    s.ack(3);
    s.expect_sent([12, 13]);
    s.dupack_sacking(&[2..3]);
    s.expect_nothing();
    s.ack(4);
    s.expect_ssthresh(10.0);
}

#[test]
fn an_ack_of_everything_may_answer_either_transmission() {
    for preset in WITHOUT.iter().chain(&WITH) {
        let mut s = timed_out(preset);
        s.ack(12);
        s.expect_cwnd(2.0);
        s.expect_sent([12, 13]);
        s.ack(13);
        s.expect_ssthresh(5.0);
    }
}

#[test]
fn without_new_data_it_goes_back_n() {
    for preset in WITHOUT.iter().chain(&WITH) {
        let mut s = timed_out_of(preset, 11);
        s.ack(3);
        s.expect_sent([3, 4]);
        s.ack(4);
        s.expect_ssthresh(5.0);
    }
}

#[test]
fn one_new_segment_is_enough() {
    for preset in WITHOUT.iter().chain(&WITH) {
        let mut s = timed_out_of(preset, 12);
        s.ack(3);
        s.expect_sent([12]);
        s.ack(4);
        s.expect_ssthresh(10.0);
        assert_eq!(s.sender.counters().retransmits, 1, "{preset}");
    }
}

#[test]
fn the_receivers_window_may_forbid_the_test() {
    let mut s = time_out(Script::new(TcpConfig {
        rwnd: 10_000,
        ..testing("reno")
    }));
    // A window that the application does not read: 2 to 11 fill it, and so do 3 to 12.
    let closed = crate::packet::Segment {
        ack: crate::seq::SeqNr::at(0, 2000),
        window: 9000,
        flags: crate::packet::Flags::ACK,
        ..crate::packet::Segment::default()
    };
    s.receive(&closed);
    s.expect_sent([3, 4]);
}

#[test]
fn a_timer_that_expires_again_before_any_answer_changes_nothing() {
    let mut s = timed_out("newreno");
    s.wait_for_timeout();
    s.expect_sent([2]);
    s.ack(3);
    s.expect_sent([12, 13]);
    s.ack(4);
    s.expect_cwnd(10.1);
    s.expect_ssthresh(10.0);
}

#[test]
fn a_timeout_after_an_answer_is_not_tested() {
    let mut s = timed_out("newreno");
    s.ack(3);
    s.expect_sent([12, 13]);
    s.wait_for_timeout();
    s.expect_sent([3]);
    s.ack(4);
    s.expect_sent([4, 5]);
}

#[test]
fn a_timeout_during_a_repair_is_not_tested() {
    for preset in ["reno", "newreno", "sack"] {
        let mut s = Script::sent(testing(preset), 10);
        s.wait(100);
        s.ack(2);
        for held in 4..=6 {
            s.dupack_sacking(&[3..held]);
        }
        assert!(s.sender.in_recovery(), "{preset}");
        s.wait_for_timeout();
        s.poll();
        s.ack(7);
        s.expect_sent([7, 8]);
    }
}

/// Time has found losses and a probe was sent before the timer expired: the test comes first.
fn timed_out_by_time() -> Script {
    let mut s = Script::sent(testing("rack-tlp"), 10);
    s.wait(100);
    s.ack(2);
    s.expect_sent([11]);
    s.wait_for_probe();
    s.expect_sent([12]);
    s.wait_for_timeout();
    s.expect_sent([2]);
    s.wait(100);
    s
}

#[test]
fn what_time_finds_lost_waits_for_the_test() {
    let mut s = timed_out_by_time();
    s.ack(3);
    s.expect_sent([13, 14]);
    s.ack(4);
    s.expect_ssthresh(10.0);
    assert_eq!(s.sender.counters().retransmits, 1);

    let mut s = timed_out_by_time();
    s.ack(3);
    s.expect_sent([13, 14]);
    s.wait(100);
    s.dupack_sacking(&[13..14]);
    s.expect_cwnd(3.0);
    s.expect_ssthresh(5.0);
    s.expect_sent([3, 4, 5]);
    assert_eq!(s.sender.counters().fast_retransmits, 0);
    assert_eq!(s.sender.counters().window_cuts, 1);
}
