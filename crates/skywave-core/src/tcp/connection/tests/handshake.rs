//! LISTEN, SYN-SENT, SYN-RECEIVED.

use super::script::{IRS, ISS, MSS, Script, config, own, peer, with_window};
use crate::packet::{Flags, Segment};
use crate::seq::SeqNr;
use crate::tcp::connection::{Connection, ConnectionConfig, Event, State};
use crate::time::Duration;

const ACK: Flags = Flags::ACK;
const SYN: Flags = Flags::SYN;

#[test]
fn an_active_open_is_three_segments() {
    let mut s = Script::established(config());
    assert_eq!(s.connection.next_timer(), None);
    s.recv_nothing(100_000);
}

#[test]
fn a_passive_open_is_three_segments() {
    let mut s = Script::syn_received(config());
    s.expect_events(&[]);
    s.send(10, peer(ACK, 1, 1, 0));
    s.recv_nothing(10);
    s.expect(State::Established);
    s.expect_events(&[Event::Connected]);
    assert_eq!(s.connection.next_timer(), None);
}

#[test]
fn both_may_open_at_the_same_time() {
    // RFC 9293, figure 7.
    let mut s = Script::syn_sent(config());
    s.send(10, peer(SYN, 0, 0, 0));
    s.recv(10, own(Flags::SYN_ACK, 0, 1, 0));
    s.expect(State::SynReceived);
    s.send(20, peer(Flags::SYN_ACK, 0, 1, 0));
    s.expect(State::Established);
    s.recv_nothing(10_000);
    s.expect_events(&[Event::Connected]);
}

#[test]
fn an_ack_alone_ends_a_simultaneous_open_too() {
    let mut s = Script::syn_sent(config());
    s.send(10, peer(SYN, 0, 0, 0));
    s.recv(10, own(Flags::SYN_ACK, 0, 1, 0));
    s.send(20, peer(ACK, 1, 1, 0));
    s.recv_nothing(20);
    s.expect(State::Established);
}

#[test]
fn a_syn_is_sent_again_with_backoff() {
    let mut s = Script::syn_sent(config());
    for at in [1000, 3000, 7000, 15_000, 31_000, 63_000, 123_000] {
        s.recv(at, own(SYN, 0, 0, 0));
    }
    s.send(124_000, peer(Flags::SYN_ACK, 0, 1, 0));
    s.recv(124_000, own(ACK, 1, 1, 0));
    s.expect(State::Established);
}

#[test]
fn a_syn_ack_is_sent_again_with_backoff() {
    let mut s = Script::syn_received(config());
    for at in [1000, 3000, 7000] {
        s.recv(at, own(Flags::SYN_ACK, 0, 1, 0));
    }
    s.send(8000, peer(ACK, 1, 1, 0));
    s.recv_nothing(100_000);
    s.expect(State::Established);
}

#[test]
fn nobody_waits_for_ever_for_an_answer_who_has_a_user_timeout() {
    let mut s = Script::syn_sent(ConnectionConfig {
        user_timeout: Some(Duration::from_millis(5000)),
        ..config()
    });
    s.recv(1000, own(SYN, 0, 0, 0));
    s.recv(3000, own(SYN, 0, 0, 0));
    s.recv_nothing(4999);
    s.expect(State::SynSent);
    s.recv_nothing(5000);
    s.expect(State::Closed);
    s.expect_events(&[Event::TimedOut, Event::Closed]);
}

#[test]
fn data_written_before_goes_out_on_the_answer_to_the_syn_ack() {
    let mut s = Script::syn_sent(config());
    s.act(|c| c.write(1500));
    s.recv_nothing(10);
    s.send(10, peer(Flags::SYN_ACK, 0, 1, 0));
    assert_eq!(s.recv(10, own(ACK, 1, 1, MSS)).position, 0);
    assert_eq!(s.recv(10, own(ACK, 1001, 1, 500)).position, 1000);
    s.recv_nothing(10);
}

