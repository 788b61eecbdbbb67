//! Resets, SYNs that come late, and the checks of RFC 5961.

use super::script::{BUFFER, IRS, ISS, PEER_WINDOW, Script, config, own, peer};
use crate::packet::{Flags, Segment};
use crate::seq::SeqNr;
use crate::tcp::connection::{Connection, ConnectionConfig, Event, State, refusal};

const ACK: Flags = Flags::ACK;
const RST: Flags = Flags::RST;

/// Makes a connection in some state.
type Make = fn(ConnectionConfig) -> Script;

/// All synchronized states, with the peer's and the connection's next sequence numbers.
const SYNCHRONIZED: [(Make, u32, u32); 7] = [
    (Script::established, 1, 1),
    (Script::fin_wait_1, 1, 2),
    (Script::fin_wait_2, 1, 2),
    (Script::close_wait, 2, 1),
    (Script::closing, 2, 2),
    (Script::last_ack, 2, 2),
    (Script::time_wait, 2, 2),
];

#[test]
fn a_segment_without_a_connection_is_refused() {
    // RFC 9293 section 3.10.7.1.
    let refused = |segment| refusal(&segment);
    assert_eq!(refused(peer(RST, 1, 0, 0)), None);
    assert_eq!(refused(peer(RST | ACK, 1, 1, 0)), None);
    let by_ack = Segment {
        seq: SeqNr(ISS + 7),
        flags: RST,
        ..Segment::default()
    };
    assert_eq!(refused(peer(ACK, 1, 7, 100)), Some(by_ack));
    let by_seq = |end: u32| Segment {
        ack: SeqNr(IRS.wrapping_add(end)),
        flags: RST | ACK,
        ..Segment::default()
    };
    assert_eq!(refused(peer(Flags::SYN, 0, 0, 0)), Some(by_seq(1)));
    let all = Flags::SYN | Flags::FIN;
    assert_eq!(refused(peer(all, 0, 0, 100)), Some(by_seq(102)));
    let wraps = Segment {
        seq: SeqNr(u32::MAX),
        ..peer(Flags::SYN, 0, 0, 0)
    };
    assert_eq!(refusal(&wraps).expect("a reset").ack, SeqNr(0));
}

#[test]
fn a_closed_connection_refuses() {
    let mut s = Script::new(config());
    s.send(0, peer(ACK, 1, 7, 0));
    s.recv(0, own(RST, 7, 0, 0));
    s.send(0, peer(RST, 1, 7, 0));
    s.recv_nothing(0);
    let mut s = Script::established(config());
    s.act(Connection::abort);
    s.recv(0, own(RST, 1, 0, 0));
    s.send(10, peer(ACK, 1, 1, 100));
    s.recv(10, own(RST, 1, 0, 0));
}

#[test]
fn the_exact_number_resets() {
    for (make, next, _) in SYNCHRONIZED {
        let mut s = make(config());
        s.send(10, peer(RST, next, 0, 0));
        s.recv_nothing(1_000_000);
        s.expect(State::Closed);
        assert_eq!(s.connection.next_timer(), None);
    }
    let mut s = Script::established(config());
    s.send(10, peer(RST | ACK, 1, 1, 0));
    s.expect_events(&[Event::Reset, Event::Closed]);
}

#[test]
fn another_number_in_the_window_is_challenged() {
    for (make, next, own_next) in SYNCHRONIZED {
        let mut s = make(config());
        let state = s.connection.state();
        let challenge = own(ACK, own_next, next, 0).with_less(next - 1);
        s.send(600, peer(RST, next + 1, 0, 0));
        s.recv(600, challenge);
        s.expect(state);
        // At most one answer in half a second.
        s.send(700, peer(RST, BUFFER, 0, 0));
        s.send(900, peer(Flags::SYN, 500, 0, 0));
        s.recv_nothing(900);
        s.expect(state);
    }
    let mut s = Script::established(config());
    for at in [0, 500, 1000] {
        s.send(at, peer(RST, BUFFER, 0, 0));
        s.recv(at, own(ACK, 1, 1, 0));
        s.send(at + 499, peer(RST, BUFFER, 0, 0));
        s.recv_nothing(at + 499);
    }
}

