//! When an ACK is sent, and which timestamp it echoes.

use super::*;
use crate::tcp::acking::{DelayedDupacks, SelfTriggered};

#[test]
fn every_segment_is_acknowledged_at_once() {
    let mut s = Script::new(every_segment());
    for n in 1..=3 {
        s.arrive(n);
        s.expect_ack(n + 1);
    }
    assert_eq!(s.receiver.next_timer(), None);
}

#[test]
fn delayed_acks_come_with_every_second_segment() {
    let mut s = Script::new(delayed());
    s.arrive(1);
    s.expect_nothing();
    s.arrive(2);
    s.expect_ack(3);
    assert_eq!(s.receiver.next_timer(), None);
    s.arrive(3);
    s.expect_nothing();
    s.arrive(4);
    s.expect_ack(5);
}

#[test]
fn a_delayed_ack_waits_200_ms_at_most() {
    let mut s = Script::new(delayed());
    s.arrive(1);
    let due = s.receiver.next_timer().expect("a timer");
    assert_eq!(due.since(s.now), Duration::from_millis(200));
    s.wait(199);
    s.receiver.on_timer(s.now);
    s.expect_nothing();
    s.wait(1);
    s.receiver.on_timer(s.now);
    s.expect_ack(2);
    assert_eq!(s.receiver.next_timer(), None);
    s.receiver.on_timer(s.now);
    s.expect_nothing();
}

#[test]
fn a_segment_out_of_order_or_filling_a_hole_is_acknowledged_at_once() {
    let mut s = Script::new(delayed());
    s.arrive(1);
    s.expect_nothing();
    s.arrive(3);
    s.expect_ack(2); // and the delayed one is covered
    assert_eq!(s.receiver.next_timer(), None);
    s.arrive(5);
    s.expect_ack(2);
    s.arrive(2);
    s.expect_ack(4); // fills part of the hole
    s.arrive(4);
    s.expect_ack(6); // all of it
    s.arrive(6);
    s.expect_nothing();
}

#[test]
fn a_duplicate_is_acknowledged_at_once() {
    let mut s = Script::new(delayed());
    s.arrive(1);
    s.arrive(2);
    s.expect_ack(3);
    s.arrive(1);
    s.expect_ack(3);
}

#[test]
fn a_fin_is_acknowledged_at_once() {
    let mut s = Script::new(delayed());
    let mut last = s.data(1);
    last.flags |= Flags::FIN;
    s.receiver.on_segment(s.now, &last);
    let ack = s.receiver.poll_transmit(s.now).expect("an ACK");
    assert_eq!(ack.ack, SeqNr(MSS + 1));
    assert_eq!(s.receiver.next_timer(), None);
}

/// The echo of the next ACK, as milliseconds before now.
#[track_caller]
fn echoed_age(s: &mut Script) -> u64 {
    let ack = s.receiver.poll_transmit(s.now).expect("an ACK");
    let timestamps = ack.timestamps.expect("timestamps");
    assert_eq!({ timestamps.value }, s.now);
    s.now.since(timestamps.echo).as_nanos() / 1_000_000
}

#[test]
fn an_ack_echoes_the_segment_that_moved_its_edge() {
    let mut s = Script::new(TcpConfig {
        timestamps: true,
        ..every_segment()
    });
    s.arrive(1);
    assert_eq!(echoed_age(&mut s), 0);
    // RFC 7323 section 4.3 (B): there is a hole, so the sender must see the earlier time.
    s.wait(10);
    s.arrive(3);
    assert_eq!(echoed_age(&mut s), 10);
    s.wait(10);
    s.arrive(4);
    assert_eq!(echoed_age(&mut s), 20);
    // (C): the retransmission fills the hole.
    s.wait(10);
    s.arrive(2);
    assert_eq!(echoed_age(&mut s), 0);
}

#[test]
fn a_delayed_ack_echoes_the_first_segment_that_it_covers() {
    // RFC 7323 section 4.3 (A): the sender's timer must see the ACK's delay.
    let mut s = Script::new(TcpConfig {
        timestamps: true,
        ..delayed()
    });
    s.arrive(1);
    s.wait(70);
    s.arrive(2);
    assert_eq!(echoed_age(&mut s), 70);
    s.wait(10);
    s.arrive(3);
    s.wait(200);
    s.receiver.on_timer(s.now);
    assert_eq!(echoed_age(&mut s), 200);
}

#[test]
fn a_late_duplicate_does_not_turn_the_echo_back() {
    let mut s = Script::new(TcpConfig {
        timestamps: true,
        ..every_segment()
    });
    let late = s.data(1);
    s.wait(50);
    s.arrive(1);
    assert_eq!(echoed_age(&mut s), 0);
    s.receiver.on_segment(s.now, &late);
    assert_eq!(echoed_age(&mut s), 0);
    // The timestamp of an unnecessary retransmission is echoed, because it is newer.
    s.wait(50);
    s.arrive(1);
    assert_eq!(echoed_age(&mut s), 0);
}

