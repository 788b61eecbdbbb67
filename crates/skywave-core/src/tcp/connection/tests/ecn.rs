//! Explicit congestion notification, after both ends have agreed on it.

use super::script::{MSS, Script, config, own, peer, with_window};
use crate::packet::{Ecn, Flags, Segment, Way};
use crate::tcp::connection::{Connection, ConnectionConfig};
use crate::time::Duration;
use crate::units::Segments;

const ACK: Flags = Flags::ACK;
const MARKED: Way = Way {
    marks: crate::packet::Marks::empty(),
    ecn: Ecn::Ce,
    contention: crate::packet::ContentionDelay::ZERO,
};

/// In ESTABLISHED; ECN is agreed on if the peer wants it.
#[track_caller]
fn established(peer_wants: bool, change: impl FnOnce(&mut ConnectionConfig)) -> Script {
    let mut config = config();
    config.tcp.ecn = true;
    change(&mut config);
    let mut s = Script::new(config);
    s.act(Connection::open_active);
    let setup = Flags::ECE | Flags::CWR;
    s.recv(0, own(Flags::SYN | setup, 0, 0, 0));
    let mut answer = peer(Flags::SYN_ACK, 0, 1, 0);
    answer.flags.set(Flags::ECE, peer_wants);
    s.send(0, answer);
    s.recv(0, own(ACK, 1, 1, 0));
    s
}

#[test]
fn a_mark_is_echoed_until_the_peer_answers() {
    let mut s = established(true, |_| {});
    let echo = ACK | Flags::ECE;
    s.send_on_way(10, peer(ACK, 1, 1, 100), MARKED);
    s.recv(10, own(echo, 1, 101, 0).with_less(100));
    // On data, too.
    s.act(|c| c.write(10));
    s.recv(10, own(echo, 1, 101, 10).with_less(100));
    s.send(20, peer(ACK, 101, 11, 100));
    s.recv(20, own(echo, 11, 201, 0).with_less(200));
    s.send(30, peer(ACK | Flags::CWR, 201, 11, 100));
    s.recv(30, own(ACK, 11, 301, 0).with_less(300));
}

#[test]
fn an_echo_is_answered_by_a_smaller_window_and_cwr() {
    let mut s = established(true, |_| {});
    s.act(|c| c.write(20 * u64::from(MSS)));
    for n in 0..10 {
        let out = s.recv(0, own(ACK, 1 + n * MSS, 1, MSS));
        assert_eq!(out.ecn, Ecn::Ect0);
    }
    s.send(10, peer(ACK | Flags::ECE, 1, 1001, 0));
    let counters = s.connection.sender().counters();
    assert_eq!((counters.ecn_responses, counters.retransmits), (1, 0));
    s.recv_nothing(10);
    s.send(20, peer(ACK, 1, 9001, 0));
    let first: Segment = s.poll().expect("new data").1.segment;
    assert_eq!(first.flags, ACK | Flags::CWR);
    let second: Segment = s.poll().expect("more").1.segment;
    assert_eq!(second.flags, ACK);
}

#[test]
fn after_a_mark_at_one_segment_the_next_one_goes_when_the_timer_expires() {
    let mut s = established(true, |config| {
        config.tcp.initial_window = Segments::ONE;
        // The user timeout does not run, because no answer is awaited meanwhile.
        config.user_timeout = Some(Duration::from_millis(500));
    });
    s.act(|c| c.write(2 * u64::from(MSS)));
    s.recv(0, own(ACK, 1, 1, MSS));
    s.send(10, peer(ACK | Flags::ECE, 1, 1001, 0));
    s.recv_nothing(1009);
    s.recv(1010, own(ACK | Flags::CWR, 1001, 1, MSS));
    assert_eq!(s.connection.sender().counters().retransmits, 0);
}

#[test]
fn a_sender_that_stood_still_after_a_mark_at_one_segment_goes_on() {
    let mut s = established(true, |config| {
        config.tcp.initial_window = Segments::ONE;
        config.freezes = true;
    });
    s.act(|c| c.write(2 * u64::from(MSS)));
    s.recv(0, own(ACK, 1, 1, MSS));
    s.send(10, with_window(0, peer(ACK | Flags::ECE, 1, 1001, 0)));
    // The window is probed: the news that it is open may be lost.
    s.recv(1010, own(ACK, 1000, 1, 0));
    s.send(1500, peer(ACK, 1, 1001, 0));
    s.recv(2500, own(ACK | Flags::CWR, 1001, 1, MSS));
}

#[test]
fn without_an_agreement_marks_and_echoes_mean_nothing() {
    let mut s = established(false, |_| {});
    s.send_on_way(10, peer(ACK, 1, 1, 100), MARKED);
    s.recv(10, own(ACK, 1, 101, 0).with_less(100));
    s.act(|c| c.write(u64::from(MSS)));
    let out = s.recv(10, own(ACK, 1, 101, MSS).with_less(100));
    assert_eq!(out.ecn, Ecn::NotEct);
    s.send(20, peer(ACK | Flags::ECE, 101, 1001, 0));
    assert_eq!(s.connection.sender().counters().ecn_responses, 0);
}
