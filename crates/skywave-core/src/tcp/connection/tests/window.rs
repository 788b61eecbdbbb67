//! Windows of both ends: reading, silly windows, a closed window and its probes.

use super::script::{BUFFER, MSS, PEER_WINDOW, Script, config, own, peer, with_window};
use crate::packet::Flags;
use crate::tcp::config::Acking;
use crate::tcp::connection::{ConnectionConfig, Event, State};
use crate::tcp::limits::Limit;
use crate::time::Duration;

const ACK: Flags = Flags::ACK;

/// In ESTABLISHED, with this number of full segments received and not read.
#[track_caller]
fn unread(segments: u32) -> Script {
    let mut s = Script::established(config());
    for n in 0..segments {
        s.send(0, peer(ACK, 1 + n * MSS, 1, MSS));
        let came = (n + 1) * MSS;
        s.recv(0, own(ACK, 1, 1 + came, 0).with_less(came));
    }
    s
}

#[test]
fn the_window_is_what_is_not_unread() {
    let mut s = unread(3);
    s.act(|c| assert_eq!(c.read(u64::MAX), 3000));
    // The peer knows of 7000 bytes of room, which is enough: the next acknowledgement announces the rest.
    s.recv_nothing(10);
    s.send(10, peer(ACK, 3001, 1, MSS));
    s.recv(10, own(ACK, 1, 4001, 0).with_less(MSS));
}

#[test]
fn a_window_update_is_sent_when_the_peer_may_wait_for_it() {
    let mut s = unread(10);
    assert_eq!(s.connection.readable(), 10_000);
    // Less than a segment: a silly window.
    s.act(|c| assert_eq!(c.read(999), 999));
    s.recv_nothing(10);
    s.act(|c| assert_eq!(c.read(1), 1));
    s.recv(10, with_window(1000, own(ACK, 1, 10_001, 0)));
    // The room is twice what the peer knows.
    s.act(|c| assert_eq!(c.read(999), 999));
    s.recv_nothing(20);
    s.act(|c| assert_eq!(c.read(1), 1));
    s.recv(20, with_window(2000, own(ACK, 1, 10_001, 0)));
    s.act(|c| assert_eq!(c.read(1000), 1000));
    s.recv_nothing(30);
    s.act(|c| assert_eq!(c.read(u64::MAX), 7000));
    s.recv(30, own(ACK, 1, 10_001, 0));
}

#[test]
fn a_window_moves_by_half_of_a_small_buffer() {
    let mut config = config();
    config.tcp.rwnd = 800;
    let mut s = Script::new(config);
    s.act(crate::tcp::Connection::open_active);
    s.recv(0, with_window(800, own(Flags::SYN, 0, 0, 0)));
    s.send(0, peer(Flags::SYN_ACK, 0, 1, 0));
    s.recv(0, with_window(800, own(ACK, 1, 1, 0)));
    s.send(0, peer(ACK, 1, 1, 800));
    s.recv(0, with_window(0, own(ACK, 1, 801, 0)));
    s.act(|c| assert_eq!(c.read(399), 399));
    s.recv_nothing(10);
    s.act(|c| assert_eq!(c.read(1), 1));
    s.recv(10, with_window(400, own(ACK, 1, 801, 0)));
}

#[test]
fn a_segment_at_a_closed_window_is_answered_and_its_ack_counts() {
    let mut s = unread(10);
    s.act(|c| c.write(500));
    s.recv(0, with_window(0, own(ACK, 1, 10_001, 500)));
    assert_eq!(s.send(10, peer(ACK, 10_001, 501, 1)), None);
    s.recv(10, with_window(0, own(ACK, 501, 10_001, 0)));
    assert_eq!(s.connection.acknowledged(), 500);
    // A probe as this implementation sends it is answered too.
    s.send(1000, peer(ACK, 10_000, 501, 0));
    s.recv(1000, with_window(0, own(ACK, 501, 10_001, 0)));
    assert_eq!(s.connection.readable(), 10_000);
}

