//! Loss detection by time: RFC 8985, section 6.

use super::{MSS, config};
use crate::packet::Segment;
use crate::tcp::config::{NewRenoConfig, RecoveryConfig, RenoConfig, TcpConfig};
use crate::tcp::flight::Delivery;
use crate::tcp::testing::Script;
use crate::time::{Duration, Time};

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn rack(window: u32) -> TcpConfig {
    config("rack-tlp", window)
}

/// A round trip of 100 ms was measured on segment 1; 5 left when it ended.
fn warm() -> Script {
    let mut s = Script::sent(rack(4), 4);
    s.wait(100);
    s.ack(2);
    s.expect_sent([5]);
    s
}

/// Ten segments with timestamps left 100 ms ago, at the time that is returned.
fn stamped() -> (Script, Time) {
    let timestamps = true;
    let mut s = Script::sent(
        TcpConfig {
            timestamps,
            ..rack(10)
        },
        10,
    );
    let first = s.now;
    s.wait(100);
    (s, first)
}

fn delivery(s: &Script) -> &Delivery {
    s.sender.flight().delivery().expect("RACK keeps it")
}

#[test]
fn a_segment_is_lost_by_time_and_not_by_count() {
    let mut s = warm();
    s.ack(3);
    s.expect_sent([6]);
    s.ack(4);
    s.expect_sent([7]);
    s.ack(5);
    s.expect_sent([8]);
    // 5 to 8 left together. One report is enough when a reordering window, a quarter of the round trip, has
    // passed since then; any ACK may trigger the check.
    s.wait(100);
    s.dupack_sacking(&[6..7]);
    s.expect_sent([9]);
    assert!(!s.sender.in_recovery());
    s.expect_timer_in(25);
    s.wait(24);
    s.dupack();
    s.expect_nothing();
    s.wait(1);
    s.dupack();
    assert!(s.sender.in_recovery());
    s.expect_sent([5]);
    assert_eq!(s.sender.counters().window_cuts, 1);
}

#[test]
fn three_reports_end_the_wait_while_no_reordering_was_seen() {
    let mut s = Script::sent(rack(10), 10);
    s.wait(100);
    s.dupack_sacking(&[2..3]);
    s.dupack_sacking(&[2..4]);
    assert!(!s.sender.in_recovery());
    s.dupack_sacking(&[2..5]);
    assert!(s.sender.in_recovery());
    s.expect_sent([11, 12, 1]);
}

#[test]
fn an_acknowledgement_on_data_ends_the_wait_too() {
    let mut s = Script::sent(rack(10), 10);
    s.wait(100);
    s.dupack_sacking(&[2..3]);
    s.expect_sent([11]);
    s.wait(25);
    let on_data = Segment {
        len: MSS,
        ..s.segment(1, &[])
    };
    s.receive(&on_data);
    assert!(s.sender.in_recovery());
    s.expect_sent([1]);
}

#[test]
fn reordering_within_the_window_is_tolerated() {
    let mut s = Script::sent(rack(10), 10);
    s.wait(100);
    s.dupack_sacking(&[2..3]);
    s.expect_sent([11]);
    s.wait(10);
    // 1 arrives 10 ms late, after later segments: reordering.
    s.ack(3);
    assert!(delivery(&s).reordered());
    // From now on no count of reports ends the wait: each report lets a segment out, until the window ends.
    let _ = s.poll();
    for top in 5..=8 {
        s.dupack_sacking(&[4..top]);
        assert_eq!(s.poll().len(), 1);
    }
    assert!(!s.sender.in_recovery());
    // 3 left at 0 and the last report came after 110 ms: 110 + 25 ms end in 25 ms.
    s.expect_timer_in(25);
    s.ack_sacking(8, &[]);
    assert_eq!(s.sender.counters().fast_retransmits, 0);
    assert_eq!(s.sender.counters().retransmits, 0);
}

#[test]
fn the_reordering_timer_finds_what_no_ack_tells() {
    let mut s = Script::sent(rack(10), 10);
    s.wait(100);
    s.dupack_sacking(&[2..3]);
    s.expect_sent([11]);
    s.expect_timer_in(25);
    s.wait(24);
    s.sender.on_timer(s.now);
    s.expect_nothing();
    s.wait(1);
    s.sender.on_timer(s.now);
    s.expect_sent([1]);
    assert!(s.sender.in_recovery());
    assert_eq!(s.sender.counters().timeouts, 0);
}

#[test]
fn only_what_was_sent_before_the_newest_delivery_is_lost() {
    let mut s = warm();
    s.wait(100);
    // 2 to 4 arrived together after 200 ms, but 5 was sent when 1 was acknowledged.
    s.dupack_sacking(&[3..4]);
    s.expect_sent([6]);
    s.wait(60);
    s.sender.on_timer(s.now);
    s.expect_sent([2]);
    s.wait(1000);
    s.dupack();
    s.expect_nothing();
}

/// 1 is lost and was resent after 101 ms, when 2 to 4 had been reported; 11 and 12 left 2 and 1 ms
/// before.
fn recovering() -> Script {
    let mut s = Script::sent(rack(10), 10);
    s.wait(98);
    for top in 3..=5 {
        s.wait(1);
        s.dupack_sacking(&[2..top]);
    }
    s.expect_sent([11, 12, 1]);
    s
}

