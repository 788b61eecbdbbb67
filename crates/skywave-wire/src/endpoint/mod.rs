//! All connections of one socket, as a machine without I/O.
//!
//! # The caller's contract
//! As WTCP's own: after every input, call [`Endpoint::poll_transmit`] until it returns `None`, then ask
//! [`Endpoint::next_timer`] again. [`Endpoint::poll_touched`] names the connections whose streams
//! may have moved.
//!
//! # What strangers cost
//! Until a peer has shown a cookie, which proves its address, and has authenticated with a public key
//! that may connect, nothing is sent to it that is longer than what it has sent, and nothing is kept of it
//! but a bounded number of cookies. `exchanges.rs` limits what reading first messages costs, and
//! `moving.rs` what is sent to where a peer seems to be.

mod bytes;
mod config;
mod connection;
mod exchanges;
mod moving;
mod status;
mod streams;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::SocketAddr;
use std::sync::Arc;

use skywave_core::Time;

use crate::key::{PublicKey, SecretKey};
use crate::secure::cookie::Cookies;
use crate::secure::handshake::Responder;
pub use crate::secure::packet::Refusal;
use crate::secure::packet::{COOKIE, FIRST, Outer};
pub use config::{Config, PACKETS};
pub use connection::Failed;
use connection::{Connection, Names};
pub use exchanges::owner;
use exchanges::{Decision, Exchanges, Outcome};
pub use status::Status;

/// The number of a connection on this endpoint.
pub type Id = u32;

/// Who may connect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Allowed {
    /// The hosts of these keys.
    Keys(BTreeSet<PublicKey>),
    /// Every host that knows this one's public key.
    Everyone,
}

impl Allowed {
    fn has(&self, key: &PublicKey) -> bool {
        match self {
            Self::Keys(keys) => keys.contains(key),
            Self::Everyone => true,
        }
    }
}

/// All connections of one socket.
pub struct Endpoint {
    config: Arc<Config>,
    secret: SecretKey,
    /// Nobody, unless it listens.
    allowed: Allowed,
    cookies: Cookies,
    exchanges: Exchanges,
    connections: BTreeMap<Id, Connection>,
    /// Connections that peers began, by what the peers call them.
    answered: BTreeMap<(PublicKey, u32), Id>,
    /// When connections want to be woken.
    timers: BTreeSet<(Time, Id)>,
    due: BTreeMap<Id, Time>,
    /// Connections that may have something to send.
    ready: BTreeSet<Id>,
    touched: BTreeSet<Id>,
    incoming: VecDeque<Id>,
    /// An answer to a stranger; there is never more than one.
    reply: Option<(SocketAddr, Vec<u8>)>,
}

impl Endpoint {
    /// An endpoint of the host of this key, which those may connect to.
    ///
    /// # Errors
    /// When the system has no random numbers.
    pub fn new(
        secret: SecretKey,
        allowed: Allowed,
        config: Config,
    ) -> Result<Self, getrandom::Error> {
        let mut cookie_secret = [0; 32];
        getrandom::fill(&mut cookie_secret)?;
        Ok(Self {
            config: Arc::new(config),
            secret,
            allowed,
            cookies: Cookies::new(cookie_secret),
            exchanges: Exchanges::default(),
            connections: BTreeMap::new(),
            answered: BTreeMap::new(),
            timers: BTreeSet::new(),
            due: BTreeMap::new(),
            ready: BTreeSet::new(),
            touched: BTreeSet::new(),
            incoming: VecDeque::new(),
            reply: None,
        })
    }

    /// Connects to the host of `key` at `peer`.
    ///
    /// # Errors
    /// When the system has no random numbers.
    pub fn connect(
        &mut self,
        now: Time,
        peer: SocketAddr,
        key: PublicKey,
    ) -> Result<Id, getrandom::Error> {
        let id = self.new_id()?;
        let names = Names {
            id,
            peer_id: 0,
            peer,
            peer_key: key,
        };
        let connection = Connection::connect(now, names, &self.config);
        self.connections.insert(id, connection);
        self.changed(id);
        Ok(id)
    }

