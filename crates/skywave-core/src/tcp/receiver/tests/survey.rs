//! The receivers of TCP-WAM, TCP-LBA and the contention indicator (Francis 2012, sections 3.2.1, 3.2.3 and 3.2.4).

use super::*;
use crate::packet::Marks;
use crate::tcp::acking::{Delayed, Lba};

fn acking(acking: Acking) -> Script {
    Script::new(TcpConfig {
        acking,
        sack: false,
        ..every_segment()
    })
}

/// Data that asks arrives.
fn ask(s: &mut Script, segment: u64) {
    let mut data = s.data(segment);
    data.hints.marks = Marks::ASKS;
    s.receiver.on_segment(s.now, &data);
}

/// The one ACK that is sent waits for this segment, and has the mark or has not.
#[track_caller]
fn expect_answer(s: &mut Script, segment: u64, all: bool) {
    let ack = s.receiver.poll_transmit(s.now).expect("an ACK");
    assert_eq!(
        (s.number(ack.ack), ack.hints.is_all_received()),
        (segment, all)
    );
    s.expect_nothing();
}

#[test]
fn wam_answers_data_that_asks_at_once_and_other_data_as_ever() {
    let mut s = acking(Acking::Wam(Delayed::DEFAULT));
    s.arrive(1);
    s.expect_nothing();
    ask(&mut s, 2);
    expect_answer(&mut s, 3, true);
    ask(&mut s, 3);
    expect_answer(&mut s, 4, true);
    s.arrive(4);
    s.expect_nothing();
    s.arrive(5);
    expect_answer(&mut s, 6, false);
}

#[test]
fn wam_answers_with_duplicates_while_something_is_missing() {
    let mut s = acking(Acking::Wam(Delayed::DEFAULT));
    ask(&mut s, 1);
    expect_answer(&mut s, 2, true);
    ask(&mut s, 3);
    expect_answer(&mut s, 2, false);
    ask(&mut s, 4);
    expect_answer(&mut s, 2, false);
    // The segment that fills the hole does not ask.
    s.arrive(2);
    expect_answer(&mut s, 5, false);
}

/// The segments that the ACKs name which are sent now, all waiting for `next`.
#[track_caller]
fn named(s: &mut Script, next: u64) -> Vec<Option<Range<u64>>> {
    let acks = std::iter::from_fn(|| s.receiver.poll_transmit(s.now)).collect::<Vec<_>>();
    acks.iter()
        .map(|ack| {
            assert_eq!(s.number(ack.ack), next);
            assert!(ack.sack().is_empty());
            let missing = ack.options.missing();
            missing.map(|m| s.number(m.start)..s.number(m.end))
        })
        .collect()
}

#[test]
fn lba_answers_once_for_all_that_has_come() {
    let mut s = acking(Acking::Lba(Lba::DEFAULT));
    s.arrive(1);
    s.wait(150);
    s.arrive(3);
    s.arrive(2);
    s.expect_nothing();
    s.wait(49);
    s.receiver.on_timer(s.now);
    s.expect_nothing();
    s.wait(1);
    s.receiver.on_timer(s.now);
    assert_eq!(named(&mut s, 4), [None]);
    assert_eq!(s.receiver.next_timer(), None);
}

#[test]
fn lba_names_each_missing_segment_in_an_ack_of_its_own() {
    let mut s = acking(Acking::Lba(Lba::DEFAULT));
    for segment in [1, 4, 6, 2] {
        s.arrive(segment);
    }
    s.expect_nothing();
    s.wait(200);
    s.receiver.on_timer(s.now);
    assert_eq!(named(&mut s, 3), [Some(3..4), Some(5..6)]);
    // A duplicate starts the wait anew, and is answered in the same way.
    s.arrive(1);
    s.expect_nothing();
    s.wait(200);
    s.receiver.on_timer(s.now);
    assert_eq!(named(&mut s, 3), [Some(3..4), Some(5..6)]);
    s.arrive(3);
    s.arrive(5);
    s.wait(200);
    s.receiver.on_timer(s.now);
    assert_eq!(named(&mut s, 7), [None]);
}

#[test]
fn lba_cuts_a_long_hole_into_segments() {
    let mut s = acking(Acking::Lba(Lba::DEFAULT));
    s.arrive(4);
    s.wait(200);
    s.receiver.on_timer(s.now);
    assert_eq!(named(&mut s, 1), [Some(1..2), Some(2..3), Some(3..4)]);
}

/// A segment arrives `ms` after it was sent.
fn arrive_after(s: &mut Script, segment: u64, ms: u64) {
    let mut data = s.data(segment);
    data.timestamps = Some(Timestamps {
        value: s.now - Duration::from_millis(ms),
        echo: Time::ZERO,
    });
    s.receiver.on_segment(s.now, &data);
}

#[test]
fn the_indicator_speaks_while_something_is_missing_only() {
    let marks = |s: &mut Script| {
        let ack = s.receiver.poll_transmit(s.now).expect("an ACK");
        s.expect_nothing();
        ack.hints.marks
    };
    let mut s = Script::new(config("contention-indicator", 1));
    arrive_after(&mut s, 1, 50);
    assert_eq!(marks(&mut s), Marks::empty());
    arrive_after(&mut s, 2, 90);
    assert_eq!(marks(&mut s), Marks::empty());
    arrive_after(&mut s, 4, 200);
    assert_eq!(marks(&mut s), Marks::CONGESTED);
    arrive_after(&mut s, 5, 10);
    assert_eq!(marks(&mut s), Marks::empty(), "delays fall");
    arrive_after(&mut s, 3, 300);
    assert_eq!(marks(&mut s), Marks::empty(), "all is there");
}
