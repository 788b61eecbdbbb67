//! One connection with its bytes and addresses.

use skywave_core::packet::{Ecn, Timestamps, Way};
use skywave_core::tcp::Connection;
use skywave_core::tcp::connection::{ConnectionConfig, Event, Outgoing, State};
use skywave_core::tcp::wire::{self, Endpoints, Header, Parsed, TimestampClock, WriteError};
use skywave_core::{Duration, Segment, Time};

use super::listen::ListenerId;
use super::status::{Ending, Status};
use crate::bytes::Bytes;

/// A connection and what the core leaves to its driver.
#[derive(Debug)]
pub(super) struct Socket {
    pub(super) connection: Connection,
    /// Source and destination of what it sends.
    pub(super) ends: Endpoints,
    pub(super) clock: TimestampClock,
    /// Window scales that the two SYNs have offered: its own, and the peer's.
    pub(super) shift: u8,
    peer_shift: u8,
    pub(super) sending: Bytes,
    receiving: Bytes,
    /// A segment that was taken from the connection and could not go in one packet with those before it.
    pub(super) held: Option<Outgoing>,
    send_buffer: usize,
    written: u64,
    shut: bool,
    pub(super) connected: bool,
    peer_closed: bool,
    pub(super) ending: Option<Ending>,
    /// The listener that it came to, until it is established; and its place among those half-open there.
    pub(super) opening: Option<(ListenerId, u64)>,
    /// The listener that it came to, until the application has it.
    pub(super) waiting: Option<ListenerId>,
    /// The application does not hold it any more.
    pub(super) released: bool,
    /// When it is given up, if it is still opening, or released and in FIN-WAIT-2.
    pub(super) deadline: Option<Time>,
    /// Entry in the queue of timers.
    pub(super) timer: Option<Time>,
    /// Marks of being queued for something to send, and for something to tell.
    pub(super) queued: bool,
    pub(super) told: bool,
    /// Mark of having been in TIME-WAIT.
    pub(super) waits_out: bool,
}

impl Socket {
    pub(super) fn new(
        config: ConnectionConfig,
        ends: Endpoints,
        send_buffer: usize,
        clock: TimestampClock,
        deadline: Time,
    ) -> Self {
        Self {
            connection: Connection::new(config),
            ends,
            clock,
            shift: 0,
            peer_shift: 0,
            sending: Bytes::default(),
            receiving: Bytes::default(),
            held: None,
            send_buffer,
            written: 0,
            shut: false,
            connected: false,
            peer_closed: false,
            ending: None,
            opening: None,
            waiting: None,
            released: false,
            deadline: Some(deadline),
            timer: None,
            queued: false,
            told: false,
            waits_out: false,
        }
    }

    /// Source and destination of what arrives for it.
    pub(super) fn arriving(&self) -> Endpoints {
        back(self.ends)
    }

    /// The packet as a segment of this connection.
    fn segment(&self, now: Time, parsed: &Parsed<'_>) -> Segment {
        let near = Timestamps {
            value: self.connection.receiver().recent_timestamp(),
            echo: now,
        };
        let mut segment = parsed.segment(self.peer_shift, self.clock, near);
        if let Some(timestamps) = &mut segment.timestamps {
            timestamps.echo = self.echoed(now, timestamps.echo);
        }
        segment
    }

    /// The latest moment at which the echoed segment can have been sent: the end of the clock's tick, once that has come. By
    /// its beginning, an answer to what was sent again would seem to be one to the original, and each repair needless.
    fn echoed(&self, now: Time, echo: Time) -> Time {
        let end = echo + self.clock.tick().saturating_sub(Duration::from_nanos(1));
        if end <= now { end } else { echo }
    }

    pub(super) fn receive(&mut self, now: Time, parsed: &Parsed<'_>) {
        let segment = self.segment(now, parsed);
        let met = self.connection.state().is_synchronized();
        if segment.is_syn() && !met && self.connection.state() != State::SynReceived {
            let scale = segment.options.syn().and_then(|offer| offer.window_scale);
            self.peer_shift = scale.unwrap_or(0);
        }
        let way = Way {
            ecn: parsed.ecn,
            ..Way::default()
        };
        let accepted = self.connection.on_segment(now, &segment, way);
        if self.connection.state() != State::SynSent && !self.connection.agreed().window_scaling {
            (self.shift, self.peer_shift) = (0, 0);
        }
        if let Some(accepted) = accepted
            && !self.released
        {
            let from = accepted.skip as usize;
            let bytes = parsed.payload.get(from..from + accepted.len as usize);
            self.receiving
                .put(accepted.position, bytes.unwrap_or_default());
        }
        self.hear();
    }

    /// Takes note of what has happened.
    pub(super) fn hear(&mut self) {
        while let Some(event) = self.connection.poll_event() {
            match event {
                Event::Connected => {
                    self.connected = true;
                    self.deadline = None;
                }
                Event::PeerClosed => self.peer_closed = true,
                Event::Reset if self.connected => self.end(Ending::Reset),
                Event::Reset => self.end(Ending::Refused),
                Event::TimedOut => self.end(Ending::TimedOut),
                Event::Closed => self.end(Ending::Closed),
                Event::Writable => self.sending.forget(self.connection.acknowledged()),
                // Nobody reads it, which the peer must know (RFC 1122 section 4.2.2.13).
                Event::Readable if self.released => self.connection.abort(),
                Event::Readable => {}
            }
        }
    }

