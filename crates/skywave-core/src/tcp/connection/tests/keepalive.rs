//! Keep-alive.

use super::script::{Script, config, own, peer};
use crate::packet::Flags;
use crate::tcp::connection::{ConnectionConfig, Event, KeepAlive, State};
use crate::time::Duration;

const ACK: Flags = Flags::ACK;

fn probing() -> ConnectionConfig {
    ConnectionConfig {
        keep_alive: Some(KeepAlive {
            idle: Duration::from_secs(60),
            interval: Duration::from_secs(10),
            probes: 3,
        }),
        ..config()
    }
}

#[test]
fn it_is_off_unless_asked_for() {
    let mut s = Script::established(config());
    s.recv_nothing(100_000_000);
    s.expect(State::Established);
}

#[test]
fn a_silent_peer_is_probed_and_given_up() {
    let mut s = Script::established(probing());
    for at in [60_000, 70_000, 80_000] {
        s.recv(at, own(ACK, 0, 1, 0));
    }
    s.recv_nothing(89_999);
    s.expect(State::Established);
    s.recv_nothing(90_000);
    s.expect(State::Closed);
    s.expect_events(&[Event::TimedOut, Event::Closed]);
}

#[test]
fn a_peer_that_answers_is_kept() {
    let mut s = Script::established(probing());
    for n in 0..5 {
        let at = n * 70_000;
        s.recv(at + 60_000, own(ACK, 0, 1, 0));
        s.recv(at + 70_000, own(ACK, 0, 1, 0));
        s.send(at + 70_000, peer(ACK, 1, 1, 0));
    }
    s.expect(State::Established);
}

#[test]
fn data_of_the_peer_shows_that_it_is_there() {
    let mut s = Script::established(probing());
    s.send(30_000, peer(ACK, 1, 1, 100));
    s.recv(30_000, own(ACK, 1, 101, 0).with_less(100));
    s.recv(90_000, own(ACK, 0, 101, 0).with_less(100));
}

#[test]
fn retransmissions_ask_already() {
    let mut s = Script::established(probing());
    s.act(|c| c.write(10));
    for at in [
        0, 1000, 3000, 7000, 15_000, 31_000, 63_000, 123_000, 183_000,
    ] {
        s.recv(at, own(ACK, 1, 1, 10));
    }
    s.expect(State::Established);
}

#[test]
fn probes_of_a_peer_are_answered() {
    let mut s = Script::established(config());
    for at in [60_000, 70_000] {
        s.send(at, peer(ACK, 0, 1, 0));
        s.recv(at, own(ACK, 1, 1, 0));
        // With an octet of dummy data, as older hosts send them.
        assert_eq!(s.send(at, peer(ACK, 0, 1, 1)), None);
        s.recv(at, own(ACK, 1, 1, 0));
    }
}
