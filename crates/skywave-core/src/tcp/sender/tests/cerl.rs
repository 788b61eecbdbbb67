//! TCP CERL, end to end through the sender: section 3 of the paper, figures 1 and 2.

use super::{MSS, config, plain};
use crate::packet::{Flags, Segment};
use crate::seq::SeqNr;
use crate::tcp::config::{CongestionConfig, Handshake, TcpConfig};
use crate::tcp::congestion::CerlConfig;
use crate::tcp::testing::Script;

/// Figure 2: segments 1 to 10 are sent, 2 and 7 are lost. Stops after the three duplicates of ACK 7.
fn figure_2(name: &str) -> Script {
    let mut s = Script::idle(config(name, 10));
    s.sender.write(10 * u64::from(MSS));
    s.expect_sent(1..=10);
    s.wait(100);
    s.ack(2);
    s.dupacks(3); // 3, 4 and 5 arrive: three duplicates of ACK 2
    s.expect_sent([2]);
    s.expect_cwnd(5.05);
    s.expect_ssthresh(5.0);
    s.sender.write(3 * u64::from(MSS));
    s.dupacks(4); // 6, 8, 9, 10: the inflated window lets new segments out
    s.expect_sent([11, 12, 13]);
    s.ack(7); // 2 arrives
    s.expect_cwnd(5.05 + 1.0 / 5.05);
    s.expect_nothing();
    s.dupacks(2); // 11 and 12
    s.expect_nothing();
    s.dupack(); // 13
    s
}

#[test]
fn figure_2_the_second_loss_of_a_window_is_resent_without_another_cut() {
    let mut s = figure_2("cerl");
    let saved = 5.05 + 1.0 / 5.05;
    s.expect_sent([7]);
    s.expect_cwnd(saved);
    s.expect_ssthresh(5.0);
    assert_eq!(s.sender.counters().window_cuts, 1);
    assert_eq!(s.sender.counters().fast_retransmits, 2);
    // The window returns to the saved one; this ACK counts towards growth as any other.
    s.ack(14);
    s.expect_cwnd(saved + 1.0 / saved);
    s.expect_ssthresh(5.0);
}

#[test]
fn figure_2_cerl2_cuts_twice() {
    let mut s = figure_2("cerl2");
    s.expect_sent([7]);
    s.expect_cwnd((5.05 + 1.0 / 5.05) * 0.5);
    s.expect_ssthresh(2.0);
    assert_eq!(s.sender.counters().window_cuts, 2);
}

#[test]
fn figure_2_reno_times_out() {
    let mut s = figure_2("reno");
    s.expect_nothing();
    s.wait_for_timeout();
    s.expect_sent([7]);
}

/// Round trips of these lengths (ms), in each of which the first segment is timed. Returns the segment that
/// the receiver waits for.
fn after_rtts(config: TcpConfig, rtts: &[u64]) -> (Script, u64) {
    let mut s = Script::sent(config, 10);
    let mut una = 1;
    for &rtt in rtts {
        s.wait(rtt);
        // One timed segment a round trip: the first one sent in it.
        let next = s.next();
        s.ack(una + 1);
        assert!(s.sender.poll_rtt().is_some());
        s.acks_to(next);
        una = next;
    }
    let _ = s.poll();
    (s, una)
}

#[test]
fn a_loss_with_a_long_queue_halves_the_window() {
    // T = 100, l = 60 = l_max, N = 33 ms.
    let (mut s, lost) = after_rtts(plain("cerl", 10), &[100, 160]);
    let window = s.sender.window();
    s.dupacks(3);
    s.expect_sent([lost]);
    s.expect_cwnd(window.cwnd.0 / 2.0);
    s.expect_ssthresh((window.cwnd.0 / 2.0).trunc());
}

