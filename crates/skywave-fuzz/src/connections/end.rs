//! One end: a connection, its application, and a second opinion on both.

use std::collections::BTreeMap;

use skywave_core::packet::{Ecn, Way};
use skywave_core::tcp::Connection;
use skywave_core::tcp::connection::{Accepted, ConnectionConfig, Event, Outgoing, State};
use skywave_core::{Segment, Time};

/// A segment on its way, with the position of its payload if an honest end has sent it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packet {
    pub(super) segment: Segment,
    pub(super) ecn: Ecn,
    pub(super) position: Option<u64>,
}

/// A connection and its application.
pub(super) struct End {
    pub(super) connection: Connection,
    pub(super) config: ConnectionConfig,
    /// Bytes that the application has handed over, and read.
    pub(super) written: u64,
    pub(super) read: u64,
    pub(super) closed: bool,
    /// Reads at once whatever comes.
    pub(super) eager: bool,
    pub(super) events: Vec<Event>,
    /// Payload that was accepted: everything below `prefix`, and these ranges.
    prefix: u64,
    held: BTreeMap<u64, u64>,
}

impl End {
    pub(super) fn new(config: ConnectionConfig, eager: bool) -> Self {
        Self {
            connection: Connection::new(config.clone()),
            config,
            written: 0,
            read: 0,
            closed: false,
            eager,
            events: Vec::new(),
            prefix: 0,
            held: BTreeMap::new(),
        }
    }

    pub(super) fn write(&mut self, bytes: u64) {
        if !self.closed {
            self.written += bytes;
            self.connection.write(bytes);
        }
    }

    pub(super) fn close(&mut self) {
        self.closed = true;
        self.connection.close();
    }

    pub(super) fn read(&mut self, bytes: u64) {
        let readable = self.connection.readable();
        let read = self.connection.read(bytes);
        assert_eq!(read, bytes.min(readable));
        self.read += read;
    }

    pub(super) fn receive(&mut self, now: Time, packet: &Packet) {
        let before = self.connection.received();
        let segment = &packet.segment;
        let way = Way {
            ecn: packet.ecn,
            ..Way::default()
        };
        let accepted = self.connection.on_segment(now, segment, way);
        if let Some(accepted) = accepted {
            assert!(accepted.len > 0);
            assert!(accepted.skip.saturating_add(accepted.len) <= segment.len);
            if let Some(position) = packet.position {
                let meant = position + u64::from(accepted.skip);
                assert_eq!(accepted.position, meant, "bytes at a wrong place");
            }
            self.note(accepted);
        }
        let after = self.connection.received();
        assert!(after >= before, "takes bytes back");
        assert_eq!(after, self.prefix, "bytes without a gap");
    }

    fn note(&mut self, accepted: Accepted) {
        let end = accepted.position + u64::from(accepted.len);
        let held = self.held.entry(accepted.position).or_insert(end);
        *held = end.max(*held);
        while let Some(first) = self.held.first_entry()
            && *first.key() <= self.prefix
        {
            self.prefix = self.prefix.max(first.remove());
        }
    }

    /// Next packet that this end sends, after a check of its length and sequence number.
    pub(super) fn poll(&mut self, now: Time) -> Option<Packet> {
        let Outgoing {
            segment,
            ecn,
            position,
        } = self.connection.poll_transmit(now)?;
        assert!(segment.len <= self.connection.agreed().mss);
        if segment.len > 0 {
            assert!(position + u64::from(segment.len) <= self.written);
            let first = self.config.tcp.iss.wrapping_add(1);
            let number = first.wrapping_add(position as u32);
            assert_eq!(segment.seq.0, number, "position of {segment:?}");
        }
        Some(Packet {
            segment,
            ecn,
            position: Some(position),
        })
    }

    pub(super) fn hear(&mut self) {
        while let Some(event) = self.connection.poll_event() {
            assert_ne!(self.events.last(), Some(&Event::Closed), "then {event:?}");
            self.events.push(event);
        }
    }

    /// Rules that hold at any time, after everything was sent that may be.
    pub(super) fn check(&self) {
        let connection = &self.connection;
        let sender = connection.sender();
        let (flight, window) = (sender.flight(), sender.window());
        // A mark at a window of one segment leaves half of it.
        let least = if self.config.tcp.ecn { 0.5 } else { 1.0 };
        assert!(window.cwnd.0.is_finite() && window.cwnd.0 >= least);
        assert!(window.ssthresh.0.is_finite() && window.ssthresh.0 >= 1.0);
        assert!(flight.una() <= flight.nxt() && flight.nxt() <= flight.max());
        let buffer = u64::from(self.config.tcp.rwnd);
        assert!(connection.readable() <= buffer, "more than the buffer");
        assert_eq!(connection.received(), self.read + connection.readable());
        assert!(connection.acknowledged() <= self.written);
        let state = connection.state();
        let waits = !flight.is_empty() || connection.unsent() > 0;
        if state.is_open() && waits {
            assert!(connection.next_timer().is_some(), "nothing would go on");
        }
        if !state.is_open() {
            assert_eq!(connection.next_timer(), None);
        }
        let finished = connection.receiver().is_finished();
        let peer_has_closed = matches!(
            state,
            State::CloseWait | State::Closing | State::LastAck | State::TimeWait
        );
        if peer_has_closed || state.may_receive() {
            assert_eq!(finished, peer_has_closed);
        }
    }
}
