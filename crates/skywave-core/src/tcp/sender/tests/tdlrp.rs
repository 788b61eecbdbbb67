//! T-DLRP (Francis 2012, section 5.2), end to end through the sender.

use super::ddlrp::counts;
use super::plain;
use crate::tcp::config::TcpConfig;
use crate::tcp::testing::Script;

/// Ten segments sent at 0 ms; 2 to 4 are reported at 100 ms, and 1 sent again then.
#[track_caller]
fn resent(config: TcpConfig) -> Script {
    let mut s = Script::sent(config, 10);
    s.wait(100);
    for arrived in 2..=4 {
        s.dupack_sacking(&[arrived..arrived + 1]);
    }
    s.expect_sent([1, 11, 12, 13]);
    s
}

#[test]
fn what_was_sent_before_the_copy_says_nothing_and_what_was_sent_with_it_tells() {
    let mut s = resent(plain("t-dlrp", 10));
    for arrived in 5..=10 {
        s.dupack_sacking(&[arrived..arrived + 1]);
    }
    s.expect_sent(14..=19);
    assert_eq!(counts(&s), (1, 0));
    s.wait(100);
    s.dupack_sacking(&[11..12]);
    s.expect_sent([1, 20]);
    assert_eq!(counts(&s), (2, 0));
}

#[test]
fn the_copy_of_the_copy_is_watched_as_well() {
    let mut s = resent(plain("t-dlrp", 10));
    s.wait(100);
    s.dupack_sacking(&[11..12]);
    s.expect_sent([1, 14]);
    // 12 and 13 left before the second copy, 14 with it.
    s.dupack_sacking(&[12..13]);
    s.dupack_sacking(&[13..14]);
    assert_eq!(counts(&s), (2, 0));
    s.expect_sent([15, 16]);
    s.wait(100);
    s.dupack_sacking(&[14..15]);
    assert_eq!(s.poll().first(), Some(&1));
    assert_eq!(counts(&s), (3, 0));
}

#[test]
fn one_later_segment_is_enough_where_counting_waits_for_more() {
    // 2 to 10 arrive but 5 to 10 are lost: their ACKs would be counted.
    let mut s = resent(plain("t-dlrp", 10));
    s.wait(100);
    s.dupack_sacking(&[11..12]);
    assert_eq!(s.poll().first(), Some(&1));
    let mut s = resent(plain("ddlrp", 10));
    s.wait(100);
    s.dupack_sacking(&[11..12]);
    s.expect_sent([14]);
}

#[test]
fn a_dupack_without_a_report_tells_nothing() {
    let mut s = resent(plain("t-dlrp", 10));
    s.wait(100);
    s.dupacks(12);
    assert_eq!(counts(&s), (1, 0));
}

#[test]
fn without_ecn_a_loss_cuts() {
    let config = TcpConfig {
        ecn: false,
        ..plain("t-dlrp", 10)
    };
    let mut s = Script::sent(config, 10);
    s.wait(100);
    for arrived in 2..=4 {
        s.dupack_sacking(&[arrived..arrived + 1]);
    }
    s.expect_sent([1]);
    s.expect_cwnd(5.0);
    assert_eq!(counts(&s), (1, 1));
}

#[test]
fn it_asks_for_ecn_and_sack() {
    let config = plain("t-dlrp", 10);
    assert!(config.ecn && config.sack);
}
