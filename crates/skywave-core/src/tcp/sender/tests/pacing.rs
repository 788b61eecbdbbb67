//! Pacing, segment by segment.

use super::config;
use crate::tcp::PacingConfig;
use crate::tcp::config::TcpConfig;
use crate::tcp::limits::Limit;
use crate::tcp::testing::Script;
use crate::time::Duration;
use crate::units::Segments;

fn paced(preset: &str, window: u32) -> TcpConfig {
    TcpConfig {
        pacing: PacingConfig::Window,
        rto: std::sync::Arc::new(crate::tcp::RtoConfig {
            arithmetic: crate::tcp::RtoArithmetic::Exact,
            ..*config(preset, window).rto
        }),
        ..config(preset, window)
    }
}

/// A paced sender whose first window of ten was acknowledged as a whole after 120 ms.
fn after_a_round_trip(config: TcpConfig) -> Script {
    let mut s = Script::sent(config, 10);
    s.wait(120);
    s.ack(11);
    s
}

#[test]
fn before_a_round_trip_was_measured_the_first_window_leaves_at_once() {
    Script::sent(paced("reno", 10), 10);
}

#[test]
fn after_it_a_window_is_spread_over_a_round_trip_less_a_sixth() {
    // In avoidance: 10.1 segments of 1000 bytes in 120 ms, times 1.2: one every 9.9 ms, two at once.
    let mut s = after_a_round_trip(paced("reno", 10));
    s.expect_sent([11, 12]);
    assert_eq!(s.sender.limited_by(), Some(Limit::Pacing));
    let gap = s.sender.next_timer().expect("a slot").since(s.now);
    let expected = 2.0 * 120e6 / (10.1 * 1.2);
    assert!((gap.as_nanos() as f64 - expected).abs() < 20.0, "{gap:?}");
    s.wait(19);
    s.on_timer();
    s.expect_nothing();
    s.wait(1);
    s.on_timer();
    s.expect_sent([13, 14]);
}

#[test]
fn a_faster_pace_shortens_a_wait_that_has_begun() {
    let mut s = after_a_round_trip(paced("reno", 10));
    s.expect_sent([11, 12]);
    let began = s.now;
    s.wait(8);
    s.ack(13);
    // SRTT was 120 ms and takes an eighth of 8 ms; the window has grown by the two segments of the ACK.
    let cwnd = s.sender.window().cwnd.0;
    let expected = 2.0 * (120e6 * 7.0 / 8.0 + 8e6 / 8.0) / (cwnd * 1.2);
    let wait = s.sender.next_timer().expect("a slot").since(began);
    assert!((wait.as_nanos() as f64 - expected).abs() < 20.0, "{wait:?}");
}

#[test]
fn in_slow_start_it_is_twice_as_fast_as_a_window_in_a_round_trip() {
    let config = TcpConfig {
        initial_ssthresh: Some(Segments(100.0)),
        ..paced("reno", 10)
    };
    let mut s = after_a_round_trip(config);
    s.expect_sent([11, 12]);
    let gap = s.sender.next_timer().expect("a slot").since(s.now);
    let expected = 2.0 * 120e6 / (11.0 * 2.0);
    assert!((gap.as_nanos() as f64 - expected).abs() < 20.0, "{gap:?}");
}

#[test]
fn a_fast_sender_lets_out_a_millisecond_of_its_rate_at_once() {
    let mut s = Script::sent(paced("reno", 100), 100);
    s.wait(10);
    s.ack(101);
    // 100.01 segments in 10 ms, times 1.2: 12.0012 in a millisecond, and a part of a segment counts as one.
    s.expect_sent(101..=113);
}

#[test]
fn what_waits_for_its_turn_is_no_reason_for_a_timeout() {
    let mut s = after_a_round_trip(paced("reno", 10));
    s.expect_sent([11, 12]);
    let timeouts = s.sender.counters().timeouts;
    for _ in 0..20 {
        s.now = s.sender.next_timer().expect("a timer");
        s.on_timer();
        if !s.poll().is_empty() {
            break;
        }
    }
    assert_eq!(s.sender.counters().timeouts, timeouts);
}

#[test]
fn retransmissions_are_paced_too() {
    let mut s = after_a_round_trip(paced("sack", 10));
    s.expect_sent([11, 12]);
    s.dupack_sacking(&[12..13]);
    s.expect_nothing(); // the slot has not come
    s.now += Duration::from_millis(20);
    s.on_timer();
    assert!(!s.poll().is_empty());
}

#[test]
fn a_full_window_is_not_taken_for_pacing() {
    let mut s = Script::sent(paced("reno", 10), 10);
    assert_eq!(s.sender.limited_by(), Some(Limit::Cwnd));
    s.wait(120);
    s.ack(2);
    s.expect_sent([11]);
}

#[test]
fn an_unpaced_sender_has_no_such_limit() {
    let mut s = after_a_round_trip(config("reno", 10));
    s.expect_sent(11..=20);
    assert_eq!(s.sender.limited_by(), Some(Limit::Cwnd));
}
