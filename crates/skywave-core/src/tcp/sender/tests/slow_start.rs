//! Events other than a loss that end slow start, seen from the sender.

use super::config;
use crate::tcp::SlowStartConfig;
use crate::tcp::config::TcpConfig;
use crate::tcp::testing::Script;
use crate::units::Segments;

/// Ten segments that took 80 ms, and twenty that took 100 ms.
fn two_rounds(slow_start: SlowStartConfig) -> Script {
    let config = TcpConfig {
        slow_start,
        initial_ssthresh: Some(Segments(1000.0)),
        ..config("reno", 10)
    };
    let mut s = Script::sent(config, 10);
    s.wait(80);
    s.acks_to(11);
    s.expect_cwnd(20.0);
    s.wait(100);
    s.acks_to(31);
    s
}

#[test]
fn without_it_the_window_doubles() {
    two_rounds(SlowStartConfig::Standard).expect_cwnd(40.0);
}

#[test]
fn hystart_plus_plus_grows_by_a_quarter_from_the_eighth_sample_on() {
    let s = two_rounds(SlowStartConfig::HyStartPlusPlus);
    s.expect_cwnd(20.0 + 7.0 + 13.0 / 4.0);
    s.expect_ssthresh(1000.0);
}

#[test]
fn hystart_leaves_slow_start_with_the_eighth_sample() {
    let s = two_rounds(SlowStartConfig::HyStart);
    s.expect_ssthresh(27.0);
    let after = (0..13).fold(27.0, |cwnd: f64, _| cwnd + 1.0 / cwnd);
    s.expect_cwnd(after);
}