#[test]
fn a_loss_with_a_short_queue_leaves_window_and_threshold() {
    // T = 100, l_max = 60, N = 33, l = 32 ms.
    let (mut s, lost) = after_rtts(plain("cerl", 10), &[100, 160, 132]);
    let before = s.sender.window();
    let next = s.next();
    s.dupacks(3);
    // Figure 1(b), E to F: inflated by three, then by one a dupack...
    s.expect_sent([lost, next, next + 1, next + 2]);
    assert_eq!(s.sender.window(), before);
    s.dupacks(7);
    s.expect_sent(next + 3..next + 10);
    // ...and deflated to exactly the saved window, before this ACK's own growth.
    s.ack(next);
    s.expect_cwnd(before.cwnd.0 + 1.0 / before.cwnd.0);
    assert_eq!(s.sender.window().ssthresh, before.ssthresh);
    assert_eq!(s.sender.counters().window_cuts, 0);
}

#[test]
fn the_threshold_queue_itself_is_long() {
    // l = N exactly, 30 ms: not l < N.
    let mut config = plain("cerl", 10);
    config.composition.congestion = CongestionConfig::Cerl(CerlConfig {
        a: 0.5,
        ..CerlConfig::DEFAULT
    });
    let (mut s, _) = after_rtts(config, &[100, 160, 130]);
    s.dupacks(3);
    assert_eq!(s.sender.counters().window_cuts, 1);
}

#[test]
fn before_any_queue_was_seen_a_loss_is_congestive() {
    let (mut s, lost) = after_rtts(plain("cerl", 10), &[100, 100]);
    s.dupacks(3);
    s.expect_sent([lost]);
    assert_eq!(s.sender.counters().window_cuts, 1);
}

#[test]
fn the_first_segment_after_the_window_of_a_cut_may_cut_again() {
    let mut s = Script::sent(plain("cerl", 10), 10);
    s.dupacks(3);
    s.expect_sent([1]);
    s.ack(11);
    s.expect_sent(11..=15);
    s.dupacks(3);
    s.expect_sent([11]);
    assert_eq!(s.sender.counters().window_cuts, 2);
}

#[test]
fn the_handshake_does_not_feed_the_smallest_rtt() {
    // The SYN takes 50 ms, data 100, 160 and then 130: l = 30 < N = 33. With T = 50 it would be
    // 80 > 60.5.
    let mut s = Script::new(TcpConfig {
        handshake: Handshake::ThreeWay,
        ..plain("cerl", 10)
    });
    let _ = s.poll_segment().unwrap();
    s.wait(50);
    let syn_ack = Segment {
        ack: SeqNr(1),
        window: 1000 * MSS,
        flags: Flags::SYN_ACK,
        ..Segment::default()
    };
    s.receive(&syn_ack);
    assert!(s.sender.poll_rtt().is_some());
    s.expect_sent(1..=10);
    for rtt in [100, 160, 130] {
        s.wait(rtt);
        s.acks_to(s.next());
        let _ = s.poll();
    }
    s.dupacks(3);
    assert_eq!(s.sender.counters().fast_retransmits, 1);
    assert_eq!(s.sender.counters().window_cuts, 0);
}

#[test]
fn a_retransmission_does_not_feed_the_queue() {
    // T = 100, l_max = 60, l = 10 ms; the lost segment's ACK comes 500 ms after it was first sent.
    let (mut s, lost) = after_rtts(plain("cerl", 10), &[100, 160, 110]);
    let next = s.next();
    s.dupacks(3);
    s.expect_sent([lost, next, next + 1, next + 2]);
    s.wait(500);
    s.ack(next);
    assert_eq!(s.sender.poll_rtt(), None);
    let _ = s.poll();
    s.dupacks(3);
    assert_eq!(s.sender.counters().window_cuts, 0, "l is still 10 ms");
}

#[test]
fn a_timeout_is_renos_and_forgets_the_saved_window() {
    let (mut s, lost) = after_rtts(plain("cerl", 10), &[100, 160, 110]);
    s.dupacks(3);
    let _ = s.poll();
    let cwnd = s.sender.window().cwnd.0;
    s.wait_for_timeout();
    s.expect_cwnd(1.0);
    s.expect_ssthresh((cwnd / 2.0).trunc());
    s.expect_sent([lost]);
    s.ack(lost + 1);
    s.expect_cwnd(2.0);
    s.expect_sent([lost + 1, lost + 2]);
}