    /// A datagram arrived.
    pub fn on_datagram(&mut self, now: Time, from: SocketAddr, datagram: &[u8]) {
        match Outer::decode(datagram) {
            None => {}
            Some(Outer::Hello { id }) => {
                let cookie = self.cookies.make(now, from, id);
                self.reply(from, &Outer::Cookie { id, cookie });
            }
            Some(Outer::First {
                id,
                cookie,
                message,
            }) => self.on_first(now, from, id, cookie, message),
            Some(Outer::Cookie { id, cookie }) => {
                if let Some(connection) = self.connections.get_mut(&id) {
                    connection.on_cookie(now, from, cookie, &self.secret);
                    self.changed(id);
                }
            }
            Some(Outer::Second { id, message }) => {
                if let Some(connection) = self.connections.get_mut(&id) {
                    connection.on_second(now, from, message);
                    self.touched.insert(id);
                    self.changed(id);
                }
            }
            Some(Outer::Refused { id, reason }) => {
                if let Some(connection) = self.connections.get_mut(&id) {
                    connection.on_refused(from, reason);
                }
            }
            Some(Outer::Unknown { id }) => {
                // A number is the peer's own choice: peers elsewhere may have chosen the same one.
                let is_meant = |names: &Names| names.peer == from && names.peer_id == id;
                let connections = self.connections.values_mut();
                for connection in connections.filter(|c| is_meant(c.names())) {
                    connection.on_unknown();
                }
            }
            Some(Outer::Sealed {
                id,
                counter,
                sealed,
            }) => self.on_sealed(now, from, id, counter, sealed),
        }
    }

    fn on_first(
        &mut self,
        now: Time,
        from: SocketAddr,
        id: u32,
        cookie: [u8; COOKIE],
        message: &[u8; FIRST],
    ) {
        if !self.cookies.is_good(now, from, id, cookie) {
            return;
        }
        match self.exchanges.decide(now, from, cookie, message) {
            Decision::Read => {}
            Decision::Again(Outcome::Refused(reason)) => {
                return self.reply(from, &Outer::Refused { id, reason });
            }
            Decision::Again(Outcome::Answered(known)) => {
                return self.answer_again(from, known, message);
            }
            Decision::Drop => return,
        }
        match self.read_first(now, (from, id), cookie, message) {
            Ok(Some(ours)) => self.exchanges.note(cookie, Outcome::Answered(ours)),
            Ok(None) => {}
            Err(reason) => {
                self.exchanges.note(cookie, Outcome::Refused(reason));
                self.reply(from, &Outer::Refused { id, reason });
            }
        }
    }

    fn answer_again(&mut self, from: SocketAddr, known: Id, message: &[u8; FIRST]) {
        let connection = self.connections.get(&known);
        let mut bytes = Vec::new();
        if let Some(outer) = connection.and_then(|connection| connection.answer_again(message)) {
            outer.encode(&mut bytes);
            self.reply = Some((from, bytes));
        }
    }

    /// Does the key exchange. The connection that is answered, if one is.
    fn read_first(
        &mut self,
        now: Time,
        (from, id): (SocketAddr, u32),
        cookie: [u8; COOKIE],
        message: &[u8; FIRST],
    ) -> Result<Option<Id>, Refusal> {
        let Ok((responder, key)) = Responder::begin(&self.secret, cookie, message) else {
            return Err(Refusal::WrongKey);
        };
        if !self.allowed.has(&key) {
            return Err(Refusal::UnknownPeer);
        }
        if let Some(&known) = self.answered.get(&(key, id)) {
            // A peer that has heard no answer may begin anew; but a connection that goes on is not
            // given up for that.
            if !self.connections[&known].is_answering() {
                return Ok(None);
            }
            self.remove(known);
        }
        if !self.has_room_for(now, &key) || !self.has_room() {
            return Err(Refusal::Full);
        }
        // Without random numbers there is no answer.
        let Ok(ours) = self.new_id() else {
            return Ok(None);
        };
        let Ok((sealer, second)) = responder.finish(ours) else {
            return Ok(None);
        };
        let names = Names {
            id: ours,
            peer_id: id,
            peer: from,
            peer_key: key,
        };
        let shaken = (sealer, second, message);
        let connection = Connection::answer(now, names, shaken, &self.config);
        self.connections.insert(ours, connection);
        self.answered.insert((key, id), ours);
        self.changed(ours);
        self.answer_again(from, ours, message);
        Ok(Some(ours))
    }

