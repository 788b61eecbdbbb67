//! Proportional rate reduction: RFC 6937, RFC 9937.

use super::config;
use crate::tcp::config::{RecoveryConfig, TcpConfig};
use crate::tcp::testing::{MSS, Script};

/// SACK with proportional rate reduction.
fn prr(window: u32) -> TcpConfig {
    let mut config = config("sack", window);
    config.composition.recovery = RecoveryConfig::Prr;
    config
}

/// 1 is lost and was resent on the third dupack, 12 is the highest sent; ssthresh is 5.
fn recovering() -> Script {
    let mut s = Script::sent(prr(10), 10);
    s.dupack_sacking(&[2..3]);
    s.dupack_sacking(&[2..4]);
    s.expect_sent([11, 12]);
    s.dupack_sacking(&[2..5]);
    s.expect_sent([1]);
    s
}

#[test]
fn halving_lets_out_one_segment_for_two_that_arrive() {
    // RecoverFS is 10: 12 sent, 2 reported before the recovery. pipe is 8.
    let mut s = recovering();
    for (top, sent) in [(6, vec![]), (7, vec![]), (8, vec![13]), (9, vec![])] {
        s.dupack_sacking(&[2..top]);
        s.expect_sent(sent);
    }
    s.expect_cwnd(5.0);
    assert_eq!(s.sender.flight().pipe(), 6 * u64::from(MSS));
    // pipe is 5, as ssthresh: from here on as many segments go out as arrive.
    s.dupack_sacking(&[2..10]);
    s.expect_nothing();
    s.dupack_sacking(&[2..11]);
    s.expect_sent([14]);
    s.dupack_sacking(&[2..12]);
    s.expect_sent([15]);
}

#[test]
fn the_window_is_ssthresh_when_the_recovery_ends() {
    let mut s = recovering();
    s.dupack_sacking(&[2..13]);
    let _ = s.poll();
    s.ack(13);
    assert!(!s.sender.in_recovery());
    s.expect_cwnd(5.0 + 1.0 / 5.0);
    s.expect_ssthresh(5.0);
}

/// 20 sent and two by limited transmit; 1 to 12 are lost, so that 7 are in flight and ssthresh is
/// 10. The third dupack has resent 1.
fn far_below() -> Script {
    let mut s = Script::sent(prr(20), 20);
    for top in 14..=15 {
        s.dupack_sacking(&[13..top]);
    }
    s.expect_sent([21, 22]);
    s.dupack_sacking(&[13..16]);
    s
}

#[test]
fn below_ssthresh_no_more_goes_out_than_arrives() {
    // PRR-CRB. Without, 1, 2 and 3 would go out at once.
    let mut s = far_below();
    s.expect_sent([1]);
    s.dupack_sacking(&[13..17]);
    s.expect_sent([2]);
    // The report of 17 was lost.
    s.dupack_sacking(&[13..19]);
    s.expect_sent([3, 4]);
}

#[test]
fn below_ssthresh_a_partial_ack_without_new_losses_lets_out_one_more() {
    // PRR-SSRB, as long as the recovery goes well.
    let mut s = far_below();
    s.expect_sent([1]);
    s.ack_sacking(2, &[13..16]);
    s.expect_sent([2, 3]);
    s.ack_sacking(3, &[13..16]);
    s.expect_sent([4, 5]);
    // Never beyond ssthresh.
    for ack in 4..=5 {
        s.ack_sacking(ack, &[13..16]);
    }
    s.expect_sent([6, 7]);
    assert_eq!(s.sender.flight().pipe(), 10 * u64::from(MSS));
}

#[test]
fn a_partial_ack_that_shows_a_loss_lets_out_as_much_as_it_acknowledges() {
    let mut s = Script::sent(prr(20), 20);
    for top in 14..=15 {
        s.dupack_sacking(&[13..top]);
    }
    s.dupack_sacking(&[13..16]);
    let _ = s.poll();
    // 16 is lost, too: 17 to 19 arrived above it.
    s.ack_sacking(2, &[17..20, 13..16]);
    s.expect_sent([2, 3, 4, 5]);
}

#[test]
fn a_dupack_without_news_lets_nothing_out() {
    let mut s = far_below();
    s.expect_sent([1]);
    s.dupacks(3);
    s.expect_nothing();
}

#[test]
fn a_further_recovery_counts_anew() {
    let mut s = recovering();
    s.dupack_sacking(&[2..13]);
    s.expect_sent([13, 14, 15, 16]);
    s.ack(13);
    s.expect_sent([17]);
    for top in 15..=17 {
        s.dupack_sacking(&[14..top]);
    }
    // RecoverFS is 5 and ssthresh 2: one went out, so the first of 2/5 segments is already owed.
    s.expect_sent([18, 19, 13]);
    s.dupack_sacking(&[14..18]);
    s.expect_nothing();
    s.expect_ssthresh(2.0);
}