    /// The first reason counts.
    pub(super) fn end(&mut self, ending: Ending) {
        self.ending.get_or_insert(ending);
    }

    pub(super) fn poll(&mut self, now: Time) -> Option<Outgoing> {
        let held = self.held.take();
        let outgoing = held.or_else(|| self.connection.poll_transmit(now))?;
        if let Some(offer) = outgoing.segment.options.syn() {
            self.shift = offer.window_scale.unwrap_or(0);
        }
        Some(outgoing)
    }

    /// Appends the part of a segment's packet that has `len` payload bytes after the first `skip`; `payload` is for
    /// scratch.
    pub(super) fn write_packet(
        &self,
        outgoing: &Outgoing,
        (skip, len): (u32, u32),
        payload: &mut Vec<u8>,
        out: &mut Vec<u8>,
    ) -> Result<(), WriteError> {
        payload.clear();
        self.sending
            .copy(outgoing.position + u64::from(skip), len as usize, payload);
        let mut segment = outgoing.segment;
        segment.seq.0 = segment.seq.0.wrapping_add(skip);
        segment.len = len;
        wire::write(&self.header(outgoing.ecn), &segment, payload, out)
    }

    /// Parts of a packet that it sends that the core does not know.
    pub(super) fn header(&self, ecn: Ecn) -> Header {
        Header {
            endpoints: self.ends,
            ecn,
            window_shift: self.shift,
            clock: self.clock,
        }
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> usize {
        let n = bytes.len().min(self.room());
        if n > 0 {
            self.sending.push(&bytes[..n]);
            self.written += n as u64;
            self.connection.write(n as u64);
        }
        n
    }

    pub(super) fn read(&mut self, out: &mut [u8]) -> usize {
        let n = self.receiving.take(out, self.connection.readable());
        self.connection.read(n as u64);
        n
    }

    pub(super) fn close(&mut self) {
        self.shut = true;
        self.connection.close();
    }

    /// The application lets go: what has arrived and was not read, or arrives later, is lost, so that the peer must hear
    /// of a reset; else the connection closes by itself. `until` is when FIN-WAIT-2 ends without the peer.
    pub(super) fn release(&mut self, until: Time) {
        self.released = true;
        if self.connection.readable() > 0 {
            self.connection.abort();
        } else {
            self.close();
        }
        self.receiving = Bytes::default();
        self.deadline = Some(self.deadline.map_or(until, |at| at.min(until)));
    }

    /// The deadline has come: a handshake ends, and FIN-WAIT-2 without an application. What is in flight has timers of
    /// its own; it is looked at again at `next`.
    pub(super) fn expire(&mut self, next: Time) {
        self.deadline = None;
        if !self.connected {
            self.end(Ending::TimedOut);
        } else if !self.released {
            return;
        } else if self.connection.state() != State::FinWait2 {
            self.deadline = Some(next);
            return;
        }
        self.connection.abort();
        self.hear();
    }

    /// Nothing of its bytes is needed any more.
    pub(super) fn drop_bytes(&mut self) {
        self.sending = Bytes::default();
    }

    /// Whether a SYN that arrives in TIME-WAIT begins another connection (RFC 9293 section 3.10.7.4, RFC 6191).
    pub(super) fn gives_way(&self, now: Time, parsed: &Parsed<'_>) -> bool {
        if self.connection.state() != State::TimeWait {
            return false;
        }
        let segment = self.segment(now, parsed);
        if !segment.is_syn() || segment.is_ack() || segment.is_rst() {
            return false;
        }
        let receiver = self.connection.receiver();
        let next = receiver.irs().wrapping_add(receiver.next() as u32);
        let is_newer = segment.seq.0.wrapping_sub(next).cast_signed() > 0;
        let is_later = segment
            .timestamps
            .is_some_and(|t| { t.value } > receiver.recent_timestamp());
        is_newer || is_later
    }

    /// Whether this number is one of a segment in flight, so that an error about it can be true (RFC 5927 section 4).
    pub(super) fn has_in_flight(&self, number: u32) -> bool {
        let sender = self.connection.sender();
        let (una, max) = (sender.flight().una(), sender.flight().max());
        let from_start = u64::from(number.wrapping_sub(sender.config().iss));
        // Positions beyond 32 bits begin anew on the wire.
        let ahead = (from_start as u32).wrapping_sub(una as u32);
        u64::from(ahead) < max - una
    }

    fn room(&self) -> usize {
        if self.shut || self.ending.is_some() {
            return 0;
        }
        let waits = self.written - self.connection.acknowledged();
        self.send_buffer.saturating_sub(waits as usize)
    }

    pub(super) fn status(&self) -> Status {
        let readable = self.connection.readable() as usize;
        Status {
            connected: self.connected,
            readable: if self.released { 0 } else { readable },
            room: self.room(),
            peer_closed: self.peer_closed,
            closed: self.shut,
            ended: self.ending,
        }
    }
}

/// Source and destination of what goes the other way.
pub(super) fn back(ends: Endpoints) -> Endpoints {
    Endpoints {
        source: ends.destination,
        destination: ends.source,
    }
}