    fn on_sealed(&mut self, now: Time, from: SocketAddr, id: Id, counter: u64, sealed: &[u8]) {
        if let Some(connection) = self.connections.get_mut(&id) {
            let was_open = connection.is_open();
            if connection.on_sealed(now, from, counter, sealed) {
                if !was_open {
                    self.incoming.push_back(id);
                }
                self.touched.insert(id);
                self.changed(id);
            }
        } else {
            self.reply(from, &Outer::Unknown { id });
        }
    }

    /// Time has come to [`Self::next_timer`].
    pub fn on_timer(&mut self, now: Time) {
        while let Some(&(at, id)) = self.timers.first()
            && at <= now
        {
            self.timers.pop_first();
            self.due.remove(&id);
            if let Some(connection) = self.connections.get_mut(&id) {
                connection.on_timer(now);
                if connection.failed().is_some() {
                    self.touched.insert(id);
                }
                self.ready.insert(id);
            }
        }
    }

    /// When [`Self::on_timer`] is due.
    pub fn next_timer(&self) -> Option<Time> {
        self.timers.first().map(|&(at, _)| at)
    }

    /// Puts the answer to a stranger into `out` and says where it goes. There is never more than one: a
    /// driver that takes several datagrams before it sends asks after each.
    pub fn poll_reply(&mut self, out: &mut Vec<u8>) -> Option<SocketAddr> {
        let (to, bytes) = self.reply.take()?;
        *out = bytes;
        Some(to)
    }

    /// Puts the next datagram into `out` and says where it goes.
    pub fn poll_transmit(&mut self, now: Time, out: &mut Vec<u8>) -> Option<SocketAddr> {
        if let Some(to) = self.poll_reply(out) {
            return Some(to);
        }
        out.clear();
        while let Some(&id) = self.ready.first() {
            let Some(connection) = self.connections.get_mut(&id) else {
                self.ready.remove(&id);
                continue;
            };
            if let Some(to) = connection.poll_transmit(now, out) {
                return Some(to);
            }
            self.ready.remove(&id);
            self.settle(id);
        }
        None
    }

    /// A connection whose state or streams may have changed.
    pub fn poll_touched(&mut self) -> Option<Id> {
        self.touched.pop_first()
    }

    /// A connection that a peer has begun.
    pub fn poll_incoming(&mut self) -> Option<Id> {
        self.incoming.pop_front()
    }

    /// The peer of a connection: its key and where it is.
    pub fn peer(&self, id: Id) -> Option<(PublicKey, SocketAddr)> {
        let names = self.connections.get(&id)?.names();
        Some((names.peer_key, names.peer))
    }

    /// Whether the handshake is done.
    pub fn is_open(&self, id: Id) -> bool {
        self.connections.get(&id).is_some_and(Connection::is_open)
    }

    /// Why the connection has failed, if it has.
    pub fn failed(&self, id: Id) -> Option<Failed> {
        match self.connections.get(&id) {
            Some(connection) => connection.failed(),
            None => Some(Failed::Idle),
        }
    }

    /// Takes as many of the bytes to be sent as there is room for; none after [`Self::close`].
    pub fn write(&mut self, now: Time, id: Id, bytes: &[u8]) -> usize {
        let Some(connection) = self.connections.get_mut(&id) else {
            return 0;
        };
        let n = connection.streams_mut().write(now, bytes);
        if n > 0 {
            self.changed(id);
        }
        n
    }

    /// Nothing more will be written.
    pub fn close(&mut self, now: Time, id: Id) {
        if let Some(connection) = self.connections.get_mut(&id) {
            connection.streams_mut().close(now);
            self.changed(id);
        }
    }

    /// Reads what has come in order: as much as there is and fits.
    pub fn read(&mut self, id: Id, out: &mut [u8]) -> usize {
        let Some(connection) = self.connections.get_mut(&id) else {
            return 0;
        };
        let n = connection.streams_mut().read(out);
        if n > 0 {
            self.changed(id); // the window opens
        }
        n
    }

    /// There is something to read, or the end of the stream.
    pub fn is_readable(&self, id: Id) -> bool {
        let readable = |c: &Connection| c.streams().is_readable() || c.streams().is_read();
        self.connections.get(&id).is_some_and(readable)
    }

    /// The peer's stream is read to its end.
    pub fn is_read(&self, id: Id) -> bool {
        self.connections
            .get(&id)
            .is_some_and(|connection| connection.streams().is_read())
    }

