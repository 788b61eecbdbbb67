//! Data both ways: acknowledgements on data, delayed ones, order, and Nagle's rule.

use super::script::{BUFFER, MSS, Script, config, own, peer};
use crate::packet::{Ecn, Flags};
use crate::tcp::config::Acking;
use crate::tcp::connection::{Accepted, ConnectionConfig, Event};
use crate::time::Duration;

const ACK: Flags = Flags::ACK;

fn delaying() -> ConnectionConfig {
    let mut config = config();
    config.tcp.acking = Acking::delayed(2, Duration::from_millis(200));
    config
}

#[test]
fn an_answer_carries_the_acknowledgement() {
    let mut s = Script::established(delaying());
    s.send(10, peer(ACK, 1, 1, 100));
    s.recv_nothing(100);
    s.act(|c| {
        assert_eq!(c.read(1000), 100);
        c.write(50);
    });
    let out = s.recv(100, own(ACK, 1, 101, 50).with_less(100));
    assert_eq!((out.ecn, out.position), (Ecn::NotEct, 0));
    s.send(110, peer(ACK, 101, 51, 0));
    // Nothing is due any more.
    assert_eq!(s.connection.next_timer(), None);
    s.recv_nothing(1000);
}

#[test]
fn an_acknowledgement_waits_for_the_second_segment_or_the_timer() {
    let mut s = Script::established(delaying());
    s.send(10, peer(ACK, 1, 1, 100));
    s.recv(210, own(ACK, 1, 101, 0).with_less(100));
    s.send(300, peer(ACK, 101, 1, 100));
    s.send(310, peer(ACK, 201, 1, 100));
    s.recv(310, own(ACK, 1, 301, 0).with_less(300));
    s.recv_nothing(1000);
}

#[test]
fn data_out_of_order_is_acknowledged_apart_from_data() {
    let mut s = Script::established(config());
    let accepted = s.send(10, peer(ACK, 501, 1, 500));
    let place = |position, skip, len| {
        Some(Accepted {
            position,
            skip,
            len,
        })
    };
    assert_eq!(accepted, place(500, 0, 500));
    s.recv(10, own(ACK, 1, 1, 0));
    s.expect_events(&[]);
    // With data of its own to send, too.
    s.act(|c| c.write(20_000));
    for n in 0..10 {
        s.recv(10, own(ACK, 1 + n * MSS, 1, MSS));
    }
    s.send(20, peer(ACK, 1501, 2001, 500));
    s.recv(20, own(ACK, 10_001, 1, 0));
    for n in 10..14 {
        s.recv(20, own(ACK, 1 + n * MSS, 1, MSS));
    }
    // The hole is filled by a segment that begins before it and ends inside the data held.
    let accepted = s.send(30, peer(ACK, 1, 2001, 700));
    assert_eq!(accepted, place(0, 0, 700));
    s.recv(30, own(ACK, 14_001, 1001, 0).with_less(1000));
    assert_eq!(s.connection.readable(), 1000);
    s.expect_events(&[Event::Readable, Event::Writable]);
    let accepted = s.send(40, peer(ACK, 801, 2001, 400));
    assert_eq!(accepted, place(1000, 200, 200));
}

#[test]
fn what_lies_beyond_the_window_is_cut_off() {
    let mut s = Script::established(config());
    let accepted = s.send(10, peer(ACK, 9501, 1, 1000)).expect("data");
    assert_eq!((accepted.position, accepted.len), (9500, 500));
    s.recv(10, own(ACK, 1, 1, 0));
    assert_eq!(s.send(10, peer(ACK, BUFFER + 1, 1, 1000)), None);
    s.recv(10, own(ACK, 1, 1, 0));
    // The FIN at the edge, too.
    s.send(10, peer(ACK | Flags::FIN, 9501, 1, 500));
    s.recv(10, own(ACK, 1, 1, 0));
    assert!(!s.connection.receiver().is_finished());
}

#[test]
fn old_data_is_acknowledged_again() {
    let mut s = Script::established(config());
    s.send(10, peer(ACK, 1, 1, 500));
    s.recv(10, own(ACK, 1, 501, 0).with_less(500));
    for _ in 0..3 {
        assert_eq!(s.send(10, peer(ACK, 1, 1, 500)), None);
        s.recv(10, own(ACK, 1, 501, 0).with_less(500));
    }
    // Data older than the connection.
    assert_eq!(s.send(10, peer(ACK, 0xf000_0000, 1, 500)), None);
    s.recv(10, own(ACK, 1, 501, 0).with_less(500));
    s.recv_nothing(1000);
}

#[test]
fn small_segments_go_out_at_once_without_nagle() {
    let mut s = Script::established(config());
    for n in 0..3 {
        s.act(|c| c.write(10));
        s.recv(0, own(ACK, 1 + n * 10, 1, 10));
    }
}

#[test]
fn nagle_holds_small_segments_back_while_data_is_unacknowledged() {
    let mut s = Script::established(ConnectionConfig {
        nagle: true,
        ..config()
    });
    s.act(|c| c.write(10));
    s.recv(0, own(ACK, 1, 1, 10));
    s.act(|c| c.write(10));
    s.act(|c| c.write(10));
    s.recv_nothing(100);
    assert_eq!(s.connection.unsent(), 20);
    // A full segment may go.
    s.act(|c| c.write(1000));
    s.recv(100, own(ACK, 11, 1, MSS));
    s.recv_nothing(200);
    s.send(200, peer(ACK, 1, 1011, 0));
    s.recv(200, own(ACK, 1011, 1, 20));
    // Nothing comes after a FIN, so it need not wait.
    s.act(|c| {
        c.write(30);
        c.close();
    });
    s.recv(200, own(ACK, 1031, 1, 30));
    s.recv(200, own(ACK | Flags::FIN, 1061, 1, 0));
}

#[test]
fn data_without_end_ends_with_what_was_sent() {
    for nagle in [false, true] {
        let mut s = Script::established(ConnectionConfig { nagle, ..config() });
        s.act(|c| c.write(u64::MAX));
        assert_eq!(s.connection.unsent(), u64::MAX);
        for n in 0..10 {
            s.recv(0, own(ACK, 1 + n * MSS, 1, MSS));
        }
        s.act(crate::tcp::Connection::close);
        s.send(10, peer(ACK, 1, 9001, 0));
        s.recv(10, own(ACK | Flags::FIN, 10_001, 1, 0));
        s.send(10, peer(ACK, 1, 10_002, 0));
        assert_eq!(s.connection.acknowledged(), 10_000);
    }
}
