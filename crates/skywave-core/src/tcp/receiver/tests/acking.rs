//! When an ACK is sent, and which timestamp it echoes.

use super::*;

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