#[test]
fn a_number_outside_of_the_window_is_ignored() {
    for (make, next, _) in SYNCHRONIZED {
        let mut s = make(config());
        let state = s.connection.state();
        let edge = 1 + BUFFER;
        for seq in [
            next - 1,
            next.wrapping_sub(0x7fff_0000),
            edge,
            edge + 1,
            0x7fff_0000,
        ] {
            s.send(0, peer(RST, seq, 0, 0));
            s.send(0, peer(RST | ACK, seq, 1, 0));
        }
        s.recv_nothing(0);
        s.expect(state);
    }
}

#[test]
fn a_syn_sender_is_refused_by_a_reset_that_acknowledges_its_syn() {
    let mut s = Script::syn_sent(config());
    s.send(10, peer(RST, 1, 0, 0));
    s.send(10, peer(RST | ACK, 1, 0, 0));
    s.expect(State::SynSent);
    s.send(10, peer(RST | ACK, 0, 1, 0));
    s.recv_nothing(1_000_000);
    s.expect(State::Closed);
    s.expect_events(&[Event::Reset, Event::Closed]);
}

#[test]
fn a_listener_waits_again_after_a_reset() {
    let mut s = Script::syn_received(config());
    s.send(10, peer(RST, 2, 0, 0));
    s.recv(10, own(ACK, 1, 1, 0));
    s.expect(State::SynReceived);
    s.send(10, peer(RST, 1, 0, 0));
    s.recv_nothing(100_000);
    s.expect(State::Listen);
    s.expect_events(&[]);
    // If the application has already closed it, the connection closes instead.
    let mut s = Script::syn_received(config());
    s.act(Connection::close);
    s.send(10, peer(RST, 1, 0, 0));
    s.expect(State::Closed);
}

#[test]
fn a_simultaneous_open_may_be_refused() {
    let mut s = Script::syn_sent(config());
    s.send(10, peer(Flags::SYN, 0, 0, 0));
    s.recv(10, own(Flags::SYN_ACK, 0, 1, 0));
    s.send(10, peer(RST, 1, 0, 0));
    s.expect(State::Closed);
    s.expect_events(&[Event::Reset, Event::Closed]);
}

#[test]
fn a_late_syn_is_challenged_whatever_its_number() {
    for (make, next, own_next) in SYNCHRONIZED {
        for seq in [0, next, next + 100, BUFFER + 1000, 0x8000_0000] {
            for flags in [Flags::SYN, Flags::SYN_ACK] {
                let mut s = make(config());
                let state = s.connection.state();
                s.send(600, peer(flags, seq, 1, 0));
                s.recv(600, own(ACK, own_next, next, 0).with_less(next - 1));
                s.expect(state);
            }
        }
    }
}

#[test]
fn only_the_exact_number_resets_at_a_closed_window() {
    let full = || {
        let mut s = Script::established(config());
        for seq in (1..BUFFER).step_by(1000) {
            s.send(10, peer(ACK, seq, 1, 1000));
            s.recv(10, own(ACK, 1, seq + 1000, 0).with_less(seq + 999));
        }
        s
    };
    let mut s = full();
    s.send(10, peer(RST, BUFFER + 2, 0, 0));
    s.send(10, peer(RST, BUFFER, 0, 0));
    s.recv_nothing(10);
    s.expect(State::Established);
    s.send(10, peer(RST, BUFFER + 1, 0, 0));
    s.expect(State::Closed);
}

#[test]
fn injected_data_must_acknowledge_what_is_in_flight_or_was_just_now() {
    // RFC 5961 section 5.
    let too_old = 1u32.wrapping_sub(PEER_WINDOW + 1);
    for ack in [2, 100_000, 0x7fff_0000, too_old, 0x8000_0002] {
        let mut s = Script::established(config());
        assert_eq!(s.send(10, peer(ACK, 1, ack, 100)), None);
        s.recv(10, own(ACK, 1, 1, 0));
        s.send(20, peer(ACK, 1, ack, 100));
        s.recv_nothing(20);
        assert_eq!(s.connection.received(), 0);
    }
    let mut s = Script::established(config());
    s.send(10, peer(ACK, 1, 1u32.wrapping_sub(PEER_WINDOW), 100));
    s.recv(10, own(ACK, 1, 101, 0).with_less(100));
}
