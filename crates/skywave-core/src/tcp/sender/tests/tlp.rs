//! The tail loss probe: RFC 8985, section 7.

use super::{MSS, config};
use crate::tcp::config::{Acking, TcpConfig};
use crate::tcp::testing::Script;
use crate::time::Duration;

/// Four segments, all that were written, were sent after a round trip of 100 ms was measured.
fn tail(config: TcpConfig) -> Script {
    let mut s = Script::idle(config);
    s.sender.write(u64::from(MSS));
    s.expect_sent([1]);
    s.wait(100);
    s.ack(2);
    s.sender.write(4 * u64::from(MSS));
    s.expect_sent(2..=5);
    s
}

fn rack(window: u32) -> TcpConfig {
    config("rack-tlp", window)
}

#[test]
fn after_two_round_trips_of_silence_the_last_segment_is_sent_again() {
    let mut s = tail(rack(10));
    s.expect_timer_in(200);
    s.wait_for_probe();
    s.expect_sent([5]);
    assert_eq!(s.sender.counters().timeouts, 0);
    // The retransmission timer restarts, and no other probe is sent before it expires.
    s.expect_timer_in(300);
    s.wait_for_timeout();
    s.expect_sent([2]);
}

#[test]
fn without_a_round_trip_to_measure_by_a_probe_waits_for_a_second() {
    // Section 7.2. Many expiries discard the round trip that was measured.
    let mut s = tail(rack(10));
    s.wait_for_probe();
    for _ in 0..4 {
        s.wait_for_timeout();
    }
    let _ = s.poll();
    s.ack(6);
    s.sender.write(u64::from(MSS));
    s.expect_sent([6]);
    s.expect_timer_in(1000);
}

#[test]
fn the_probes_report_shows_what_else_is_lost() {
    // 4 and 5 are lost; the probe arrives.
    let mut s = tail(rack(10));
    s.wait(100);
    s.ack(4);
    s.expect_timer_in(200);
    s.wait_for_probe();
    s.expect_sent([5]);
    s.wait(100);
    s.dupack_sacking(&[5..6]);
    // The reordering window of an unnecessary retransmission has long ended.
    s.expect_sent([4]);
    assert!(s.sender.in_recovery());
    s.wait(100);
    s.ack(6);
    assert_eq!(s.sender.counters().timeouts, 0);
    assert_eq!(s.sender.counters().window_cuts, 1);
    s.expect_no_timer();
}

#[test]
fn new_data_is_the_probe_if_there_is_any() {
    let mut s = Script::sent(rack(4), 4);
    s.wait(100);
    s.ack(2);
    s.expect_sent([5]);
    s.wait_for_probe();
    // The probe is one segment more than the window.
    s.expect_sent([6]);
    s.wait(100);
    s.ack(7);
    assert_eq!(s.sender.counters().retransmits, 0);
    assert_eq!(s.sender.counters().window_cuts, 0);
}

#[test]
fn new_data_beyond_the_receivers_window_is_no_probe() {
    let mut s = Script::sent(
        TcpConfig {
            rwnd: 4 * MSS,
            ..rack(4)
        },
        4,
    );
    s.wait(100);
    s.ack(2);
    s.expect_sent([5]);
    s.wait_for_probe();
    s.expect_sent([5]);
}

#[test]
fn a_loss_that_the_probe_repaired_cuts_the_window() {
    let mut s = tail(rack(10));
    let cwnd = s.sender.window().cwnd;
    s.wait(100);
    s.ack(5);
    s.wait_for_probe();
    s.expect_sent([5]);
    s.wait(100);
    // The ACK of either copy.
    s.ack(6);
    assert_eq!(s.sender.counters().window_cuts, 0);
    s.sender.write(u64::from(MSS));
    s.expect_sent([6]);
    s.wait(100);
    s.ack(7);
    assert_eq!(s.sender.counters().window_cuts, 1);
    assert!(s.sender.window().cwnd < cwnd);
    assert!(!s.sender.in_recovery());
}

/// The probe's ACK came; then the receiver reports in `again` that 5 arrived twice.
fn needless_probe(again: &[std::ops::Range<u64>]) -> Script {
    let mut s = tail(rack(10));
    s.wait(100);
    s.ack(5);
    s.wait_for_probe();
    s.expect_sent([5]);
    s.ack(6);
    s.wait(100);
    s.dupack_sacking(again);
    s.sender.write(u64::from(MSS));
    s.expect_sent([6]);
    s.wait(100);
    s.ack(7);
    s
}

#[test]
fn a_probe_that_was_not_needed_cuts_nothing() {
    for again in [&[5..6][..], &[]] {
        let s = needless_probe(again);
        assert_eq!(s.sender.counters().window_cuts, 0, "{again:?}");
    }
    // A report about another segment says nothing about the probe.
    assert_eq!(
        needless_probe(&[3..4]).sender.counters().window_cuts,
        1,
        "3 came twice"
    );
}

#[test]
fn the_delayed_ack_of_a_single_segment_is_waited_for() {
    let acking = Acking::delayed(2, Duration::from_millis(70));
    let mut config = rack(10);
    std::sync::Arc::make_mut(&mut config.rto).min = Duration::from_secs(1);
    let mut s = tail(TcpConfig { acking, ..config });
    s.expect_timer_in(200);
    s.wait(100);
    s.ack(5);
    s.expect_timer_in(270);
}

#[test]
fn a_probe_is_due_when_the_retransmission_timer_would_expire_at_the_latest() {
    let acking = Acking::delayed(2, Duration::from_millis(200));
    let mut s = tail(TcpConfig { acking, ..rack(10) });
    s.wait(100);
    s.ack(5);
    assert_eq!(s.sender.rto().rto(), Duration::from_millis(250));
    s.expect_timer_in(250);
    s.wait_for_probe();
    s.expect_sent([5]);
    assert_eq!(s.sender.counters().timeouts, 0);
}

#[test]
fn one_probe_is_out_at_a_time() {
    let mut s = Script::sent(rack(4), 4);
    s.wait(100);
    s.ack(2);
    s.expect_sent([5]);
    s.wait_for_probe();
    s.expect_sent([6]);
    // An ACK arms the probe timer again; when that one has expired, only the retransmission timer is left.
    s.wait(50);
    s.ack(3);
    let _ = s.poll();
    s.wait_for_silence();
    s.expect_nothing();
    s.wait_for_timeout();
}

#[test]
fn another_probe_needs_a_round_trip_measured_since() {
    let mut s = tail(rack(10));
    s.wait(100);
    s.ack(5);
    s.wait_for_probe();
    s.expect_sent([5]);
    s.wait(100);
    s.ack(6);
    s.dupack_sacking(&[5..6]);
    s.sender.write(u64::from(MSS));
    s.expect_sent([6]);
    s.wait_for_silence();
    s.expect_nothing();
    s.wait_for_timeout();
    s.expect_sent([6]);
}

#[test]
fn no_probe_while_reports_or_a_recovery_tell_more() {
    let mut s = tail(rack(10));
    s.wait(100);
    s.dupack_sacking(&[3..4]);
    // The timer of the reordering window, not that of a probe.
    s.expect_timer_in(25);
    s.wait(25);
    s.sender.on_timer(s.now);
    s.expect_sent([2]);
    assert!(s.sender.in_recovery());
    s.wait_for_timeout();
}

#[test]
fn a_clock_that_ticks_makes_the_probe_wait_longer() {
    let mut s = tail(TcpConfig {
        timer_slack: Duration::from_millis(2),
        ..rack(10)
    });
    s.expect_timer_in(202);
    s.wait_for_probe();
    s.expect_sent([5]);
}
