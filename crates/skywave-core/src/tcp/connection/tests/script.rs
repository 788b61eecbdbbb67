//! A script of segments: the peer's segments, and every segment that the connection answers, each with its
//! time in milliseconds.

use std::collections::VecDeque;

use crate::packet::{Flags, Options, Segment, SynOptions, Way};
use crate::seq::SeqNr;
use crate::tcp::config::{Acking, Profile, TcpConfig};
use crate::tcp::connection::{Accepted, Connection, ConnectionConfig, Event, Outgoing, State};
use crate::tcp::preset::preset;
use crate::time::{Duration, Time};

/// Initial sequence number of the connection under test.
pub(super) const ISS: u32 = 1000;
/// Initial sequence number of its peer.
pub(super) const IRS: u32 = 5000;
/// Largest payload of both.
pub(super) const MSS: u32 = 1000;
/// Receive buffer of the connection under test.
pub(super) const BUFFER: u32 = 10_000;
/// Window that the peer grants unless a test says otherwise.
pub(super) const PEER_WINDOW: u32 = 20_000;

/// Reno of today's standards, without options, and every segment acknowledged.
pub(super) fn config() -> ConnectionConfig {
    let composition = preset("reno").expect("a preset").composition.clone();
    ConnectionConfig::from(TcpConfig {
        mss: MSS,
        rwnd: BUFFER,
        iss: ISS,
        timestamps: false,
        sack: false,
        dsack: false,
        acking: Acking::EverySegment,
        ..TcpConfig::new(Profile::Rfc, composition)
    })
}

fn wire(flags: Flags, seq: u32, ack: u32, len: u32, window: u32) -> Segment {
    let mut segment = Segment {
        seq: SeqNr(seq),
        len,
        window,
        flags,
        ..Segment::default()
    };
    if flags.contains(Flags::ACK) {
        segment.ack = SeqNr(ack);
    }
    if flags.contains(Flags::SYN) {
        segment.options = Options::Syn(SynOptions {
            mss: Some(MSS as u16),
            window_scale: Some(0),
            sack_permitted: false,
        });
    }
    if flags.contains(Flags::RST) {
        segment.window = 0;
    }
    segment
}

/// A segment of the peer; numbers count from the initial ones.
pub(super) fn peer(flags: Flags, seq: u32, ack: u32, len: u32) -> Segment {
    let (seq, ack) = (IRS.wrapping_add(seq), ISS.wrapping_add(ack));
    wire(flags, seq, ack, len, PEER_WINDOW)
}

/// A segment of the connection; numbers count from the initial ones.
pub(super) fn own(flags: Flags, seq: u32, ack: u32, len: u32) -> Segment {
    let (seq, ack) = (ISS.wrapping_add(seq), IRS.wrapping_add(ack));
    wire(flags, seq, ack, len, BUFFER)
}

/// `segment` with another window.
pub(super) fn with_window(window: u32, segment: Segment) -> Segment {
    Segment { window, ..segment }
}

/// One connection, its clock, and what it has sent.
pub(super) struct Script {
    pub(super) connection: Connection,
    now: Time,
    sent: VecDeque<(Time, Outgoing)>,
}

impl Script {
    /// A connection of `config` that is not open.
    pub(super) fn new(config: ConnectionConfig) -> Self {
        Self {
            connection: Connection::new(config),
            now: Time::ZERO,
            sent: VecDeque::new(),
        }
    }

    /// In LISTEN.
    pub(super) fn listening(config: ConnectionConfig) -> Self {
        let mut s = Self::new(config);
        s.act(Connection::open_passive);
        s
    }

    /// In SYN-SENT; the SYN has been checked.
    #[track_caller]
    pub(super) fn syn_sent(config: ConnectionConfig) -> Self {
        let mut s = Self::new(config);
        s.act(Connection::open_active);
        s.recv(0, own(Flags::SYN, 0, 0, 0));
        s.expect(State::SynSent);
        s
    }

    /// In SYN-RECEIVED after a passive open; the SYN-ACK has been checked.
    #[track_caller]
    pub(super) fn syn_received(config: ConnectionConfig) -> Self {
        let mut s = Self::listening(config);
        s.send(0, peer(Flags::SYN, 0, 0, 0));
        s.recv(0, own(Flags::SYN_ACK, 0, 1, 0));
        s.expect(State::SynReceived);
        s
    }

    /// In ESTABLISHED after an active open, at time 0.
    #[track_caller]
    pub(super) fn established(config: ConnectionConfig) -> Self {
        let mut s = Self::syn_sent(config);
        s.send(0, peer(Flags::SYN_ACK, 0, 1, 0));
        s.recv(0, own(Flags::ACK, 1, 1, 0));
        s.expect(State::Established);
        s.expect_events(&[Event::Connected]);
        s
    }

    /// In FIN-WAIT-1, without data.
    #[track_caller]
    pub(super) fn fin_wait_1(config: ConnectionConfig) -> Self {
        let mut s = Self::established(config);
        s.act(Connection::close);
        s.recv(0, own(Flags::FIN | Flags::ACK, 1, 1, 0));
        s.expect(State::FinWait1);
        s
    }

