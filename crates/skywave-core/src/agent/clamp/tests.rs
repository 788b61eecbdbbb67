//! The pair of agents, frame by frame, and what holds of it on any last hop.

mod properties;

use super::*;
use crate::packet::{ContentionDelay, Hints, Marks, SackBlock};
use crate::time::Duration;

const MSS: u32 = 1000;
const ISS: u32 = u32::MAX - 1500;

fn ms(t: u64) -> Time {
    Time::ZERO + Duration::from_millis(t)
}

/// The data segment with this number, from 0.
fn data(number: u32) -> Segment {
    Segment {
        seq: SeqNr::at(ISS, u64::from(number * MSS)),
        len: MSS,
        flags: Flags::ACK,
        ..Segment::default()
    }
}

/// The receiver's ACK of this many segments.
fn ack(segments: u32) -> Segment {
    Segment {
        ack: SeqNr::at(ISS, u64::from(segments * MSS)),
        window: 64_000,
        flags: Flags::ACK,
        ..Segment::default()
    }
}

fn number(ack: Option<Segment>) -> Option<u64> {
    ack.map(|ack| ack.ack.expand(ISS, 0).expect("a position") / u64::from(MSS))
}

#[test]
fn acks_of_new_data_are_dropped_and_duplicates_are_not() {
    let mut agent = Suppressor::default();
    let passed: Vec<bool> = [1, 2, 3, 3, 3, 6, 6, 7]
        .map(|segments| agent.passes(&ack(segments)))
        .to_vec();
    // The first one tells the station before where the receiver stands.
    assert_eq!(passed, [true, false, false, true, true, false, true, false]);
}

#[test]
fn what_nobody_else_can_tell_passes() {
    let passes = |change: &dyn Fn(&mut Segment)| {
        let mut agent = Suppressor::default();
        assert!(agent.passes(&ack(1)));
        assert!(!agent.passes(&ack(2)));
        let mut segment = ack(3);
        change(&mut segment);
        agent.passes(&segment)
    };
    assert!(!passes(&|_| {}));
    assert!(passes(&|s| s.len = 1), "data");
    assert!(passes(&|s| s.flags |= Flags::FIN));
    assert!(passes(&|s| s.flags |= Flags::RST));
    assert!(passes(&|s| s.flags |= Flags::SYN));
    assert!(passes(&|s| s.flags |= Flags::ECE));
    assert!(passes(&|s| s.window = 32_000), "another window");
    assert!(passes(&|s| s.hints.marks = Marks::ELN));
    assert!(passes(&|s| {
        s.hints = Hints {
            contention: ContentionDelay::from_duration(Duration::from_millis(1)),
            ..Hints::NONE
        };
    }));
    assert!(passes(
        &|s| s.options = Options::Missing(SackBlock::default())
    ));
    // A segment that acknowledges nothing is none of its business.
    let mut agent = Suppressor::default();
    for _ in 0..2 {
        let mut syn = data(0);
        syn.flags = Flags::SYN;
        assert!(agent.passes(&syn));
    }
}

#[test]
fn the_mac_acknowledges_for_the_receiver() {
    let mut agent = Regenerator::default();
    assert_eq!(agent.on_confirmed(ms(0), &data(0)), None, "not yet known");
    assert_eq!(agent.on_ack(ms(1), &ack(1)), None);
    let made = agent.on_confirmed(ms(2), &data(1)).expect("an ACK");
    assert_eq!(made, ack(2));
    assert_eq!(number(agent.on_confirmed(ms(3), &data(2))), Some(3));
}

/// The receiver's first ACK comes when the MAC has confirmed more: the rest is acknowledged after it.
#[test]
fn what_was_confirmed_before_the_first_ack_is_acknowledged_after_it() {
    let mut agent = Regenerator::default();
    for segment in 0..3 {
        assert_eq!(agent.on_confirmed(ms(0), &data(segment)), None);
    }
    assert_eq!(number(agent.on_ack(ms(1), &ack(1))), Some(3));
}

