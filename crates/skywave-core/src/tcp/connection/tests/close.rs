//! FIN in every order, half-close, abort.

use super::script::{MSS, PEER_WINDOW, Script, config, own, peer};
use crate::packet::{Flags, Segment};
use crate::tcp::connection::{Connection, ConnectionConfig, Event, State};

const ACK: Flags = Flags::ACK;
const FIN_ACK: Flags = Flags::FIN.union(Flags::ACK);

/// Makes a connection in some state.
type Make = fn(ConnectionConfig) -> Script;

#[test]
fn this_end_closes_first_and_still_receives() {
    let mut s = Script::fin_wait_2(config());
    s.send(10, peer(ACK, 1, 2, 500));
    s.recv(10, own(ACK, 2, 501, 0).with_less(500));
    s.expect(State::FinWait2);
    s.expect_events(&[Event::Readable]);
    s.send(20, peer(FIN_ACK, 501, 2, 0));
    s.recv(20, own(ACK, 2, 502, 0).with_less(501));
    s.expect(State::TimeWait);
    assert_eq!(s.connection.read(1000), 500);
    s.recv_nothing(20);
}

#[test]
fn the_peer_closes_first_and_still_receives() {
    let mut s = Script::close_wait(config());
    s.act(|c| c.write(1500));
    s.recv(0, own(ACK, 1, 2, MSS).with_less(1));
    s.recv(0, own(ACK, 1001, 2, 500).with_less(1));
    s.send(10, peer(ACK, 2, 1501, 0));
    s.expect_events(&[Event::Writable]);
    s.act(Connection::close);
    s.recv(10, own(FIN_ACK, 1501, 2, 0).with_less(1));
    s.expect(State::LastAck);
    s.send(20, peer(ACK, 2, 1502, 0));
    s.recv_nothing(100_000);
    s.expect(State::Closed);
    s.expect_events(&[Event::Writable, Event::Closed]);
    assert_eq!(s.connection.acknowledged(), 1500);
}

#[test]
fn both_may_close_at_the_same_time() {
    // RFC 9293, figure 13.
    let mut s = Script::closing(config());
    s.send(10, peer(ACK, 2, 2, 0));
    s.recv_nothing(10);
    s.expect(State::TimeWait);
}

#[test]
fn a_fin_that_acknowledges_the_fin_ends_both_directions_at_once() {
    let mut s = Script::fin_wait_1(config());
    s.send(10, peer(FIN_ACK, 1, 2, 0));
    s.recv(10, own(ACK, 2, 2, 0).with_less(1));
    s.expect(State::TimeWait);
}

#[test]
fn the_fin_follows_the_last_data() {
    let mut s = Script::established(config());
    s.act(|c| {
        c.write(1500);
        c.close();
    });
    s.recv(0, own(ACK, 1, 1, MSS));
    s.recv(0, own(ACK, 1001, 1, 500));
    s.recv(0, own(FIN_ACK, 1501, 1, 0));
    s.expect(State::FinWait1);
    s.send(10, peer(ACK, 1, 1501, 0));
    s.expect(State::FinWait1);
    assert_eq!(s.connection.acknowledged(), 1500);
    s.send(10, peer(ACK, 1, 1502, 0));
    s.expect(State::FinWait2);
    assert_eq!(s.connection.acknowledged(), 1500);
}

#[test]
fn a_lost_fin_is_sent_again() {
    for make in [
        Script::fin_wait_1 as Make,
        Script::closing,
        Script::last_ack,
    ] {
        let mut s = make(config());
        let seen = u32::from(s.connection.state() != State::FinWait1);
        for at in [1000, 3000, 7000] {
            s.recv(at, own(FIN_ACK, 1, 1 + seen, 0).with_less(seen));
        }
        s.send(8000, peer(ACK, 1 + seen, 2, 0));
        s.recv_nothing(8000);
    }
}

#[test]
fn the_peers_fin_may_come_with_data() {
    let mut s = Script::established(config());
    s.send(10, peer(FIN_ACK, 1, 1, 500));
    s.recv(10, own(ACK, 1, 502, 0).with_less(501));
    s.expect(State::CloseWait);
    s.expect_events(&[Event::Readable, Event::PeerClosed]);
}

#[test]
fn the_peers_fin_may_come_before_its_data() {
    let mut s = Script::established(config());
    s.send(10, peer(FIN_ACK, 501, 1, 100));
    s.recv(10, own(ACK, 1, 1, 0));
    s.expect(State::Established);
    s.send(20, peer(ACK, 1, 1, 500));
    s.recv(20, own(ACK, 1, 602, 0).with_less(601));
    s.expect(State::CloseWait);
    s.expect_events(&[Event::Readable, Event::PeerClosed]);
    assert_eq!(s.connection.readable(), 600);
}

#[test]
fn a_fin_again_is_acknowledged_again() {
    let mut s = Script::close_wait(config());
    for at in [10, 11, 12] {
        s.send(at, peer(FIN_ACK, 1, 1, 0));
        s.recv(at, own(ACK, 1, 2, 0).with_less(1));
    }
    s.expect(State::CloseWait);
    s.expect_events(&[]);
}

