//! TIME-WAIT.

use super::script::{Script, config, own, peer};
use crate::packet::Flags;
use crate::tcp::connection::{ConnectionConfig, Event, State};
use crate::time::Duration;

const ACK: Flags = Flags::ACK;
const FIN_ACK: Flags = Flags::FIN.union(Flags::ACK);

#[test]
fn it_lasts_two_segment_lifetimes() {
    let mut s = Script::time_wait(config());
    s.recv_nothing(119_999);
    s.expect(State::TimeWait);
    s.recv_nothing(120_000);
    s.expect(State::Closed);
    s.expect_events(&[Event::Closed]);
    assert_eq!(s.connection.next_timer(), None);
    let mut s = Script::time_wait(ConnectionConfig {
        msl: Duration::from_secs(2),
        ..config()
    });
    s.recv_nothing(3999);
    s.expect(State::TimeWait);
    s.recv_nothing(4000);
    s.expect(State::Closed);
}

#[test]
fn a_fin_again_is_acknowledged_and_starts_it_again() {
    let mut s = Script::time_wait(config());
    s.send(60_000, peer(FIN_ACK, 1, 2, 0));
    s.recv(60_000, own(ACK, 2, 2, 0).with_less(1));
    s.recv_nothing(179_999);
    s.expect(State::TimeWait);
    s.recv_nothing(180_000);
    s.expect(State::Closed);
}

#[test]
fn a_fin_that_was_not_sent_before_is_acknowledged() {
    let mut s = Script::time_wait(config());
    s.send(1000, peer(FIN_ACK, 2, 2, 0));
    s.recv(1000, own(ACK, 2, 2, 0).with_less(1));
    s.expect(State::TimeWait);
}

#[test]
fn other_segments_do_not_start_it_again() {
    let mut s = Script::time_wait(config());
    s.send(1000, peer(ACK, 2, 2, 0));
    s.recv_nothing(1000);
    s.send(1000, peer(ACK, 2, 2, 100));
    s.recv_nothing(1000);
    s.send(1000, peer(Flags::SYN, 700, 0, 0));
    s.recv(1000, own(ACK, 2, 2, 0).with_less(1));
    s.recv_nothing(119_999);
    s.expect(State::TimeWait);
    s.recv_nothing(120_000);
    s.expect(State::Closed);
}

#[test]
fn keep_alive_does_not_disturb_it() {
    let mut s = Script::time_wait(ConnectionConfig {
        keep_alive: Some(crate::tcp::connection::KeepAlive {
            idle: Duration::from_secs(1),
            interval: Duration::from_secs(1),
            probes: 1,
        }),
        ..config()
    });
    s.send(500, peer(ACK, 2, 2, 0));
    s.recv_nothing(119_999);
    s.expect(State::TimeWait);
}
