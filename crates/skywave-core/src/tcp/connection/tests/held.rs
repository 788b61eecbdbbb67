//! Data that waits for more: a cork, a write that announces more, and the ends of records.

use super::script::{MSS, Script, config, own, peer};
use crate::packet::Flags;
use crate::tcp::connection::{Connection, ConnectionConfig, Event};
use crate::time::Duration;

const ACK: Flags = Flags::ACK;

#[test]
fn a_cork_holds_small_segments_for_a_retransmission_timeout() {
    let mut s = Script::established(config());
    s.act(|c| c.set_cork(true));
    s.act(|c| c.write(10));
    s.act(|c| c.write(20));
    // The smallest timeout of RFC 6298, though nothing is in flight.
    s.recv_nothing(999);
    assert_eq!(s.connection.unsent(), 30);
    s.recv(1000, own(ACK, 1, 1, 30));
    s.send(1000, peer(ACK, 1, 31, 0));
    // Full segments go.
    s.act(|c| c.write(1500));
    s.recv(1000, own(ACK, 31, 1, MSS));
    s.recv_nothing(1100);
    s.act(|c| c.set_cork(false));
    s.recv(1100, own(ACK, 1031, 1, 500));
}

#[test]
fn a_close_pulls_the_cork() {
    let mut s = Script::established(config());
    s.act(|c| c.set_cork(true));
    s.act(|c| c.write(10));
    s.act(Connection::close);
    s.recv(0, own(ACK, 1, 1, 10));
    s.recv(0, own(ACK | Flags::FIN, 11, 1, 0));
}

#[test]
fn a_write_that_announces_more_waits_for_it_or_for_an_acknowledgement() {
    let mut s = Script::established(config());
    s.act(|c| c.write_more(10));
    s.recv_nothing(100);
    s.act(|c| c.write(10));
    s.recv(100, own(ACK, 1, 1, 20));
    s.act(|c| c.write_more(30));
    s.recv_nothing(200);
    s.send(200, peer(ACK, 1, 21, 0));
    s.recv(200, own(ACK, 21, 1, 30));
}

#[test]
fn without_nagle_nothing_is_held_back_any_longer() {
    let mut s = Script::established(config());
    s.act(|c| c.set_cork(true));
    s.act(|c| c.write(10));
    s.act(|c| c.set_nagle(false));
    s.recv(0, own(ACK, 1, 1, 10));
}

#[test]
fn records_end_segments_and_nagle_holds_the_last_one() {
    let mut s = Script::established(ConnectionConfig {
        nagle: true,
        ..config()
    });
    s.act(|c| c.write(10));
    s.recv(0, own(ACK, 1, 1, 10));
    // Other data follows the first record: it gets no longer. The second may.
    s.act(|c| {
        c.write(300);
        c.end_record();
        c.write(400);
        c.end_record();
    });
    s.recv(0, own(ACK, 11, 1, 300));
    s.recv_nothing(10);
    s.act(|c| c.write(2000));
    s.recv(10, own(ACK, 311, 1, 400));
    s.recv(10, own(ACK, 711, 1, MSS));
    s.recv(10, own(ACK, 1711, 1, MSS));
}

#[test]
fn records_end_segments_without_nagle_too() {
    let mut s = Script::established(config());
    // The window is full before the first record's end.
    s.act(|c| {
        c.write(10_300);
        c.end_record();
        c.write(1000);
        c.close();
    });
    for n in 0..10 {
        s.recv(0, own(ACK, 1 + n * MSS, 1, MSS));
    }
    s.send(10, peer(ACK, 1, 10_001, 0));
    s.recv(10, own(ACK, 10_001, 1, 300));
    s.recv(10, own(ACK, 10_301, 1, MSS));
    s.recv(10, own(ACK | Flags::FIN, 11_301, 1, 0));
}

#[test]
fn a_user_timeout_that_is_set_later_counts_from_then() {
    let mut s = Script::established(config());
    s.expect_events_of_fixture();
    s.act(|c| c.write(10));
    s.recv(0, own(ACK, 1, 1, 10));
    s.wait_to(500);
    s.act(|c| c.set_user_timeout(Some(Duration::from_millis(300))));
    s.recv_nothing(500);
    s.wait_to(801);
    s.expect_events(&[Event::TimedOut, Event::Closed]);
}

#[test]
fn what_is_written_after_data_without_end_waits_behind_it() {
    let mut config = config();
    config.nagle = true;
    let mut s = Script::established(config);
    s.act(|c| c.write(u64::MAX));
    assert!(s.poll().is_some(), "data in flight");
    s.act(|c| c.write(100));
    assert_eq!(s.connection.unsent(), u64::MAX);
}
