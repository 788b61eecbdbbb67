//! The recoveries of UCLA's two Westwoods for ns-2.

use super::config;
use crate::tcp::testing::Script;

/// Segments 1 to 10 are sent; a third duplicate of ACK 1 has come.
fn loss_found(name: &str) -> Script {
    let mut s = Script::sent(config(name, 10), 10);
    s.wait(100);
    s.dupacks(2);
    s
}

#[test]
fn the_child_of_reno_sends_nothing_on_duplicate_acks_but_the_lost_segment() {
    let mut s = loss_found("westwood-ucla");
    s.expect_nothing();
    s.dupack();
    s.expect_sent([1]);
    // Nine of ten have left the network, and none is replaced.
    s.dupacks(6);
    s.expect_nothing();
}

#[test]
fn the_child_of_reno_resends_and_cuts_at_each_third_duplicate_ack() {
    let mut s = loss_found("westwood-ucla");
    s.dupack();
    s.expect_sent([1]);
    // 4 is lost as well. Its ACK ends the repair; three duplicates of it begin another one.
    s.ack(4);
    let cwnd = s.sender.window().cwnd;
    s.poll();
    s.dupacks(3);
    s.expect_sent([4]);
    assert_eq!(s.sender.counters().fast_retransmits, 2);
    assert!(s.sender.window().cwnd <= cwnd);
}

#[test]
fn the_child_of_reno_resends_fast_after_a_timeout_too() {
    for (name, resends) in [("westwood-ucla", 1), ("reno", 0), ("westwood-nr-ucla", 0)] {
        let mut s = Script::sent(config(name, 10), 10);
        s.wait_for_timeout();
        s.expect_sent([1]);
        s.ack(2);
        s.poll();
        s.dupacks(3);
        assert_eq!(s.sender.counters().fast_retransmits, resends, "{name}");
    }
}

#[test]
fn the_child_of_newreno_starts_without_inflation_and_loses_it_with_each_partial_ack() {
    let mut s = loss_found("westwood-nr-ucla");
    s.expect_sent([11, 12]); // limited transmit
    s.dupack();
    s.expect_sent([1]);
    s.expect_cwnd(5.0);
    // Twelve are in flight: the eighth further duplicate makes room, not the fifth.
    s.dupacks(7);
    s.expect_nothing();
    s.dupack();
    s.expect_sent([13]);
    // 4 is lost as well. Of the window of five and eight duplicates the five are left.
    s.ack(4);
    assert!(s.sender.in_recovery());
    s.expect_cwnd(5.0);
    s.expect_sent([4]);
}

#[test]
fn the_child_of_newreno_restarts_the_timer_at_each_partial_ack() {
    let mut s = Script::sent(config("westwood-nr-ucla", 10), 10);
    s.wait(100);
    s.ack(2); // RTT 100 ms: RTO 300 ms
    s.dupacks(3);
    for ack in [4, 6] {
        s.wait(100);
        s.ack(ack);
        s.expect_timer_in(300);
    }
}
