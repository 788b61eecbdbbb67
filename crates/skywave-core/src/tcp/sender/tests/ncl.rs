//! TCP-NCL (Francis 2012, section 3.1.1), end to end through the sender.

use super::plain;
use crate::tcp::config::{RecoveryConfig, RenoConfig, RtoConfig, TcpConfig};
use crate::tcp::testing::Script;

fn ncl() -> TcpConfig {
    TcpConfig {
        rto: RtoConfig::EXACT.into(),
        ..plain("ncl", 10)
    }
}

/// Segments 11 to 20, sent just now after a first round trip of 100 ms: a variance of 50 ms makes the retransmission
/// decision due in 300 ms.
#[track_caller]
fn sampled(config: TcpConfig) -> Script {
    let mut s = Script::sent(config, 10);
    s.wait(100);
    s.ack(11);
    s.expect_sent(11..=20);
    s
}

/// As [`sampled`]; 100 ms later the receiver holds all but 11 and what is in `lost` as well.
#[track_caller]
fn holes(config: TcpConfig, lost: &[u64]) -> Script {
    let mut s = sampled(config);
    s.wait(100);
    for arrived in (12..=20).filter(|n| !lost.contains(n)) {
        s.dupack_sacking(&[arrived..arrived + 1]);
    }
    s
}

fn cuts(s: &Script) -> u64 {
    s.sender.counters().window_cuts
}

#[test]
fn before_the_first_sample_only_the_retransmission_timer_runs() {
    let s = Script::sent(ncl(), 10);
    s.expect_timer_in(1000);
}

#[test]
fn nine_dupacks_send_nothing_and_the_timer_sends_the_segment_without_a_cut() {
    let mut s = holes(ncl(), &[]);
    s.expect_nothing();
    s.expect_timer_in(200);
    s.wait(199);
    s.on_timer();
    s.expect_nothing();
    s.wait(1);
    s.on_timer();
    s.expect_sent([11, 21, 22, 23, 24, 25, 26, 27, 28, 29]);
    s.expect_cwnd(10.1);
    assert_eq!(cuts(&s), 0);
}

#[test]
fn an_ack_before_the_congestion_decision_is_all() {
    let mut s = holes(ncl(), &[]);
    s.wait(200);
    s.on_timer();
    s.poll();
    s.expect_timer_in(100);
    s.wait(99);
    s.ack(21);
    s.wait(1);
    s.on_timer();
    assert_eq!(cuts(&s), 0);
    assert!(s.sender.window().cwnd.0 >= 10.0);
}

#[test]
fn without_an_ack_the_law_answers_when_the_congestion_decision_ends() {
    let mut s = holes(ncl(), &[]);
    s.wait(200);
    s.on_timer();
    s.poll();
    s.wait(99);
    s.on_timer();
    assert_eq!(cuts(&s), 0);
    s.wait(1);
    s.on_timer();
    s.expect_nothing();
    s.expect_cwnd(5.05);
    assert_eq!(cuts(&s), 1);
}

#[test]
fn one_cut_a_window_however_many_copies_are_lost() {
    let mut s = holes(ncl(), &[14, 17]);
    s.wait(200);
    s.on_timer();
    assert_eq!(s.poll()[..3], [11, 14, 17]);
    s.wait(100);
    s.on_timer();
    s.on_timer();
    assert_eq!(cuts(&s), 1);
    // The copies have a retransmission decision of their own, 300 ms after they left, and then no other cut.
    s.wait(200);
    s.on_timer();
    assert_eq!(s.poll()[..3], [11, 14, 17]);
    s.wait(100);
    s.on_timer();
    s.on_timer();
    assert_eq!(cuts(&s), 1);
    assert_eq!(s.sender.counters().timeouts, 0);
}

#[test]
fn each_segment_has_a_timer_of_its_own() {
    let mut s = sampled(ncl());
    s.wait(50);
    s.ack(12);
    s.expect_sent([21]);
    // 21 left 50 ms after 12, and has as much more time.
    let due = s.sender.next_timer().expect("a timer").since(s.now);
    s.now += due;
    s.on_timer();
    assert_eq!(s.poll(), (12..=20).collect::<Vec<_>>());
}

/// Copies leave 300 ms after one another; the first one restarts the retransmission timer of 1 s, the others do not.
#[test]
fn a_peer_that_has_gone_silent_is_found_by_the_retransmission_timer() {
    let mut s = holes(ncl(), &[]);
    let mut waited = 0;
    while s.sender.counters().timeouts == 0 && waited < 5000 {
        s.wait(50);
        waited += 50;
        s.on_timer();
        s.poll();
    }
    assert!((1200..1300).contains(&waited), "{waited} ms");
    // The wait is backed off from then on.
    let sent = s.sender.counters().sent;
    s.wait(599);
    s.on_timer();
    s.poll();
    assert_eq!(s.sender.counters().sent, sent);
}

#[test]
fn without_reports_only_the_oldest_is_known_to_be_missing() {
    let mut config = TcpConfig {
        sack: false,
        ..ncl()
    };
    config.composition.recovery = RecoveryConfig::Reno(RenoConfig::DEFAULT);
    let mut s = sampled(config);
    s.wait(100);
    s.dupacks(9);
    s.wait(200);
    s.on_timer();
    assert_eq!(s.poll().iter().filter(|n| **n <= 20).count(), 1);
}

#[test]
fn after_a_timeout_its_timer_alone_runs_until_an_ack_and_copies_bring_no_other_cut() {
    let mut s = sampled(ncl());
    while s.sender.counters().timeouts == 0 {
        s.now = s.sender.next_timer().expect("a timer");
        s.on_timer();
    }
    s.expect_cwnd(1.0);
    s.expect_timer_in(2000);
    s.poll();
    let before = cuts(&s);
    s.wait(100);
    s.ack(12);
    s.expect_sent([12, 13]);
    // Twice 300 ms, as the timer is backed off.
    s.wait(600);
    s.on_timer();
    s.wait(100);
    s.on_timer();
    assert_eq!((cuts(&s), s.sender.counters().timeouts), (before, 1));
}
