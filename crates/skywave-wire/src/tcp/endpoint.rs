//! Many connections over one pair of packet queues.

use std::collections::VecDeque;
use std::net::IpAddr;

use skywave_core::Time;
use skywave_core::packet::{Ecn, Flags, Timestamps};
use skywave_core::tcp::connection::{Outgoing, State, refusal};
use skywave_core::tcp::wire::{self, Endpoints, Header, Parsed, WireError, ip};

use super::config::EndpointConfig;
use super::icmp::{self, Complaint, Trouble};
use super::listen::Listeners;
use super::number;
use super::paths::Paths;
use super::refusals::Allowance;
use super::socket::{Socket, back};
use super::status::Ending;
use super::table::{StreamId, Table};
use super::timers::Timers;
use super::totals::Totals;

/// Packets that wait beside those of connections: resets, and further pieces of segments.
const WAITING: usize = 256;

/// Event for the application, from [`Endpoint::poll_event`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Arrival of a SYN at a listener that asks first ([`Listener::asks`](super::Listener::asks)), with the SYN's own
    /// source and destination. The application answers by [`Endpoint::accept`] or [`Endpoint::decline`].
    Asked(Endpoints),
    /// Establishment of a connection to a listener; until [`Endpoint::take`] it counts as waiting there.
    Accepted(StreamId),
    /// Change of a connection, such as new data or its end: [`Endpoint::status`] has its new state.
    Changed(StreamId),
}

/// TCP of a host, for many connections and without I/O: the caller hands it the time and IP packets, and takes packets
/// and events from it. The module [`tcp`](crate::tcp) says in which order to call what.
#[derive(Debug)]
pub struct Endpoint {
    config: EndpointConfig,
    secret: u128,
    pub(super) table: Table,
    pub(super) listeners: Listeners,
    timers: Timers,
    /// Connections that may have something to send, each once.
    ready: VecDeque<StreamId>,
    events: VecDeque<Event>,
    paths: Paths,
    resets: Allowance,
    /// Packets beside those of connections.
    waiting: VecDeque<Vec<u8>>,
    /// Connections in the order in which they came to TIME-WAIT.
    time_wait: VecDeque<StreamId>,
    /// Totals of connections that are gone.
    gone: Totals,
    /// Scratch for a payload.
    payload: Vec<u8>,
}

impl Endpoint {
    /// Endpoint without connections and listeners. Initial sequence numbers follow from `secret`, which nobody else may
    /// know.
    pub fn new(config: EndpointConfig, secret: u128) -> Self {
        Self {
            paths: Paths::new(config.mtu),
            resets: Allowance::new(config.resets),
            config,
            secret,
            table: Table::default(),
            listeners: Listeners::default(),
            timers: Timers::default(),
            ready: VecDeque::new(),
            events: VecDeque::new(),
            waiting: VecDeque::new(),
            time_wait: VecDeque::new(),
            gone: Totals::default(),
            payload: Vec::new(),
        }
    }

    pub(crate) fn config(&self) -> &EndpointConfig {
        &self.config
    }