/// A sender with this window, in segments, that tells it.
fn told(s: &mut Script, segment: u64, window: u16) {
    let segment = Segment {
        options: Options::Window(window),
        ..s.data(segment)
    };
    s.receiver.on_segment(s.now, &segment);
}

fn self_triggered() -> Script {
    Script::new(TcpConfig {
        acking: Acking::SelfTriggered(SelfTriggered::DEFAULT),
        ..every_segment()
    })
}

#[test]
fn a_self_triggered_ack_comes_with_the_last_segment_of_the_window() {
    let mut s = self_triggered();
    for n in 1..=3 {
        told(&mut s, n, 4);
        s.expect_nothing();
    }
    told(&mut s, 4, 4);
    s.expect_ack(5);
    assert_eq!(s.receiver.next_timer(), None);
    // The next window is the one that its segments tell.
    for n in 5..=6 {
        told(&mut s, n, 3);
        s.expect_nothing();
    }
    told(&mut s, 7, 3);
    s.expect_ack(8);
    // One that was cut meanwhile is not waited for.
    told(&mut s, 8, 6);
    told(&mut s, 9, 2);
    s.expect_ack(10);
    told(&mut s, 10, 0);
    s.expect_ack(11);
}

#[test]
fn a_self_triggered_ack_waits_200_ms_at_most_and_not_when_out_of_order() {
    let mut s = self_triggered();
    told(&mut s, 1, 10);
    s.expect_nothing();
    let due = s.receiver.next_timer().expect("a timer");
    assert_eq!(due.since(s.now), Duration::from_millis(200));
    s.wait(200);
    s.receiver.on_timer(s.now);
    s.expect_ack(2);
    told(&mut s, 3, 10);
    s.expect_ack(2);
    told(&mut s, 2, 10);
    s.expect_ack(4);
}

#[test]
fn a_sender_that_tells_no_window_is_acknowledged_every_second_segment() {
    let mut s = self_triggered();
    s.arrive(1);
    s.expect_nothing();
    s.arrive(2);
    s.expect_ack(3);
}

/// Duplicate ACKs wait 100 ms.
fn delayed_dupacks(sack: bool) -> Script {
    Script::new(TcpConfig {
        acking: Acking::DelayedDupacks(DelayedDupacks::DEFAULT),
        sack,
        ..every_segment()
    })
}

/// The first segment arrives, and the two behind the second, whose duplicate ACKs go out at once.
#[track_caller]
fn two_dupacks(s: &mut Script) {
    s.arrive(1);
    s.expect_ack(2);
    for n in [3, 4] {
        s.arrive(n);
        s.expect_ack(2);
    }
}

/// All ACKs that the receiver has to send.
fn acks(s: &mut Script) -> Vec<u64> {
    std::iter::from_fn(|| s.receiver.poll_transmit(s.now).map(|ack| ack.ack))
        .collect::<Vec<_>>()
        .into_iter()
        .map(|ack| s.number(ack))
        .collect()
}

#[test]
fn the_third_duplicate_ack_and_those_after_it_wait_together() {
    for sack in [false, true] {
        let mut s = delayed_dupacks(sack);
        two_dupacks(&mut s);
        assert_eq!(s.receiver.next_timer(), None);
        s.arrive(5);
        s.expect_nothing();
        let due = s.receiver.next_timer().expect("a timer");
        assert_eq!(due.since(s.now), Duration::from_millis(100));
        s.wait(60);
        s.arrive(6);
        s.expect_nothing();
        assert_eq!(s.receiver.next_timer(), Some(due), "one time for the hole");
        s.wait(40);
        s.receiver.on_timer(s.now);
        assert_eq!(acks(&mut s), [2, 2]);
        // The hole has had its time.
        s.arrive(7);
        s.expect_ack(2);
        s.arrive(2);
        s.expect_ack(8);
        assert_eq!(s.receiver.next_timer(), None);
    }
}

#[test]
fn duplicate_acks_that_wait_are_dropped_when_the_hole_is_filled() {
    let mut s = delayed_dupacks(false);
    two_dupacks(&mut s);
    s.arrive(5);
    s.arrive(7);
    s.expect_nothing();
    s.arrive(2);
    s.expect_ack(6);
    s.expect_nothing();
    s.wait(200);
    s.receiver.on_timer(s.now);
    s.expect_nothing();
    // The next hole has duplicate ACKs of its own.
    for n in [8, 9] {
        s.arrive(n);
        s.expect_ack(6);
    }
    s.arrive(10);
    s.expect_nothing();
    assert!(s.receiver.next_timer().is_some());
}

#[test]
fn what_came_twice_is_acknowledged_at_once_beside_duplicate_acks_that_wait() {
    let mut s = delayed_dupacks(false);
    two_dupacks(&mut s);
    s.arrive(5);
    s.expect_nothing();
    s.arrive(1);
    s.expect_ack(2);
    s.wait(100);
    s.receiver.on_timer(s.now);
    s.expect_ack(2);
    s.expect_nothing();
}
