//! TCP-WAM's sender (Francis 2012, section 3.2.1).

use super::plain;
use crate::packet::{Flags, Hints, Marks, Segment};
use crate::seq::SeqNr;
use crate::tcp::acking::{Acking, Delayed};
use crate::tcp::config::{RtoConfig, TcpConfig};
use crate::tcp::testing::{MSS, Script};

fn wam() -> TcpConfig {
    TcpConfig {
        rto: RtoConfig::EXACT.into(),
        acking: Acking::Wam(Delayed::DEFAULT),
        ..plain("wam", 4)
    }
}

/// Segments 5 to 8, sent just now after a round trip of 100 ms: the RTO is 1 s.
#[track_caller]
fn sampled(config: TcpConfig) -> Script {
    let mut s = Script::sent(config, 4);
    s.wait(100);
    s.ack(5);
    s.expect_sent(5..=8);
    s
}

/// As [`sampled`], and the timer has expired.
#[track_caller]
fn asking() -> Script {
    let mut s = sampled(wam());
    s.expect_timer_in(1000);
    s.wait(1000);
    s.on_timer();
    s
}

/// The numbers of the segments sent since the last look, which all ask or all do not.
fn sent_asking(s: &mut Script, asks: bool) -> Vec<u32> {
    let segments = std::iter::from_fn(|| s.poll_segment());
    segments
        .map(|segment| {
            assert_eq!(
                segment.hints.marks.contains(Marks::ASKS),
                asks,
                "{segment:?}"
            );
            segment.seq.0 / MSS + 1
        })
        .collect()
}

/// The receiver waits for segment `n`, and says that all before the data that asked has come.
fn answer(s: &mut Script, n: u32) {
    s.receive(&Segment {
        ack: SeqNr((n - 1) * MSS),
        window: 1000 * MSS,
        flags: Flags::ACK,
        hints: Hints {
            marks: Marks::ALL_RECEIVED,
            ..Hints::NONE
        },
        ..Segment::default()
    });
}

fn counts(s: &Script) -> (u64, u64, u64) {
    let counters = s.sender.counters();
    (
        counters.timeouts,
        counters.window_cuts,
        counters.retransmits,
    )
}

#[test]
fn data_does_not_ask_before_the_timer_expires() {
    let mut s = Script::new(wam());
    assert_eq!(sent_asking(&mut s, false), [1, 2, 3, 4]);
}

#[test]
fn an_expiry_sends_new_data_that_asks_and_cuts_nothing() {
    let mut s = asking();
    // A window more than all that was sent, as if that had been acknowledged; and half an RTO for the answer.
    assert_eq!(sent_asking(&mut s, true), [9, 10, 11, 12]);
    s.expect_timer_in(500);
    s.expect_cwnd(4.25);
    assert_eq!(counts(&s), (0, 0, 0));
}

#[test]
fn the_answer_ends_it_and_the_window_grows_on() {
    let mut s = asking();
    s.poll();
    s.wait(100);
    answer(&mut s, 10);
    assert_eq!(sent_asking(&mut s, false), [13]);
    s.expect_cwnd(4.25 + 1.0 / 4.25);
    // Back to a whole RTO, which the late answer has made longer.
    s.expect_timer_in(1375);
    assert_eq!(counts(&s), (0, 0, 0));
}

#[test]
fn an_ack_without_the_mark_is_no_answer_and_lets_nothing_grow() {
    let mut s = asking();
    s.poll();
    s.wait(100);
    s.ack(7);
    s.expect_cwnd(4.25);
    s.poll();
    s.wait(1375);
    s.on_timer();
    s.expect_cwnd(1.0);
    s.expect_sent([7]);
    assert_eq!(counts(&s), (1, 1, 1));
}

#[test]
fn without_an_answer_in_time_slow_start_begins() {
    let mut s = asking();
    s.poll();
    s.wait(499);
    s.on_timer();
    s.expect_nothing();
    s.wait(1);
    s.on_timer();
    s.expect_sent([5]);
    s.expect_cwnd(1.0);
    // What is sent again is no new data to ask with: the next expiry is a timeout, too.
    s.wait_for_timeout();
    s.expect_sent([5]);
    assert_eq!(counts(&s), (2, 2, 2));
}

#[test]
fn three_duplicate_acks_are_a_fast_retransmit() {
    let mut s = asking();
    s.poll();
    s.wait(100);
    s.dupacks(3);
    assert_eq!(s.poll()[0], 5);
    assert_eq!(counts(&s).1, 1);
}

#[test]
fn the_answer_has_a_second_at_most() {
    let mut config = wam();
    std::sync::Arc::make_mut(&mut config.rto).initial = crate::time::Duration::from_secs(3);
    let mut s = Script::sent(config, 4);
    s.wait(3000);
    s.on_timer();
    s.expect_sent([5, 6, 7, 8]);
    s.expect_timer_in(1000);
}

#[test]
fn a_receiver_that_knows_no_marks_is_asked_by_no_mark_and_answers_by_any_ack() {
    let config = TcpConfig {
        acking: Acking::EverySegment,
        ..wam()
    };
    let mut s = sampled(config);
    s.wait(1000);
    s.on_timer();
    assert_eq!(sent_asking(&mut s, false), [9, 10, 11, 12]);
    s.wait(100);
    s.ack(10);
    s.expect_cwnd(4.25 + 1.0 / 4.25);
    assert_eq!(counts(&s), (0, 0, 0));
}