#[test]
fn a_lost_retransmission_is_found_by_what_was_sent_after_it() {
    let mut s = recovering();
    s.wait(10);
    for top in 6..=11 {
        s.dupack_sacking(&[2..top]);
    }
    let after = s.poll();
    assert_eq!(after, [13, 14]);
    // 11 and 12 left before the retransmission of 1, 13 after it.
    s.wait(90);
    s.dupack_sacking(&[2..13]);
    assert!(!s.poll().contains(&1));
    s.wait(10);
    s.dupack_sacking(&[2..14]);
    assert!(s.poll().contains(&1), "1 again");
    assert_eq!(s.sender.counters().timeouts, 0);
    assert_eq!(s.sender.counters().window_cuts, 1);
    assert_eq!(s.sender.counters().fast_retransmits, 1);
}

#[test]
fn an_ack_that_comes_too_soon_for_a_retransmission_is_of_the_original() {
    let mut s = recovering();
    s.wait(10);
    // 10 ms are too short for a round trip of the retransmission, so nothing follows for the segments sent
    // before it.
    s.ack(5);
    assert_eq!(delivery(&s).rtt(), ms(101));
    assert_eq!(delivery(&s).min_rtt(), ms(99));
    s.wait(120);
    s.dupack();
    assert_eq!(s.sender.counters().retransmits, 1);
}

#[test]
fn an_echo_older_than_the_retransmission_is_of_the_original() {
    let (mut s, first) = stamped();
    for top in 3..=5 {
        s.dupack_sacking(&[2..top]);
    }
    s.wait(200);
    s.ack_echoing(5, first);
    assert_eq!(delivery(&s).rtt(), ms(100));
}

#[test]
fn an_echo_from_before_a_hole_says_nothing_of_a_retransmission_above_it() {
    let (mut s, first) = stamped();
    for top in 5..=11 {
        s.dupack_sacking(&[4..top]);
    }
    s.expect_sent([11, 12, 1, 2, 3]);
    s.wait(100);
    // 1 is lost again. As it is still missing, the ACK of 2 echoes what came before it (RFC 7323 section 4.3).
    s.dupack_echoing(&[2..3, 4..11], first);
    let sent = s.poll();
    assert!(sent.contains(&1), "{sent:?}");
}

#[test]
fn a_retransmission_lost_after_a_timeout_is_found_too() {
    let mut s = Script::sent(rack(10), 10);
    s.wait(100);
    s.ack(2);
    s.expect_sent([11]);
    s.wait_for_probe();
    let _ = s.poll();
    s.wait_for_timeout();
    s.expect_sent([2]);
    s.wait(100);
    s.ack(3);
    s.expect_sent([3, 4]);
    // 3 is lost again; 4 arrives.
    s.wait(100);
    s.dupack_sacking(&[4..5]);
    let sent = s.poll();
    assert!(sent.contains(&3), "{sent:?}");
    assert_eq!(s.sender.counters().window_cuts, 1);
    assert_eq!(s.sender.counters().fast_retransmits, 0);
}

#[test]
fn a_reported_duplicate_widens_the_window_once_a_round_trip() {
    let mut s = Script::sent(rack(10), 10);
    s.wait(100);
    s.dupack_sacking(&[2..3]);
    s.expect_timer_in(25);
    // 1 arrives late, which shows reordering. Then a segment arrives twice.
    s.ack(3);
    s.dupack_sacking(&[1..2]);
    let _ = s.poll();
    s.dupack_sacking(&[4..5]);
    // The window is two quarters of a round trip now.
    s.expect_timer_in(50);
    s.dupack_sacking(&[1..2, 4..5]);
    s.dupack_sacking(&[4..6]);
    s.expect_timer_in(50);
}

#[test]
fn without_reports_three_dupacks_are_a_loss() {
    let mut config = rack(10);
    config.composition.recovery = RecoveryConfig::NewReno(NewRenoConfig::DEFAULT);
    let mut s = Script::sent(config, 10);
    s.wait(100);
    s.dupacks(2);
    s.expect_sent([11, 12]);
    s.dupack();
    s.expect_sent([1]);
    assert!(s.sender.in_recovery());
}

#[test]
fn a_recovery_without_a_scoreboard_works_on_what_rack_finds() {
    let mut config = rack(10);
    config.composition.recovery = RecoveryConfig::Reno(RenoConfig::DEFAULT);
    let mut s = Script::sent(config, 10);
    s.wait(100);
    s.dupack_sacking(&[3..4]);
    s.expect_sent([11]);
    s.wait(25);
    s.sender.on_timer(s.now);
    s.expect_sent([1]);
    s.wait(100);
    // 2 is lost, too: 1 was resent after 2 was sent, and has arrived.
    s.ack_sacking(2, &[3..4]);
    assert!(s.poll().starts_with(&[2]));
    assert_eq!(s.sender.counters().window_cuts, 1);
    assert_eq!(s.sender.counters().timeouts, 0);
}

#[test]
fn what_was_sent_at_this_instant_is_not_lost() {
    let mut s = Script::sent(rack(10), 10);
    for end in 3..6 {
        s.dupack_sacking(&[2..end]);
    }
    s.expect_sent([11, 12, 13]);
    s.wait(1);
    s.sender.on_timer(s.now);
    s.expect_sent([1]);
    // The repair is not judged lost either, whatever arrives at the same time.
    s.dupack_sacking(&[2..14]);
    assert!(!s.poll().contains(&1));
}