    /// The peer has all that was written, and the end of it.
    pub fn is_sent(&self, id: Id) -> bool {
        self.connections
            .get(&id)
            .is_some_and(|connection| connection.streams().is_sent())
    }

    /// The application needs the connection no more. Data not delivered yet, in either direction,
    /// is given up.
    pub fn abandon(&mut self, now: Time, id: Id) {
        if let Some(connection) = self.connections.get_mut(&id) {
            connection.abandon(now);
            self.changed(id);
        }
    }

    /// The application needs no connection any more.
    pub fn abandon_all(&mut self, now: Time) {
        let ids: Vec<Id> = self.connections.keys().copied().collect();
        for id in ids {
            self.abandon(now, id);
        }
    }

    /// Whether [`Self::close`] was called: what is written after it would not be sent.
    pub fn is_closed(&self, id: Id) -> bool {
        let closed = |c: &Connection| c.streams().is_closed();
        self.connections.get(&id).is_some_and(closed)
    }

    /// How a connection fares.
    pub fn status(&self, now: Time, id: Id) -> Option<Status> {
        self.connections.get(&id).map(|c| c.status(now))
    }

    /// Connections that there are, those that wait for a peer to hear of their end included.
    pub fn connections(&self) -> usize {
        self.connections.len()
    }

    fn changed(&mut self, id: Id) {
        self.ready.insert(id);
    }

    /// Nothing is left to send for now: when does it want to be woken, or is it over?
    fn settle(&mut self, id: Id) {
        let Some(connection) = self.connections.get(&id) else {
            return;
        };
        if connection.is_dead() {
            return self.remove(id);
        }
        let at = connection.next_timer();
        if self.due.get(&id).copied() == at {
            return;
        }
        if let Some(old) = self.due.remove(&id) {
            self.timers.remove(&(old, id));
        }
        if let Some(at) = at {
            self.due.insert(id, at);
            self.timers.insert((at, id));
        }
    }

    /// Whether a peer may have one more connection. If need be, gives the one up that has been silent for
    /// longest, unless it may just be idle: a host that was started again is not kept out by what it left.
    fn has_room_for(&mut self, now: Time, key: &PublicKey) -> bool {
        let of_key =
            |c: &Connection| c.names().peer_key == *key && c.is_answered() && c.failed().is_none();
        let theirs = self.connections.iter().filter(|(_, c)| of_key(c));
        if theirs.clone().count() < self.config.max_per_key {
            return true;
        }
        let silent = theirs.max_by_key(|(_, c)| c.silence(now));
        let Some((&id, silence)) = silent.map(|(id, c)| (id, c.silence(now))) else {
            return false;
        };
        if silence < self.config.displace_after {
            return false;
        }
        if let Some(connection) = self.connections.get_mut(&id) {
            connection.displace();
        }
        self.touched.insert(id);
        self.changed(id);
        true
    }

    /// Whether there is room for one more connection. If need be, drops one that nobody here needs.
    fn has_room(&mut self) -> bool {
        if self.connections.len() < self.config.max_connections {
            return true;
        }
        let spare = self.connections.iter().find(|(_, c)| c.is_spare());
        let Some(id) = spare.map(|(id, _)| *id) else {
            return false;
        };
        self.remove(id);
        true
    }

    fn remove(&mut self, id: Id) {
        if let Some(connection) = self.connections.remove(&id) {
            let Names {
                peer_key, peer_id, ..
            } = *connection.names();
            let name = (peer_key, peer_id);
            if self.answered.get(&name) == Some(&id) {
                self.answered.remove(&name);
            }
        }
        if let Some(at) = self.due.remove(&id) {
            self.timers.remove(&(at, id));
        }
        self.ready.remove(&id);
        self.touched.remove(&id);
    }

    fn reply(&mut self, to: SocketAddr, outer: &Outer<'_>) {
        let mut bytes = Vec::new();
        outer.encode(&mut bytes);
        self.reply = Some((to, bytes));
    }

    /// A random number that no connection has.
    fn new_id(&self) -> Result<Id, getrandom::Error> {
        loop {
            let id = getrandom::u32()?;
            if !self.connections.contains_key(&id) {
                return Ok(id);
            }
        }
    }
}