#[test]
fn data_on_a_syn_waits_for_its_retransmission() {
    let mut s = Script::listening(config());
    let accepted = s.send(0, peer(SYN | Flags::FIN, 0, 0, 300));
    assert_eq!(accepted, None);
    s.recv(0, own(Flags::SYN_ACK, 0, 1, 0));
    s.send(10, peer(ACK, 1, 1, 300));
    s.recv(10, own(ACK, 1, 301, 0).with_less(300));
    assert_eq!(s.connection.readable(), 300);
    s.expect(State::Established);
}

#[test]
fn data_on_a_syn_ack_is_taken() {
    let mut s = Script::syn_sent(config());
    let accepted = s.send(10, peer(Flags::SYN_ACK, 0, 1, 300)).expect("data");
    assert_eq!(
        (accepted.position, accepted.skip, accepted.len),
        (0, 0, 300)
    );
    s.recv(10, own(ACK, 1, 301, 0).with_less(300));
    s.expect_events(&[Event::Connected, Event::Readable]);
}

#[test]
fn a_listener_resets_acks_and_ignores_resets() {
    let mut s = Script::listening(config());
    s.send(0, peer(Flags::RST, 0, 0, 0));
    s.send(0, peer(ACK, 7, 100, 0));
    s.recv(0, own(Flags::RST, 100, 0, 0));
    s.send(0, peer(Flags::SYN_ACK, 7, 100, 0));
    s.recv(0, own(Flags::RST, 100, 0, 0));
    s.send(0, Segment::default());
    s.recv_nothing(1000);
    s.expect(State::Listen);
}

#[test]
fn a_syn_sender_resets_what_acknowledges_anything_else() {
    // RFC 9293, figure 8: an old connection's segments.
    for ack in [0, 2, 100, 0x8000_0000] {
        let mut s = Script::syn_sent(config());
        s.send(10, peer(Flags::SYN_ACK, 0, ack, 0));
        s.recv(10, own(Flags::RST, ack, 0, 0));
        s.send(10, peer(ACK, 0, ack, 0));
        s.recv(10, own(Flags::RST, ack, 0, 0));
        s.send(10, peer(Flags::RST | ACK, 0, ack, 0));
        s.recv_nothing(10);
        s.expect(State::SynSent);
    }
}

#[test]
fn a_syn_sender_ignores_an_ack_without_syn() {
    let mut s = Script::syn_sent(config());
    s.send(10, peer(ACK, 1, 1, 0));
    s.send(10, peer(Flags::FIN | ACK, 1, 1, 10));
    s.send(10, peer(Flags::empty(), 1, 0, 10));
    s.recv_nothing(10);
    s.expect(State::SynSent);
}

#[test]
fn an_unacceptable_ack_of_a_syn_ack_is_reset() {
    for ack in [0, 2, 0xffff_ffff] {
        let mut s = Script::syn_received(config());
        s.send(10, peer(ACK, 1, ack, 0));
        s.recv(10, own(Flags::RST, ack, 0, 0));
        s.expect(State::SynReceived);
    }
}

#[test]
fn a_syn_again_is_answered_again() {
    let mut s = Script::syn_received(config());
    s.send(10, peer(SYN, 0, 0, 0));
    s.recv(10, own(Flags::SYN_ACK, 0, 1, 0));
    s.expect(State::SynReceived);
}

#[test]
fn another_syn_in_the_window_makes_a_listener_wait_again() {
    let mut s = Script::syn_received(config());
    s.act(|c| c.write(10));
    s.send(10, peer(SYN, 20, 0, 0));
    s.recv_nothing(10);
    s.expect(State::Listen);
    // It accepts the next peer, with a stream of its own.
    let other = Segment {
        seq: SeqNr(99),
        ..peer(SYN, 0, 0, 0)
    };
    s.send(20, other);
    let answer = own(Flags::SYN_ACK, 0, 100u32.wrapping_sub(IRS), 0);
    s.recv(20, answer);
    s.send(
        30,
        Segment {
            seq: SeqNr(100),
            ..peer(ACK, 0, 1, 0)
        },
    );
    let data = own(ACK, 1, 100u32.wrapping_sub(IRS), 10);
    s.recv(30, data);
}

