//! Early retransmit: RFC 5827.

use super::{MSS, config, plain};
use crate::tcp::config::{DetectionConfig, TcpConfig};
use crate::tcp::testing::Script;

/// All of `n` segments are in flight and no more were written; 1 is lost.
fn the_last(config: TcpConfig, n: u64) -> Script {
    let mut s = Script::idle(config);
    s.sender.write(n * u64::from(MSS));
    s.expect_sent(1..=n);
    s
}

fn early(recovery: &str) -> TcpConfig {
    let mut config = config(recovery, 10);
    config.composition.detection = DetectionConfig::EarlyRetransmit;
    config
}

#[test]
fn with_three_outstanding_two_dupacks_are_enough() {
    for name in ["reno", "newreno"] {
        let mut s = the_last(early(name), 3);
        s.dupack();
        s.expect_nothing();
        s.dupack();
        s.expect_sent([1]);
        assert!(s.sender.in_recovery());
    }
}

#[test]
fn with_two_outstanding_one_dupack_is_enough() {
    let mut s = the_last(early("newreno"), 2);
    s.dupack();
    s.expect_sent([1]);
    s.expect_cwnd(5.0);
}

#[test]
fn with_four_outstanding_it_takes_three() {
    let mut s = the_last(early("newreno"), 4);
    s.dupacks(2);
    s.expect_nothing();
    s.dupack();
    s.expect_sent([1]);
    // Even if one of them reports all the others.
    let mut s = the_last(early("sack1"), 4);
    s.dupack_sacking(&[2..5]);
    s.expect_nothing();
}

#[test]
fn with_something_to_send_it_takes_three() {
    // Limited transmit can still bring more dupacks.
    let mut s = Script::sent(plain_early(3), 3);
    s.dupacks(2);
    s.expect_nothing();
    s.dupack();
    assert_eq!(s.poll()[0], 1);
}

fn plain_early(window: u32) -> TcpConfig {
    let mut config = plain("newreno", window);
    config.composition.detection = DetectionConfig::EarlyRetransmit;
    config
}

#[test]
fn without_room_in_the_receivers_window_nothing_can_be_sent_either() {
    let rwnd = 3 * MSS;
    let mut s = Script::sent(
        TcpConfig {
            rwnd,
            ..early("newreno")
        },
        3,
    );
    s.dupack();
    s.expect_nothing();
    s.dupack();
    s.expect_sent([1]);
}

#[test]
fn with_sack_what_arrived_counts_and_not_the_dupacks() {
    // One ACK answers both, the other was lost. (RFC 6675 would send 1 once more, as a rescue.)
    let mut s = the_last(early("sack1"), 3);
    s.dupack_sacking(&[2..4]);
    s.expect_sent([1]);
    // 2 and 3 of 3 are still to arrive.
    let mut s = the_last(early("sack1"), 3);
    s.dupack_sacking(&[2..3]);
    s.dupack_sacking(&[2..3]);
    s.expect_nothing();
    s.dupack_sacking(&[2..4]);
    s.expect_sent([1]);
}

#[test]
fn it_finds_a_loss_once() {
    let mut config = early("reno");
    config.composition.avoid_repeated_recovery = false;
    let mut s = the_last(config, 3);
    s.dupacks(2);
    s.expect_sent([1]);
    s.dupacks(4);
    s.expect_nothing();
    assert_eq!(s.sender.counters().fast_retransmits, 1);
}