#[test]
fn nothing_is_taken_after_the_peers_fin() {
    for make in [
        Script::close_wait as Make,
        Script::closing,
        Script::last_ack,
    ] {
        let mut s = make(config());
        let state = s.connection.state();
        assert_eq!(s.send(10, peer(ACK, 2, 1, 100)), None);
        assert_eq!(s.send(10, peer(FIN_ACK, 2, 1, 100)), None);
        s.recv_nothing(10);
        assert_eq!(s.connection.received(), 0);
        s.expect(state);
    }
    // Nor when the FIN waits for data before it.
    let mut s = Script::established(config());
    s.send(10, peer(FIN_ACK, 501, 1, 0));
    s.recv(10, own(ACK, 1, 1, 0));
    assert_eq!(s.send(10, peer(ACK, 501, 1, 100)), None);
    let accepted = s.send(20, peer(ACK, 1, 1, 600)).expect("data");
    assert_eq!(accepted.len, 500);
    s.recv(20, own(ACK, 1, 502, 0).with_less(501));
}

#[test]
fn a_fin_at_a_wrong_place_is_not_taken() {
    let mut s = Script::established(config());
    s.send(10, peer(ACK, 1, 1, 1000));
    s.recv(10, own(ACK, 1, 1001, 0).with_less(1000));
    // A FIN before data that was accepted.
    s.send(11, peer(FIN_ACK, 501, 1, 0));
    s.recv(11, own(ACK, 1, 1001, 0).with_less(1000));
    // A FIN before data that waits for a hole to be filled.
    s.send(12, peer(ACK, 2001, 1, 1000));
    s.recv(12, own(ACK, 1, 1001, 0).with_less(1000));
    s.send(13, peer(FIN_ACK, 1501, 1, 0));
    s.expect(State::Established);
    s.send(14, peer(ACK, 1001, 1, 1000));
    s.recv(14, own(ACK, 1, 3001, 0).with_less(3000));
    s.expect(State::Established);
    s.expect_events(&[Event::Readable]);
}

#[test]
fn closing_before_the_connection_is_there() {
    let mut s = Script::listening(config());
    s.act(Connection::close);
    s.expect(State::Closed);
    // Nothing was written, so there is no reason to connect.
    let mut s = Script::syn_sent(config());
    s.act(Connection::close);
    s.expect(State::Closed);
    s.expect_events(&[Event::Closed]);
    s.recv_nothing(100_000);
    // Now something was written.
    let mut s = Script::syn_sent(config());
    s.act(|c| {
        c.write(10);
        c.close();
    });
    s.send(10, peer(Flags::SYN_ACK, 0, 1, 0));
    s.recv(10, own(ACK, 1, 1, 10));
    s.recv(10, own(FIN_ACK, 11, 1, 0));
    s.expect(State::FinWait1);
    // In SYN-RECEIVED the peer has already answered.
    let mut s = Script::syn_received(config());
    s.act(Connection::close);
    s.recv_nothing(10);
    s.send(10, peer(ACK, 1, 1, 0));
    s.recv(10, own(FIN_ACK, 1, 1, 0));
    s.expect(State::FinWait1);
}

#[test]
fn what_is_written_after_closing_counts_for_nothing() {
    let mut s = Script::fin_wait_2(config());
    s.act(|c| c.write(100));
    s.act(Connection::close);
    s.recv_nothing(1000);
    assert_eq!(s.connection.unsent(), 0);
    s.expect(State::FinWait2);
}

#[test]
fn an_abort_resets_a_peer_that_may_still_hope() {
    let abort = |make: Make, reset: Option<Segment>| {
        let mut s = make(config());
        s.expect_events_of_fixture();
        s.act(Connection::abort);
        if let Some(reset) = reset {
            s.recv(0, reset);
        }
        s.recv_nothing(1_000_000);
        s.expect(State::Closed);
        s.expect_events(&[Event::Closed]);
        s.act(Connection::abort);
        s.expect_events(&[]);
    };
    let reset = |seq| Some(own(Flags::RST, seq, 0, 0));
    abort(Script::listening, None);
    abort(Script::syn_sent, None);
    abort(Script::syn_received, reset(1));
    abort(Script::established, reset(1));
    abort(Script::fin_wait_1, reset(2));
    abort(Script::fin_wait_2, reset(2));
    abort(Script::close_wait, reset(1));
    abort(Script::closing, None);
    abort(Script::last_ack, None);
    abort(Script::time_wait, None);
}

#[test]
fn the_acknowledgement_of_the_peers_fin_repeats_ours_where_that_is_wanted() {
    let mut config = config();
    config.repeats_fin = true;
    let mut s = Script::fin_wait_1(config);
    s.send(0, peer(Flags::FIN | Flags::ACK, 1, 1, 0));
    s.recv(0, own(Flags::FIN | Flags::ACK, 1, 2, 0).with_less(1));
    s.expect(State::Closing);
    // Only that one.
    s.send(0, peer(Flags::FIN | Flags::ACK, 1, 1, 0));
    s.recv(0, own(Flags::ACK, 2, 2, 0).with_less(1));
}

#[test]
fn a_fin_that_was_not_sent_yet_is_not_repeated() {
    let mut config = config();
    config.repeats_fin = true;
    let mut s = Script::established(config);
    s.act(|c| c.write(u64::from(PEER_WINDOW) + 1));
    while s.poll().is_some() {}
    s.act(Connection::close);
    s.send(10, peer(FIN_ACK, 1, 1, 0));
    let (_, answer) = s.poll().expect("an acknowledgement");
    assert_eq!(answer.segment.flags, ACK);
}