#[test]
fn sequence_numbers_wrap_on_both_sides() {
    for (iss, irs) in [
        (u32::MAX, u32::MAX),
        (u32::MAX - 1, 0),
        (0, u32::MAX - 1),
        (u32::MAX - 700, u32::MAX - 300),
        (0x7fff_ffff, 0x8000_0000),
    ] {
        let mut config = config();
        config.tcp.iss = iss;
        let mut s = Script::new(config);
        let own = |flags, seq: u32, ack: u32, len| Segment {
            seq: SeqNr(iss.wrapping_add(seq)),
            ack: SeqNr(irs.wrapping_add(ack)),
            ..own(flags, 0, 0, len)
        };
        let peer = |flags, seq: u32, ack: u32, len| Segment {
            seq: SeqNr(irs.wrapping_add(seq)),
            ack: SeqNr(iss.wrapping_add(ack)),
            ..peer(flags, 0, 0, len)
        };
        s.act(Connection::open_active);
        let syn = own(SYN, 0, 0, 0);
        s.recv(
            0,
            Segment {
                ack: SeqNr(0),
                ..syn
            },
        );
        s.send(0, peer(Flags::SYN_ACK, 0, 1, 0));
        s.recv(0, own(ACK, 1, 1, 0));
        s.act(|c| c.write(800));
        s.recv(0, own(ACK, 1, 1, 800));
        s.send(0, peer(ACK, 1, 801, 900));
        s.recv(0, own(ACK, 801, 901, 0).with_less(900));
        assert_eq!(s.connection.acknowledged(), 800);
        s.act(Connection::close);
        s.recv(0, own(ACK | Flags::FIN, 801, 901, 0).with_less(900));
        s.send(0, peer(ACK | Flags::FIN, 901, 802, 0));
        s.recv(0, own(ACK, 802, 902, 0).with_less(901));
        s.expect(State::TimeWait);
    }
}

#[test]
fn opening_twice_or_closing_before_opening_does_nothing() {
    let mut s = Script::syn_sent(config());
    s.act(Connection::open_active);
    s.act(Connection::open_passive);
    s.recv_nothing(10);
    s.expect(State::SynSent);
    let mut s = Script::new(config());
    s.act(Connection::close);
    s.act(Connection::abort);
    s.expect_events(&[]);
    s.act(Connection::open_active);
    s.recv(0, own(SYN, 0, 0, 0));
}

#[test]
fn a_half_open_connection_is_found_out() {
    // RFC 9293, figure 9, with the challenge of RFC 5961: the peer has forgotten the connection and
    // sends a SYN; the answer makes it send a reset, which ends the connection here.
    let mut s = Script::established(config());
    s.send(10, peer(SYN, 400, 0, 0));
    s.recv(10, own(ACK, 1, 1, 0));
    s.expect(State::Established);
    // `refusal` is the answer of a peer in SYN-SENT: its number is that of the acknowledgement.
    s.send(20, peer(Flags::RST, 1, 0, 0));
    s.expect(State::Closed);
    s.expect_events(&[Event::Reset, Event::Closed]);
    // The other way round: this end, in SYN-SENT, detects a peer with an old connection and refuses it.
    let mut s = Script::syn_sent(config());
    let old = Segment {
        ack: SeqNr(ISS + 77),
        ..peer(ACK, 400, 0, 0)
    };
    s.send(10, old);
    s.recv(10, own(Flags::RST, 77, 0, 0));
    s.recv(1000, own(SYN, 0, 0, 0));
}

#[test]
fn what_the_application_has_set_holds_for_the_next_peer_too() {
    let mut s = Script::listening(config());
    s.act(|c| {
        c.set_receive_buffer(4000);
        c.set_cork(true);
    });
    s.send(0, peer(SYN, 0, 0, 0));
    s.recv(0, own(Flags::SYN_ACK, 0, 1, 0));
    s.send(10, peer(Flags::RST, 1, 0, 0));
    s.expect(State::Listen);
    s.send(20, peer(SYN, 0, 0, 0));
    s.recv(20, with_window(4000, own(Flags::SYN_ACK, 0, 1, 0)));
    s.send(30, peer(ACK, 1, 1, 0));
    s.send(40, peer(ACK, 1, 1, MSS));
    s.recv(40, with_window(3000, own(ACK, 1, 1001, 0)));
    s.act(|c| c.write(10));
    s.recv_nothing(500);
}