    /// Takes an IP packet that arrives: TCP, or an ICMP error about TCP. The error says why the packet was ignored: it
    /// is damaged, or of another protocol.
    pub fn receive(&mut self, now: Time, packet: &[u8]) -> Result<(), WireError> {
        match wire::parse(packet) {
            Ok(parsed) => self.on_segment(now, &parsed),
            Err(WireError::Protocol(icmp::ICMP | icmp::ICMP_V6)) => {
                if let Some(complaint) = icmp::complaint(&ip::parse(packet)?) {
                    self.on_complaint(now, &complaint);
                }
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    pub(super) fn on_segment(&mut self, now: Time, parsed: &Parsed<'_>) {
        let Endpoints {
            source,
            destination,
        } = parsed.endpoints;
        let nobody = |ip: IpAddr| ip.is_multicast() || ip.is_unspecified();
        if nobody(source.ip()) || nobody(destination.ip()) || source.port() == 0 {
            return;
        }
        if let Some(id) = self.table.find(&parsed.endpoints)
            && let Some(socket) = self.table.get_mut(id)
        {
            if socket.gives_way(now, parsed) {
                self.give_way(id);
            } else if self.listeners.defers(socket, parsed) {
                return;
            } else {
                socket.receive(now, parsed);
                if socket.connected && socket.opening.is_some() {
                    self.settle(id); // before further SYNs could push it out
                }
                return self.touch(id);
            }
        }
        let kind = parsed.flags & (Flags::SYN | Flags::ACK | Flags::RST | Flags::FIN);
        if kind != Flags::SYN || !self.on_syn(now, parsed) {
            self.refuse(now, parsed, true);
        }
    }

    /// Answers a segment of no connection by a reset; a stray one only as often as that is allowed.
    pub(super) fn refuse(&mut self, now: Time, parsed: &Parsed<'_>, is_stray: bool) {
        let near = Timestamps {
            value: Time::ZERO,
            echo: Time::ZERO,
        };
        let segment = parsed.segment(0, self.config.clock, near);
        let Some(reset) = refusal(&segment) else {
            return;
        };
        if self.waiting.len() >= WAITING || is_stray && !self.resets.take(now) {
            return;
        }
        let header = Header {
            endpoints: back(parsed.endpoints),
            ecn: Ecn::NotEct,
            window_shift: 0,
            clock: self.config.clock,
        };
        let mut packet = Vec::new();
        if wire::write(&header, &reset, &[], &mut packet).is_ok() {
            self.waiting.push_back(packet);
        }
    }

    /// RFC 5927: only an error about a segment in flight is believed, and only a connection that is still opening ends.
    fn on_complaint(&mut self, now: Time, complaint: &Complaint) {
        let Some(id) = self.table.find(&back(complaint.quoted)) else {
            return;
        };
        let Some(socket) = self.table.get_mut(id) else {
            return;
        };
        if !socket.has_in_flight(complaint.seq) {
            return;
        }
        match complaint.trouble {
            Trouble::TooBig(mtu) => {
                let to = complaint.quoted.destination.ip();
                self.paths.learn(to, mtu, now);
            }
            Trouble::Unreachable if !socket.connected => {
                socket.end(Ending::Unreachable);
                socket.connection.abort();
                socket.hear();
                self.touch(id);
            }
            Trouble::Unreachable => {}
        }
    }

    /// Lets the timers that are due at `now` expire.
    pub fn poll(&mut self, now: Time) {
        while let Some(id) = self.timers.take(now) {
            let Some(socket) = self.table.get_mut(id) else {
                continue;
            };
            socket.timer = None;
            if socket.connection.next_timer().is_some_and(|at| at <= now) {
                socket.connection.on_timer(now);
                socket.hear();
            }
            if socket.deadline.is_some_and(|at| at <= now) {
                socket.expire(now + self.config.patience);
            }
            self.touch(id);
        }
    }

    /// Time at which [`Self::poll`] is due, though maybe no timer has to expire yet then; `None` if no timer runs.
    pub fn deadline(&self) -> Option<Time> {
        self.timers.next()
    }

    /// Writes the next packet to send into `out`, which is emptied before. Returns whether there is one; to be called
    /// until there is none.
    pub fn transmit(&mut self, now: Time, out: &mut Vec<u8>) -> bool {
        if self.take_waiting(out) {
            return true;
        }
        while let Some((id, outgoing)) = self.next(now) {
            if self.write_out(now, id, &outgoing, out) {
                return true;
            }
        }
        false
    }

    /// Puts the next packet that is of no connection into `out`, which is emptied before. Returns whether there is one.
    pub(super) fn take_waiting(&mut self, out: &mut Vec<u8>) -> bool {
        out.clear();
        let packet = self.waiting.pop_front();
        packet.is_some_and(|packet| {
            out.extend_from_slice(&packet);
            true
        })
    }

    /// The next segment that a connection has to send; in turn.
    pub(super) fn next(&mut self, now: Time) -> Option<(StreamId, Outgoing)> {
        while let Some(id) = self.ready.pop_front() {
            let Some(socket) = self.table.get_mut(id) else {
                continue;
            };
            if let Some(outgoing) = socket.poll(now) {
                self.ready.push_back(id);
                return Some((id, outgoing));
            }
            socket.queued = false;
            self.settle(id);
        }
        None
    }

    /// Payload bytes for which a packet of this segment has room on its path.
    pub(super) fn room(&self, now: Time, id: StreamId, outgoing: &Outgoing) -> u32 {
        let Some(socket) = self.table.get(id) else {
            return 1;
        };
        let mtu = usize::from(self.paths.mtu(socket.ends.destination.ip(), now));
        let ip = if socket.ends.source.is_ipv4() { 20 } else { 40 };
        let headers = ip + 20 + wire::options_len(&outgoing.segment);
        mtu.saturating_sub(headers).max(1) as u32
    }

    /// Writes a segment's packet, or several where the path carries no packet of this length. Returns whether there is
    /// one.
    pub(super) fn write_out(
        &mut self,
        now: Time,
        id: StreamId,
        outgoing: &Outgoing,
        out: &mut Vec<u8>,
    ) -> bool {
        let Some(socket) = self.table.get(id) else {
            return false;
        };
        let segment = &outgoing.segment;
        let room = self.room(now, id, outgoing);
        let first = segment.len.min(room);
        if let Err(error) = socket.write_packet(outgoing, (0, first), &mut self.payload, out) {
            debug_assert!(false, "{error}: {segment:?}");
            return false;
        }
        let mut skip = first;
        while skip < segment.len && self.waiting.len() < WAITING {
            let len = (segment.len - skip).min(room);
            let mut packet = Vec::new();
            let written =
                socket.write_packet(outgoing, (skip, len), &mut self.payload, &mut packet);
            if written.is_ok() {
                self.waiting.push_back(packet);
            }
            skip += len;
        }
        true
    }

    /// Next event for the application; `None` if there is none.
    pub fn poll_event(&mut self) -> Option<Event> {
        loop {
            let event = self.events.pop_front()?;
            if let Event::Changed(id) | Event::Accepted(id) = event {
                let Some(socket) = self.table.get_mut(id) else {
                    continue;
                };
                if event == Event::Changed(id) {
                    socket.told = false;
                }
            }
            return Some(event);
        }
    }

    /// Sums of the counters of all connections so far, closed ones included.
    pub fn totals(&self) -> Totals {
        self.table
            .iter()
            .map(Totals::of)
            .fold(self.gone, |all, one| all + one)
    }

    /// Number of connections now, in whatever state, TIME-WAIT included.
    pub fn connections(&self) -> usize {
        self.table.len()
    }

    pub(super) fn tell(&mut self, event: Event) {
        self.events.push_back(event);
    }

    /// A connection that begins now, not open yet.
    pub(super) fn socket(&self, now: Time, ends: Endpoints) -> Socket {
        let to = ends.destination.ip();
        let number = number::initial(self.secret, &ends, now);
        let config = self.config.of_one(to, self.paths.mtu(to, now), number);
        let deadline = now + self.config.patience;
        Socket::new(
            config,
            ends,
            self.config.send_buffer,
            self.config.clock,
            deadline,
        )
    }

    /// Takes in a connection that has been opened.
    pub(super) fn add(&mut self, arriving: Endpoints, socket: Socket) -> StreamId {
        let id = self.table.insert(arriving, socket);
        self.touch(id);
        id
    }

    /// Something has happened to a connection: it may have something to send and to tell.
    pub(super) fn touch(&mut self, id: StreamId) {
        let Some(socket) = self.table.get_mut(id) else {
            return;
        };
        if !socket.queued {
            socket.queued = true;
            self.ready.push_back(id);
        }
        let opening = socket.opening.is_some();
        if !socket.told && !socket.released && !opening {
            socket.told = true;
            self.events.push_back(Event::Changed(id));
        }
    }

    /// A connection has sent all that it may.
    fn settle(&mut self, id: StreamId) {
        let Some(mut socket) = self.table.lift(id) else {
            return;
        };
        socket.hear();
        self.note_opening(&mut socket, id);
        let state = socket.connection.state();
        if state == State::TimeWait && !socket.waits_out {
            socket.waits_out = true;
            socket.drop_bytes();
            self.time_wait.push_back(id);
        }
        let is_over = matches!(state, State::Closed | State::Listen);
        if is_over {
            socket.end(Ending::Closed);
            self.note_opening(&mut socket, id);
            self.timers.cancel(id, &mut socket.timer);
            self.table.detach(id, &socket);
        } else {
            let deadline = socket.deadline.filter(|_| state != State::TimeWait);
            let due = [socket.connection.next_timer(), deadline];
            self.timers
                .schedule(id, &mut socket.timer, due.into_iter().flatten().min());
        }
        let gone = is_over && socket.released;
        self.table.lower(id, socket);
        if gone {
            self.forget(id);
        }
        self.bound_time_wait();
    }

    fn bound_time_wait(&mut self) {
        while self.time_wait.len() > self.config.time_wait {
            let Some(oldest) = self.time_wait.pop_front() else {
                return;
            };
            if let Some(socket) = self.table.get_mut(oldest) {
                socket.connection.abort();
                self.touch(oldest);
            }
        }
    }

    /// A connection in TIME-WAIT ends for another one with its addresses; the application still hears of it.
    pub(super) fn give_way(&mut self, id: StreamId) {
        if let Some(mut socket) = self.table.lift(id) {
            socket.connection.abort();
            socket.hear();
            self.table.detach(id, &socket);
            self.table.lower(id, socket);
            self.touch(id);
        }
    }

    /// Removes a connection without a word, one that the application does not hold.
    pub(super) fn forget(&mut self, id: StreamId) {
        let Some(mut socket) = self.table.remove(id) else {
            return;
        };
        self.timers.cancel(id, &mut socket.timer);
        if let Some((listener, place)) = socket.opening {
            self.listeners.opened(listener, place);
        }
        if let Some(listener) = socket.waiting {
            self.listeners.taken(listener);
        }
        self.gone += Totals::of(&socket);
    }
}
