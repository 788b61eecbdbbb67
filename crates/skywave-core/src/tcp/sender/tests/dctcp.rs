//! DCTCP (RFC 8257), segment by segment.

use super::plain as config;
use crate::packet::{Ecn, Flags, SackBlock, Segment};
use crate::seq::SeqNr;
use crate::tcp::config::{EcnRules, TcpConfig};
use crate::tcp::testing::{MSS, Script};

fn dctcp() -> TcpConfig {
    TcpConfig {
        ecn_rules: EcnRules::Rfc3168,
        whole_ssthresh: false,
        ..config("dctcp", 10)
    }
}

fn ack(n: u64, marked: bool) -> Segment {
    let mut flags = Flags::ACK;
    flags.set(Flags::ECE, marked);
    Segment {
        ack: SeqNr(((n - 1) * u64::from(MSS)) as u32),
        window: 1000 * MSS,
        flags,
        ..Segment::default()
    }
}

#[test]
fn the_preset_has_ecn_and_an_exact_echo() {
    assert!(dctcp().ecn && dctcp().exact_echo);
    let mut s = Script::new(dctcp());
    let now = s.now;
    assert_eq!(s.sender.poll_departure(now).expect("data").ecn(), Ecn::Ect0);
}

#[test]
fn a_window_of_data_is_cut_once_by_what_was_marked_of_those_before() {
    let mut s = Script::sent(dctcp(), 10);
    // The first window of data: nothing is marked. α becomes 15/16 with its first ACK.
    for n in 2..=11 {
        s.receive(&ack(n, false));
    }
    let grown = s.sender.window().cwnd.0;
    s.poll();
    // A mark in the next one: α is 15/16 still, as its end is not reached.
    s.receive(&ack(12, true));
    let alpha = 15.0 / 16.0;
    s.expect_cwnd(grown * (1.0 - alpha / 2.0));
    let cut = s.sender.window().cwnd.0;
    s.receive(&ack(13, true));
    s.expect_cwnd(cut);
    assert_eq!(s.sender.counters().ecn_responses, 1);
}

#[test]
fn a_loss_in_a_window_that_a_mark_has_cut_is_answered_as_well() {
    let mut s = Script::sent(dctcp(), 10);
    s.receive(&ack(2, true));
    s.expect_cwnd(5.0);
    for held in 4..=6 {
        let block = SackBlock {
            start: ack(3, false).ack,
            end: ack(held, false).ack,
        };
        s.receive(&Segment {
            options: [block].into_iter().collect(),
            ..ack(2, false)
        });
    }
    assert!(s.sender.in_recovery());
    s.expect_ssthresh(2.5);
    assert_eq!(s.sender.counters().window_cuts, 2);
}
