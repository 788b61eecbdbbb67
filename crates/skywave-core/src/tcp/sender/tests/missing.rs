//! A sender whose receiver names what is missing (Francis 2012, section 3.2.3).

use super::plain;
use crate::packet::{Flags, Options, SackBlock, Segment};
use crate::seq::SeqNr;
use crate::tcp::config::RtoConfig;
use crate::tcp::config::TcpConfig;
use crate::tcp::testing::{MSS, Script};

/// Ten segments, sent 300 ms ago.
fn sent() -> Script {
    let config = TcpConfig {
        rto: RtoConfig::EXACT.into(),
        ..plain("reno", 10)
    };
    let mut s = Script::sent(config, 10);
    s.wait(300);
    s
}

/// The receiver waits for segment `n` and asks for `missing`.
fn ask(s: &mut Script, n: u32, missing: u32) {
    let seq = |n: u32| SeqNr((n - 1) * MSS);
    s.receive(&Segment {
        ack: seq(n),
        window: 1000 * MSS,
        flags: Flags::ACK,
        options: Options::Missing(SackBlock {
            start: seq(missing),
            end: seq(missing + 1),
        }),
        ..Segment::default()
    });
}

fn cuts(s: &Script) -> u64 {
    s.sender.counters().window_cuts
}

#[test]
fn exactly_what_is_named_is_sent_again_with_one_cut() {
    let mut s = sent();
    ask(&mut s, 3, 3);
    ask(&mut s, 3, 6);
    s.expect_sent([3, 6]);
    assert_eq!(cuts(&s), 1);
    assert_eq!(s.sender.counters().fast_retransmits, 1);
}

#[test]
fn it_is_no_duplicate_ack() {
    let mut s = sent();
    for _ in 0..4 {
        ask(&mut s, 1, 4);
    }
    s.expect_sent([4]);
    assert!(!s.sender.in_recovery());
}

#[test]
fn what_was_sent_again_is_not_sent_once_more_before_an_answer_can_come() {
    let mut s = sent();
    ask(&mut s, 3, 3);
    s.expect_sent([3]);
    s.wait(299);
    ask(&mut s, 3, 3);
    s.expect_nothing();
    s.wait(1);
    ask(&mut s, 3, 3);
    s.expect_sent([3]);
    assert_eq!(cuts(&s), 1, "the same window of data");
}

#[test]
fn what_is_acknowledged_or_was_never_sent_is_not_sent() {
    let mut s = sent();
    s.ack(5);
    s.poll();
    ask(&mut s, 5, 2);
    ask(&mut s, 5, 400);
    s.expect_nothing();
    assert_eq!(cuts(&s), 0);
}

#[test]
fn its_fast_retransmit_counts_by_the_window_that_was_in_force() {
    let mut s = Script::sent(plain("reno", 5), 5);
    ask(&mut s, 1, 1);
    s.expect_cwnd(2.5);
    assert_eq!(s.sender.counters().fast_retransmits, 1);
    assert_eq!(s.sender.counters().events.small_cwnd_fast_retransmits, 0);
}
