//! DDLRP (Francis 2012, section 3.1.2.2), end to end through the sender.

use super::plain;
use crate::tcp::config::{EcnRules, RecoveryConfig, TcpConfig};
use crate::tcp::testing::Script;

/// Ten segments in flight, by RFC 3168's rules for marks.
fn ddlrp() -> Script {
    let config = TcpConfig {
        ecn_rules: EcnRules::Rfc3168,
        ..plain("ddlrp", 10)
    };
    Script::sent(config, 10)
}

/// Detection alone: no router can warn.
fn without_ecn() -> Script {
    let config = TcpConfig {
        ecn: false,
        ..plain("ddlrp", 10)
    };
    Script::sent(config, 10)
}

/// Fast retransmissions, and cuts of the window.
pub(super) fn counts(s: &Script) -> (u64, u64) {
    let counters = s.sender.counters();
    (counters.fast_retransmits, counters.window_cuts)
}

#[test]
fn a_loss_without_a_warning_is_repaired_without_a_cut() {
    let mut s = ddlrp();
    s.dupacks(3);
    // A window of ten and three of inflation.
    s.expect_sent([1, 11, 12, 13]);
    s.expect_cwnd(10.0);
    s.expect_ssthresh(10.0);
    s.ack(14);
    s.expect_cwnd(10.1);
    assert_eq!(counts(&s), (1, 0));
}

#[test]
fn a_loss_with_a_warning_cuts() {
    let mut s = ddlrp();
    s.dupacks(2);
    s.echo(1);
    s.expect_sent([1]);
    s.expect_cwnd(5.0);
    s.expect_ssthresh(5.0);
    assert_eq!(counts(&s), (1, 1));
}

#[test]
fn a_warning_cuts_once_for_a_window_of_data_and_its_losses() {
    let mut s = ddlrp();
    s.echo(2);
    s.expect_cwnd(5.0 + 1.0 / 5.0 - 1.0 / 5.0);
    assert_eq!(counts(&s), (0, 1));
    s.expect_nothing();
    // The receiver echoes until it hears of the cut.
    for _ in 0..3 {
        s.echo(2);
    }
    s.expect_sent([2]);
    s.expect_cwnd(5.0);
    assert_eq!(counts(&s), (1, 1));
}

#[test]
fn without_ecn_each_loss_cuts() {
    let mut s = without_ecn();
    s.dupacks(3);
    s.expect_sent([1]);
    s.expect_cwnd(5.0);
    assert_eq!(counts(&s), (1, 1));
}

#[test]
fn a_copy_is_lost_when_more_dupacks_come_than_segments_were_on_their_way() {
    let mut s = without_ecn();
    s.dupacks(3);
    s.expect_sent([1]);
    // The detection point is 10 − 3: 2 to 10 without the three that have come, and one to spare.
    s.dupacks(7);
    s.expect_sent([11, 12, 13, 14, 15]);
    assert_eq!(counts(&s), (1, 1));
    s.dupack();
    s.expect_sent([1, 16]);
    assert_eq!(counts(&s), (2, 1));
}

#[test]
fn the_copy_of_the_copy_is_watched_as_well() {
    let mut s = without_ecn();
    s.dupacks(11);
    s.expect_sent([1, 11, 12, 13, 14, 15, 1, 16]);
    // Of fifteen that were out then, eleven have arrived: the point is 4.
    s.dupacks(4);
    s.expect_sent([17, 18, 19, 20]);
    s.dupack();
    s.expect_sent([1, 21]);
    assert_eq!(counts(&s), (3, 1));
}

#[test]
fn the_next_hole_is_watched_after_a_partial_ack() {
    let mut s = without_ecn();
    // 1 and 5 are lost.
    s.dupacks(8);
    s.expect_sent([1, 11, 12, 13]);
    s.ack(5);
    s.expect_sent([5, 14]);
    // 5 to 13 are out, five of which have arrived: the point is 4.
    s.dupacks(4);
    s.expect_sent([15, 16, 17, 18]);
    s.dupack();
    s.expect_sent([5, 19]);
    assert_eq!(counts(&s), (2, 1));
}

#[test]
fn a_lost_copy_with_a_warning_cuts_and_one_without_does_not() {
    let mut s = ddlrp();
    s.dupacks(10);
    assert_eq!(counts(&s), (1, 0));
    let _ = s.poll();
    s.dupack();
    assert_eq!(s.poll().first(), Some(&1));
    s.expect_cwnd(10.0);
    assert_eq!(counts(&s), (2, 0));

    let mut s = ddlrp();
    s.dupacks(10);
    let _ = s.poll();
    // Half of the window, which has no part in what duplicate ACKs have added to it.
    s.echo(1);
    assert_eq!(s.poll().first(), Some(&1));
    s.expect_cwnd(5.0);
    assert_eq!(counts(&s), (2, 1));
    assert!(s.sender.in_recovery());
}

#[test]
fn a_hole_that_waits_to_be_sent_again_is_no_lost_copy() {
    let mut config = TcpConfig {
        ecn: false,
        ..plain("ddlrp", 10)
    };
    config.composition.recovery = RecoveryConfig::Sack;
    let mut s = Script::sent(config, 10);
    // 1 and 9 are lost; of 9 SACK does not know yet.
    for arrived in 2..=8 {
        s.dupack_sacking(&[arrived..arrived + 1]);
    }
    let _ = s.poll();
    s.ack_sacking(9, &[10..11]);
    let _ = s.poll();
    let resent = s.sender.counters().retransmits;
    s.dupack_sacking(&[11..12, 10..11]);
    assert_eq!(s.sender.counters().retransmits, resent);
    assert_eq!(counts(&s), (1, 1));
}

#[test]
fn it_asks_for_ecn() {
    assert!(plain("ddlrp", 10).ecn);
    assert!(!plain("newreno", 10).ecn);
}
