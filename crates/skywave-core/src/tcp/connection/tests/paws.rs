//! Timestamps: protection against wrapped sequence numbers (RFC 7323 section 5), and echoes.

use super::script::{MSS, Script, config, own, peer};
use crate::packet::{Flags, Segment, Timestamps};
use crate::tcp::connection::{Connection, State};
use crate::time::{Duration, Time};

const ACK: Flags = Flags::ACK;

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

/// `segment` sent at `value`, echoing `echo`, both in ms.
fn stamped(value: u64, echo: u64, segment: Segment) -> Segment {
    Segment {
        timestamps: Some(Timestamps {
            value: at(value),
            echo: at(echo),
        }),
        ..segment
    }
}

/// In ESTABLISHED at 100 ms; the peer's clock is 5 s ahead.
#[track_caller]
fn established() -> Script {
    let mut config = config();
    config.tcp.timestamps = true;
    let mut s = Script::new(config);
    s.act(Connection::open_active);
    s.recv(0, stamped(0, 0, own(Flags::SYN, 0, 0, 0)));
    s.send(100, stamped(5100, 0, peer(Flags::SYN_ACK, 0, 1, 0)));
    s.recv(100, stamped(100, 5100, own(ACK, 1, 1, 0)));
    s.expect(State::Established);
    s
}

#[test]
fn an_old_duplicate_in_the_window_is_not_taken() {
    let mut s = established();
    s.send(200, stamped(5200, 100, peer(ACK, 1, 1, 500)));
    s.recv(200, stamped(200, 5200, own(ACK, 1, 501, 0).with_less(500)));
    assert_eq!(
        s.send(300, stamped(5199, 100, peer(ACK, 501, 1, 500))),
        None
    );
    s.recv(300, stamped(300, 5200, own(ACK, 1, 501, 0).with_less(500)));
    assert_eq!(s.connection.received(), 500);
    // Neither is its FIN accepted, nor its acknowledgement; an empty segment is answered at a limited rate.
    let fin = peer(ACK | Flags::FIN, 501, 1, 0);
    s.send(300, stamped(5199, 100, fin));
    s.recv(300, stamped(300, 5200, own(ACK, 1, 501, 0).with_less(500)));
    s.expect(State::Established);
    s.send(300, stamped(5199, 100, peer(ACK, 501, 1, 0)));
    s.recv(300, stamped(300, 5200, own(ACK, 1, 501, 0).with_less(500)));
    s.send(300, stamped(5199, 100, peer(ACK, 501, 1, 0)));
    s.recv_nothing(300);
    // An equal timestamp is not older.
    s.send(400, stamped(5200, 100, peer(ACK, 501, 1, 500)));
    s.recv(
        400,
        stamped(400, 5200, own(ACK, 1, 1001, 0).with_less(1000)),
    );
}

#[test]
fn a_reset_needs_no_timestamp() {
    let mut s = established();
    s.send(200, stamped(1, 0, peer(Flags::RST, 1, 0, 0)));
    s.expect(State::Closed);
    let mut s = established();
    s.send(200, peer(Flags::RST, 1, 0, 0));
    s.expect(State::Closed);
}

#[test]
fn everything_else_needs_one() {
    // RFC 7323 section 3.2.
    let mut s = established();
    assert_eq!(s.send(200, peer(ACK, 1, 1, 500)), None);
    s.recv_nothing(200);
    assert_eq!(s.connection.received(), 0);
}

#[test]
fn empty_segments_carry_the_clock_on_too() {
    let mut s = established();
    s.act(|c| c.write(u64::from(MSS)));
    s.recv(100, stamped(100, 5100, own(ACK, 1, 1, MSS)));
    s.send(200, stamped(5150, 100, peer(ACK, 1, 1001, 0)));
    s.act(|c| c.write(u64::from(MSS)));
    s.recv(200, stamped(200, 5150, own(ACK, 1001, 1, MSS)));
    // A segment out of order does not change the echo: the oldest segment that an ACK covers is echoed.
    s.send(300, stamped(5300, 200, peer(ACK, 501, 1001, 500)));
    s.recv(300, stamped(300, 5150, own(ACK, 2001, 1, 0)));
}

#[test]
fn the_round_trip_is_measured_by_the_echo() {
    let mut s = established();
    while s.connection.poll_rtt().is_some() {}
    s.act(|c| c.write(u64::from(MSS)));
    s.recv(100, stamped(100, 5100, own(ACK, 1, 1, MSS)));
    s.send(350, stamped(5300, 100, peer(ACK, 1, 1001, 0)));
    assert_eq!(s.connection.poll_rtt(), Some(Duration::from_millis(250)));
}

#[test]
fn an_echo_from_the_future_is_no_echo() {
    let mut s = established();
    while s.connection.poll_rtt().is_some() {}
    s.act(|c| c.write(u64::from(MSS)));
    s.recv(100, stamped(100, 5100, own(ACK, 1, 1, MSS)));
    s.send(350, stamped(5300, 351, peer(ACK, 1, 1001, 0)));
    assert_eq!(s.connection.poll_rtt(), None);
    assert_eq!(s.connection.acknowledged(), 1000);
}

#[test]
fn segments_without_timestamps_are_taken_where_that_is_wanted() {
    for takes_bare in [false, true] {
        let mut config = config();
        config.tcp.timestamps = true;
        config.takes_bare = takes_bare;
        let mut s = Script::new(config);
        s.act(Connection::open_active);
        s.recv(0, stamped(0, 0, own(Flags::SYN, 0, 0, 0)));
        s.send(100, stamped(5100, 0, peer(Flags::SYN_ACK, 0, 1, 0)));
        s.recv(100, stamped(100, 5100, own(ACK, 1, 1, 0)));
        let taken = s.send(200, peer(ACK, 1, 1, MSS));
        assert_eq!(taken.is_some(), takes_bare);
        assert_eq!(s.poll().is_some(), takes_bare);
    }
}