    /// In FIN-WAIT-2, without data.
    #[track_caller]
    pub(super) fn fin_wait_2(config: ConnectionConfig) -> Self {
        let mut s = Self::fin_wait_1(config);
        s.send(0, peer(Flags::ACK, 1, 2, 0));
        s.recv_nothing(0);
        s.expect(State::FinWait2);
        s.expect_events(&[Event::Writable]);
        s
    }

    /// In CLOSE-WAIT, without data.
    #[track_caller]
    pub(super) fn close_wait(config: ConnectionConfig) -> Self {
        let mut s = Self::established(config);
        s.send(0, peer(Flags::FIN | Flags::ACK, 1, 1, 0));
        s.recv(0, own(Flags::ACK, 1, 2, 0).with_less(1));
        s.expect(State::CloseWait);
        s.expect_events(&[Event::PeerClosed]);
        s
    }

    /// In CLOSING, without data.
    #[track_caller]
    pub(super) fn closing(config: ConnectionConfig) -> Self {
        let mut s = Self::fin_wait_1(config);
        s.send(0, peer(Flags::FIN | Flags::ACK, 1, 1, 0));
        s.recv(0, own(Flags::ACK, 2, 2, 0).with_less(1));
        s.expect(State::Closing);
        s.expect_events(&[Event::PeerClosed]);
        s
    }

    /// In LAST-ACK, without data.
    #[track_caller]
    pub(super) fn last_ack(config: ConnectionConfig) -> Self {
        let mut s = Self::close_wait(config);
        s.act(Connection::close);
        s.recv(0, own(Flags::FIN | Flags::ACK, 1, 2, 0).with_less(1));
        s.expect(State::LastAck);
        s
    }

    /// In TIME-WAIT, without data, since time 0.
    #[track_caller]
    pub(super) fn time_wait(config: ConnectionConfig) -> Self {
        let mut s = Self::fin_wait_2(config);
        s.send(0, peer(Flags::FIN | Flags::ACK, 1, 2, 0));
        s.recv(0, own(Flags::ACK, 2, 2, 0).with_less(1));
        s.expect(State::TimeWait);
        s.expect_events(&[Event::PeerClosed]);
        s
    }

    /// The application calls a method of the connection.
    pub(super) fn act(&mut self, what: impl FnOnce(&mut Connection)) {
        what(&mut self.connection);
        self.pump();
    }

    /// The peer's `segment` arrives at `ms`. All earlier segments of the connection must have been checked.
    #[track_caller]
    pub(super) fn send(&mut self, ms: u64, segment: Segment) -> Option<Accepted> {
        self.send_on_way(ms, segment, Way::default())
    }

    /// As [`Self::send`], in a packet with these marks.
    #[track_caller]
    pub(super) fn send_on_way(&mut self, ms: u64, segment: Segment, way: Way) -> Option<Accepted> {
        self.recv_nothing(ms);
        let accepted = self.connection.on_segment(self.now, &segment, way);
        self.pump();
        accepted
    }

    /// The next segment that the connection sends is this one, at `ms`.
    #[track_caller]
    pub(super) fn recv(&mut self, ms: u64, expected: Segment) -> Outgoing {
        self.run_to(ms);
        let (at, outgoing) = self.sent.pop_front().expect("a segment");
        assert_eq!((at, outgoing.segment), (time(ms), expected));
        outgoing
    }

    /// The next segment that the connection has sent, if there is one.
    pub(super) fn poll(&mut self) -> Option<(Time, Outgoing)> {
        self.sent.pop_front()
    }

    /// Lets time pass until `ms`.
    pub(super) fn wait_to(&mut self, ms: u64) {
        self.run_to(ms);
    }

    /// Discards the events that setting up a fixture has caused.
    pub(super) fn expect_events_of_fixture(&mut self) {
        while self.connection.poll_event().is_some() {}
    }

    /// The connection sends nothing until `ms`.
    #[track_caller]
    pub(super) fn recv_nothing(&mut self, ms: u64) {
        self.run_to(ms);
        assert_eq!(self.sent, [], "segments that nobody expects");
    }

    #[track_caller]
    pub(super) fn expect(&self, state: State) {
        assert_eq!(self.connection.state(), state);
    }

    #[track_caller]
    pub(super) fn expect_events(&mut self, events: &[Event]) {
        let told: Vec<Event> = std::iter::from_fn(|| self.connection.poll_event()).collect();
        assert_eq!(told, events);
    }

    fn run_to(&mut self, ms: u64) {
        while let Some(at) = self.connection.next_timer()
            && at <= time(ms)
        {
            assert!(at >= self.now, "a timer in the past");
            self.now = at;
            self.connection.on_timer(at);
            self.pump();
        }
        self.now = self.now.max(time(ms));
    }

    fn pump(&mut self) {
        while let Some(outgoing) = self.connection.poll_transmit(self.now) {
            self.sent.push_back((self.now, outgoing));
            assert!(self.sent.len() < 1000, "sends without end");
        }
    }
}

fn time(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

impl Segment {
    /// The segment with a window smaller by `bytes`, the bytes received since the window's edge last moved.
    pub(super) fn with_less(self, bytes: u32) -> Self {
        with_window(self.window - bytes, self)
    }
}
