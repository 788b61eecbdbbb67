//! Explicit congestion notification (RFC 3168 section 6.1) and explicit loss notification, segment by
//! segment.

use super::{MSS, plain as config};
use crate::packet::{Ecn, Flags, Hints, Marks, Segment};
use crate::seq::SeqNr;
use crate::tcp::config::TcpConfig;
use crate::tcp::sender::Sender;
use crate::tcp::testing::Script;
use crate::time::Time;

fn ecn(preset: &str) -> TcpConfig {
    TcpConfig {
        ecn: true,
        ..config(preset, 10)
    }
}

/// An ACK for segment `n` with these control bits beside ACK.
fn ack_with(n: u64, flags: Flags) -> Segment {
    Segment {
        ack: SeqNr(((n - 1) * u64::from(MSS)) as u32),
        window: 1000 * MSS,
        flags: Flags::ACK | flags,
        ..Segment::default()
    }
}

fn eln_dupack(n: u64) -> Segment {
    Segment {
        hints: Hints {
            marks: Marks::ELN,
            ..Hints::NONE
        },
        ..ack_with(n, Flags::empty())
    }
}

#[test]
fn a_mark_halves_the_window_and_nothing_is_sent_again() {
    let mut s = Script::sent(ecn("reno"), 10);
    s.receive(&ack_with(2, Flags::ECE));
    s.expect_cwnd(5.0);
    s.expect_ssthresh(5.0);
    s.expect_nothing();
    let counters = *s.sender.counters();
    assert_eq!((counters.ecn_responses, counters.window_cuts), (1, 1));
    assert_eq!((counters.retransmits, counters.fast_retransmits), (0, 0));
}

#[test]
fn one_window_of_data_is_cut_once_and_does_not_grow_under_marks() {
    let mut s = Script::sent(ecn("reno"), 10);
    for n in 2..=11 {
        s.receive(&ack_with(n, Flags::ECE));
        s.expect_cwnd(5.0);
    }
    assert_eq!(s.sender.counters().ecn_responses, 1);
    // What was sent after the cut is another window of data.
    s.expect_sent(11..=15);
    s.receive(&ack_with(12, Flags::ECE));
    s.expect_cwnd(2.5);
    assert_eq!(s.sender.counters().ecn_responses, 2);
}

#[test]
fn without_an_echo_the_window_grows_as_ever() {
    let mut s = Script::sent(ecn("reno"), 10);
    s.receive(&ack_with(2, Flags::empty()));
    s.expect_cwnd(10.1);
}

#[test]
fn a_sender_that_did_not_offer_ecn_ignores_an_echo() {
    let mut s = Script::sent(config("reno", 10), 10);
    s.receive(&ack_with(2, Flags::ECE));
    s.expect_cwnd(10.1);
    assert_eq!(s.sender.counters().ecn_responses, 0);
}

#[test]
fn the_first_new_segment_after_a_cut_says_so() {
    let mut s = Script::sent(ecn("reno"), 10);
    (2..=7).for_each(|n| s.receive(&ack_with(n, Flags::ECE)));
    let first = s
        .poll_segment()
        .expect("a sixth segment in flight leaves room");
    assert_eq!(first.flags, Flags::ACK | Flags::CWR);
    s.receive(&ack_with(8, Flags::empty()));
    assert_eq!(s.poll_segment().expect("one more").flags, Flags::ACK);
}

#[test]
fn a_loss_in_a_window_that_a_mark_has_cut_is_repaired_without_another_cut() {
    let mut s = Script::sent(ecn("newreno"), 10);
    s.receive(&ack_with(2, Flags::ECE));
    s.expect_cwnd(5.0);
    for _ in 0..3 {
        s.receive(&ack_with(2, Flags::empty()));
    }
    s.expect_cwnd(5.0);
    assert_eq!(s.poll().first(), Some(&2));
    assert_eq!(s.sender.counters().fast_retransmits, 1);
}

#[test]
fn a_mark_in_a_window_that_a_loss_has_cut_is_no_reason_for_another_cut() {
    let mut s = Script::sent(ecn("newreno"), 10);
    s.dupacks(3);
    s.expect_cwnd(5.0);
    // The recovery ends with this ACK; then comes an echo of the same window of data.
    s.receive(&ack_with(11, Flags::ECE));
    s.expect_cwnd(5.0);
    assert_eq!(s.sender.counters().ecn_responses, 0);
}

#[test]
fn cerl_takes_a_mark_for_congestion_whatever_the_queue_looks_like() {
    let mut s = Script::sent(ecn("cerl"), 10);
    s.wait(300);
    s.ack(2); // a long round trip, and then a short one: by RTT the queue is empty
    s.expect_sent([11]);
    s.wait(10);
    s.receive(&ack_with(3, Flags::empty()));
    let before = s.sender.window().cwnd.0;
    s.receive(&ack_with(4, Flags::ECE));
    assert!(s.sender.window().cwnd.0 <= before / 2.0 + 1e-9);
}

#[test]
fn only_new_data_is_ecn_capable() {
    let codepoints = |config: TcpConfig| {
        let mut sender = Sender::new(config);
        sender.open();
        sender.write(u64::MAX);
        let now = Time::from_nanos(1_000_000_000);
        let new = sender.poll_departure(now).expect("data").ecn();
        while sender.poll_departure(now).is_some() {}
        for _ in 0..3 {
            sender.on_segment(now, &ack_with(1, Flags::empty()));
        }
        let again = sender.poll_departure(now).expect("a fast retransmit").ecn();
        (new, again)
    };
    assert_eq!(codepoints(ecn("reno")), (Ecn::Ect0, Ecn::NotEct));
    assert_eq!(codepoints(config("reno", 10)), (Ecn::NotEct, Ecn::NotEct));
}

#[test]
fn a_loss_that_a_channel_is_known_for_is_repaired_without_a_cut() {
    let mut s = Script::sent(
        TcpConfig {
            eln: true,
            ..config("newreno", 10)
        },
        10,
    );
    s.receive(&eln_dupack(1));
    s.expect_cwnd(10.0);
    // The first one is enough; it also says that a segment has left, which a new one replaces.
    s.expect_sent([1, 11]);
    s.receive(&eln_dupack(1));
    assert!(!s.poll().contains(&1), "once a round trip");
    assert_eq!(s.sender.counters().window_cuts, 0);
}

#[test]
fn a_second_loss_of_the_same_window_is_repaired_without_a_cut_too() {
    let mut s = Script::sent(
        TcpConfig {
            eln: true,
            ..config("reno", 10)
        },
        10,
    );
    s.receive(&eln_dupack(1));
    s.expect_sent([1, 11]);
    s.ack(4);
    s.poll();
    s.receive(&eln_dupack(4));
    assert_eq!(s.poll().first(), Some(&4));
    assert_eq!(s.sender.counters().window_cuts, 0);
}

#[test]
fn the_next_hole_is_repaired_on_the_ack_that_shows_it() {
    let mut s = Script::sent(
        TcpConfig {
            eln: true,
            ..config("reno", 10)
        },
        10,
    );
    s.receive(&eln_dupack(1));
    s.expect_sent([1, 11]);
    s.receive(&eln_dupack(4)); // an ACK of new data
    assert_eq!(s.poll().first(), Some(&4));
    assert_eq!(s.sender.counters().window_cuts, 0);
}

#[test]
fn without_the_switch_a_notification_changes_nothing() {
    let mut s = Script::sent(config("newreno", 10), 10);
    for _ in 0..3 {
        s.receive(&eln_dupack(1));
    }
    s.expect_cwnd(5.0);
    assert_eq!(s.poll().first(), Some(&1));
}