#[test]
fn windows_above_65535_need_scaling() {
    let tell = |scaling: bool, largest: u32| {
        let mut config = config();
        config.window_scaling = scaling;
        config.tcp.rwnd = 1 << 20;
        let mut s = Script::new(config);
        s.act(crate::tcp::Connection::open_active);
        let (_, syn) = s.poll().expect("a SYN");
        assert_eq!(syn.segment.window, 65_535);
        s.send(0, peer(Flags::SYN_ACK, 0, 1, 0));
        let (_, ack) = s.poll().expect("an ACK");
        assert_eq!(ack.segment.window, largest);
    };
    tell(true, 1 << 20);
    tell(false, 65_535);
}

/// In ESTABLISHED with a window that was closed at 0 ms, 5000 bytes written.
#[track_caller]
fn closed_window(config: ConnectionConfig) -> Script {
    let mut s = Script::established(config);
    s.act(|c| c.write(1000));
    s.recv(0, own(ACK, 1, 1, MSS));
    s.send(0, with_window(0, peer(ACK, 1, 1001, 0)));
    s.act(|c| c.write(5000));
    s.recv_nothing(0);
    s
}

#[test]
fn a_window_is_closed_for_a_minute_and_opens() {
    let mut s = closed_window(config());
    assert_eq!(s.connection.sender().limited_by(), Some(Limit::Rwnd));
    for at in [1000, 3000, 7000, 15_000, 31_000, 63_000] {
        s.recv(at, own(ACK, 1000, 1, 0));
        s.send(at + 100, with_window(0, peer(ACK, 1, 1001, 0)));
        s.recv_nothing(at + 100);
    }
    assert_eq!(s.connection.sender().counters().timeouts, 0);
    s.send(70_000, peer(ACK, 1, 1001, 0));
    for n in 1..6 {
        s.recv(70_000, own(ACK, 1 + n * MSS, 1, MSS));
    }
    s.send(70_100, peer(ACK, 1, 6001, 0));
    s.recv_nothing(1_000_000);
    assert_eq!(s.connection.acknowledged(), 6000);
}

#[test]
fn a_probe_finds_a_window_update_that_was_lost() {
    let mut s = closed_window(config());
    s.recv(1000, own(ACK, 1000, 1, 0));
    s.send(1100, with_window(2000, peer(ACK, 1, 1001, 0)));
    s.recv(1100, own(ACK, 1001, 1, MSS));
    s.recv(1100, own(ACK, 2001, 1, MSS));
    // The window closes again: the first probe comes after one timeout again.
    s.send(1200, with_window(0, peer(ACK, 1, 3001, 0)));
    s.recv(2200, own(ACK, 3000, 1, 0));
}

#[test]
fn a_closed_window_is_probed_for_ever_while_the_peer_answers() {
    let mut s = closed_window(ConnectionConfig {
        user_timeout: Some(Duration::from_secs(70)),
        ..config()
    });
    let mut at = 0;
    for backoff in [1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60, 60] {
        at += 1000 * backoff;
        s.recv(at, own(ACK, 1000, 1, 0));
        s.send(at, with_window(0, peer(ACK, 1, 1001, 0)));
    }
    s.expect(State::Established);
    // The connection is given up when the peer no longer answers.
    for _ in 0..1 {
        at += 60_000;
        s.recv(at, own(ACK, 1000, 1, 0));
    }
    s.recv_nothing(at + 10_000);
    s.expect(State::Closed);
    s.expect_events(&[Event::Writable, Event::TimedOut, Event::Closed]);
}

#[test]
fn a_fin_waits_for_the_window_too() {
    let mut s = Script::established(config());
    s.act(|c| c.write(1000));
    s.recv(0, own(ACK, 1, 1, MSS));
    s.send(0, with_window(0, peer(ACK, 1, 1001, 0)));
    s.act(crate::tcp::Connection::close);
    s.recv(1000, own(ACK, 1000, 1, 0));
    s.send(1100, with_window(1, peer(ACK, 1, 1001, 0)));
    s.recv(1100, own(ACK | Flags::FIN, 1001, 1, 0));
}