/// Segment 2 is lost on the way here. The MAC's ACKs of those after it acknowledge nothing; the receiver's
/// duplicates pass; and when 2 has come, one ACK covers them all.
#[test]
fn a_hole_is_not_acknowledged() {
    let mut agent = Regenerator::default();
    assert_eq!(agent.on_ack(ms(0), &ack(2)), None);
    for segment in [3, 4, 6] {
        assert_eq!(agent.on_confirmed(ms(1), &data(segment)), None);
        assert_eq!(agent.on_ack(ms(1), &ack(2)), None, "a duplicate");
    }
    assert_eq!(number(agent.on_confirmed(ms(2), &data(2))), Some(5));
    assert_eq!(number(agent.on_confirmed(ms(3), &data(5))), Some(7));
}

#[test]
fn nothing_is_acknowledged_twice() {
    let mut agent = Regenerator::default();
    assert_eq!(agent.on_ack(ms(0), &ack(2)), None);
    assert_eq!(number(agent.on_confirmed(ms(1), &data(2))), Some(3));
    assert_eq!(agent.on_confirmed(ms(2), &data(2)), None, "a copy");
    assert_eq!(agent.on_confirmed(ms(2), &data(0)), None, "an old one");
    // The receiver's own, which another window let pass, is older than what was told.
    assert_eq!(agent.on_ack(ms(3), &ack(3)), None);
    assert_eq!(agent.on_ack(ms(3), &ack(1)), None, "one that is late");
    assert_eq!(number(agent.on_confirmed(ms(4), &data(3))), Some(4));
}

/// A station to which the route has just changed knows nothing of what others have brought.
#[test]
fn a_station_that_has_not_heard_of_the_receiver_says_nothing() {
    let mut agent = Regenerator::default();
    for segment in 7..20 {
        assert_eq!(agent.on_confirmed(ms(0), &data(segment)), None);
    }
    // The source's timer, the segment again, and the receiver's duplicate ACK.
    assert_eq!(number(agent.on_ack(ms(1), &ack(7))), Some(20));
}

#[test]
fn syn_and_fin_take_a_number_each() {
    let mut agent = Regenerator::default();
    let syn = Segment {
        seq: SeqNr(ISS),
        flags: Flags::SYN,
        ..Segment::default()
    };
    assert_eq!(agent.on_confirmed(ms(0), &syn), None);
    let mut answer = ack(0);
    answer.ack = SeqNr(ISS.wrapping_add(1));
    answer.flags |= Flags::SYN;
    assert_eq!(agent.on_ack(ms(1), &answer), None);
    let mut last = data(0);
    last.seq = SeqNr(ISS.wrapping_add(1));
    last.flags |= Flags::FIN;
    let made = agent.on_confirmed(ms(2), &last).expect("an ACK");
    assert_eq!(made.ack, SeqNr(ISS.wrapping_add(MSS + 2)));
    assert_eq!(made.flags, Flags::ACK);
    // An ACK without data or control bits is no data.
    let mut empty = data(0);
    (empty.seq, empty.len) = (SeqNr(ISS.wrapping_add(MSS + 2)), 0);
    assert_eq!(agent.on_confirmed(ms(3), &empty), None);
}

#[test]
fn it_echoes_the_newest_timestamp_of_the_data() {
    let stamped = |segment, at| Segment {
        timestamps: Some(Timestamps {
            value: ms(at),
            echo: Time::ZERO,
        }),
        ..data(segment)
    };
    let mut agent = Regenerator::default();
    assert_eq!(agent.on_ack(ms(9), &ack(0)), None);
    let made = agent.on_confirmed(ms(50), &stamped(0, 40)).expect("an ACK");
    let echoed = |value, echo| {
        Some(Timestamps {
            value: ms(value),
            echo: ms(echo),
        })
    };
    assert_eq!(made.timestamps, echoed(50, 40));
    let made = agent.on_confirmed(ms(52), &stamped(1, 30)).expect("an ACK");
    assert_eq!(made.timestamps, echoed(52, 40));
}