#[test]
fn a_silly_window_is_not_used_at_once() {
    // RFC 9293 section 3.8.6.2.1.
    let open_by = |window: u32| {
        let mut s = closed_window(config());
        s.send(500, with_window(window, peer(ACK, 1, 1001, 0)));
        s
    };
    let mut s = open_by(999);
    // The override timeout of rule 4 is the persist timer.
    s.recv(1000, own(ACK, 1001, 1, 999));
    let mut s = open_by(1000);
    s.recv(500, own(ACK, 1001, 1, 1000));
    // All data fits into the window.
    let mut s = Script::established(config());
    s.send(0, with_window(300, peer(ACK, 1, 1, 0)));
    s.act(|c| c.write(300));
    s.recv(0, own(ACK, 1, 1, 300));
}

#[test]
fn half_of_the_largest_window_is_not_silly() {
    let grant = |window: u32, sent: bool| {
        let mut s = Script::syn_sent(config());
        s.send(0, with_window(800, peer(Flags::SYN_ACK, 0, 1, 0)));
        s.recv(0, own(ACK, 1, 1, 0));
        s.act(|c| c.write(800));
        s.recv(0, own(ACK, 1, 1, 800));
        s.send(10, with_window(window, peer(ACK, 1, 801, 0)));
        s.act(|c| c.write(5000));
        if sent {
            s.recv(10, own(ACK, 801, 1, window));
        }
        s.recv_nothing(20);
    };
    grant(400, true);
    grant(399, false);
}

#[test]
fn the_user_timeout_ends_a_connection_whose_data_nobody_acknowledges() {
    let mut s = Script::established(ConnectionConfig {
        user_timeout: Some(Duration::from_secs(5)),
        ..config()
    });
    s.recv_nothing(100_000);
    s.act(|c| c.write(2000));
    s.recv(100_000, own(ACK, 1, 1, MSS));
    s.recv(100_000, own(ACK, 1001, 1, MSS));
    // Progress restarts the user timeout.
    s.send(100_500, peer(ACK, 1, 1001, 0));
    for at in [101_500, 103_500] {
        s.recv(at, own(ACK, 1001, 1, MSS));
    }
    s.recv_nothing(105_499);
    s.expect(State::Established);
    s.recv_nothing(105_500);
    s.expect(State::Closed);
    assert_eq!((BUFFER, PEER_WINDOW), (10_000, 20_000));
}

#[test]
fn segments_beyond_the_window_are_taken_where_the_buffer_has_room() {
    for accepts_whole_buffer in [false, true] {
        let mut config = config();
        config.accepts_whole_buffer = accepts_whole_buffer;
        let mut s = Script::established(config);
        // A larger buffer that the peer was not told of yet.
        s.act(|c| c.set_receive_buffer(2 * BUFFER));
        let taken = s.send(10, peer(ACK, 1 + BUFFER, 1, 100));
        assert_eq!(taken.is_some(), accepts_whole_buffer);
    }
}

#[test]
fn what_came_beyond_the_window_leaves_none_of_it() {
    let mut config = config();
    config.accepts_whole_buffer = true;
    config.tcp.acking = Acking::DELAYED;
    let mut s = Script::established(config);
    s.act(|c| c.set_receive_buffer(2 * BUFFER));
    // No acknowledgement has told of more room yet when the next segment comes.
    s.send(10, peer(ACK, 1, 1, BUFFER + 100));
    assert!(s.send(20, peer(ACK, 1 + BUFFER + 100, 1, 200)).is_some());
    s.recv(
        20,
        with_window(BUFFER - 300, own(ACK, 1, 1 + BUFFER + 300, 0)),
    );
}

#[test]
fn a_window_limited_to_less_than_a_segment_opens_again() {
    let mut s = Script::established(config());
    s.act(|c| c.limit_window(400));
    s.send(10, peer(ACK, 1, 1, BUFFER));
    s.recv(10, with_window(0, own(ACK, 1, 1 + BUFFER, 0)));
    s.act(|c| assert_eq!(c.read(u64::MAX), u64::from(BUFFER)));
    s.recv(10, with_window(400, own(ACK, 1, 1 + BUFFER, 0)));
    s.send(20, peer(ACK, 1 + BUFFER, 1, 400));
    s.act(|c| assert_eq!(c.read(u64::MAX), 400));
    s.recv(20, with_window(400, own(ACK, 1, 401 + BUFFER, 0)));
}
