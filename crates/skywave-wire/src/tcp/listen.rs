//! Listeners: which SYNs begin connections, and how many at once.

use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, SocketAddr};

use skywave_core::Time;
use skywave_core::packet::Flags;
use skywave_core::tcp::wire::{Endpoints, Parsed};
use thiserror::Error;

use super::endpoint::{Endpoint, Event};
use super::socket::{Socket, back};
use super::table::StreamId;

/// Listener of an [`Endpoint`]: the local address and port at which SYNs begin connections, and how many connections
/// may wait for the application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listener {
    /// Local address to which SYNs come; `None` accepts SYNs to every address.
    pub address: Option<IpAddr>,
    /// Local port to which SYNs come; `None` accepts SYNs to every port.
    pub port: Option<u16>,
    /// Greatest number of half-open connections and, counted apart, of established connections that the application has
    /// not taken ([`Endpoint::take`]); with [`Self::asks`], of SYNs that the application has not answered.
    pub backlog: usize,
    /// Whether the application is asked before a SYN is answered ([`Event::Asked`]); otherwise the handshake goes on by
    /// itself, and the application hears of the established connection ([`Event::Accepted`]).
    pub asks: bool,
}

/// Number of a listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ListenerId(usize);

/// Reason why [`Endpoint::listen`] makes no listener.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ListenError {
    /// Listener with the same address and port that is there already.
    #[error("another listener has this address and port")]
    InUse,
}

/// Listeners with their queues.
#[derive(Debug, Default)]
pub(super) struct Listeners(Vec<Listening>);

#[derive(Debug)]
struct Listening {
    listener: Listener,
    /// Not over yet; its place stays, as connections have its number.
    is_open: bool,
    /// By the order in which their SYNs came.
    half_open: BTreeMap<u64, StreamId>,
    came: u64,
    /// Established, and the application has not taken it.
    waiting: usize,
    /// SYNs that the application has not answered.
    asked: HashMap<Endpoints, Parsed<'static>>,
}

impl Listening {
    /// Whether as many established connections wait for the application as the backlog allows.
    fn is_full(&self) -> bool {
        self.waiting >= self.listener.backlog
    }

    fn is_at(&self, address: Option<IpAddr>, port: Option<u16>) -> bool {
        (self.listener.address, self.listener.port) == (address, port)
    }
}

impl Listeners {
    fn find(&self, to: SocketAddr) -> Option<ListenerId> {
        let fits = |l: &Listening| {
            let (is_open, l) = (l.is_open, &l.listener);
            is_open
                && l.address.is_none_or(|a| a == to.ip())
                && l.port.is_none_or(|p| p == to.port())
        };
        // The most exact one.
        let all = self.0.iter().enumerate().filter(|(_, l)| fits(l));
        let exactness = |l: &Listening| (l.listener.port.is_some(), l.listener.address.is_some());
        let best = all.max_by_key(|(_, l)| exactness(l));
        best.map(|(n, _)| ListenerId(n))
    }

    fn at(&mut self, id: ListenerId) -> &mut Listening {
        &mut self.0[id.0]
    }

    /// A connection is not half-open any more.
    pub(super) fn opened(&mut self, id: ListenerId, place: u64) {
        self.at(id).half_open.remove(&place);
    }

    /// Whether an ACK would complete the handshake of a connection while its listener's backlog is full. Linux drops such
    /// an ACK too: the SYN-ACK is retransmitted, and the peer acknowledges it again.
    pub(super) fn defers(&self, socket: &Socket, segment: &Parsed<'_>) -> bool {
        let control = segment.flags & (Flags::SYN | Flags::RST | Flags::ACK);
        socket
            .opening
            .is_some_and(|(id, _)| control == Flags::ACK && self.0[id.0].is_full())
    }

    /// A connection is established, and waits for the application.
    pub(super) fn waits(&mut self, id: ListenerId) {
        self.at(id).waiting += 1;
    }

    /// The application has taken a connection, or it is gone.
    pub(super) fn taken(&mut self, id: ListenerId) {
        self.at(id).waiting -= 1;
    }
}

impl Endpoint {
    /// Adds a listener: from now on, SYNs for its address and port begin connections. If several listeners match a SYN,
    /// one with a port goes before one without, then one with an address before one without.
    pub fn listen(&mut self, listener: Listener) -> Result<(), ListenError> {
        let mut all = self.listeners.0.iter_mut();
        if let Some(same) = all.find(|l| l.is_at(listener.address, listener.port)) {
            if same.is_open {
                return Err(ListenError::InUse);
            }
            (same.listener, same.is_open) = (listener, true);
            return Ok(());
        }
        self.listeners.0.push(Listening {
            listener,
            is_open: true,
            half_open: BTreeMap::new(),
            came: 0,
            waiting: 0,
            asked: HashMap::new(),
        });
        Ok(())
    }

    /// Ends the listener that has exactly this address and port; its connections go on, SYNs that wait for an answer
    /// are forgotten.
    pub fn unlisten(&mut self, address: Option<IpAddr>, port: Option<u16>) {
        for listening in &mut self.listeners.0 {
            if listening.is_at(address, port) {
                listening.is_open = false;
                listening.asked.clear();
            }
        }
    }

    /// A SYN arrives for which there is no connection. Returns whether a listener is there.
    pub(super) fn on_syn(&mut self, now: Time, syn: &Parsed<'_>) -> bool {
        let Some(id) = self.listeners.find(syn.endpoints.destination) else {
            return false;
        };
        // Data on it comes again.
        let syn = Parsed {
            payload: &[],
            ..*syn
        };
        let listening = self.listeners.at(id);
        let backlog = listening.listener.backlog;
        if listening.listener.asks {
            if listening.asked.len() < backlog && !listening.asked.contains_key(&syn.endpoints) {
                listening.asked.insert(syn.endpoints, syn);
                self.tell(Event::Asked(syn.endpoints));
            }
            return true;
        }
        if listening.is_full() {
            return true;
        }
        let oldest = listening
            .half_open
            .first_key_value()
            .map(|(_, &oldest)| oldest);
        if let Some(oldest) = oldest.filter(|_| listening.half_open.len() >= backlog) {
            self.forget(oldest);
        }
        self.answer_syn(now, id, &syn);
        true
    }

    /// Accepts a SYN of [`Event::Asked`], so that the handshake goes on, and returns the new connection; `None` if the
    /// SYN was answered before, its listener is gone, or a connection with its addresses is there meanwhile.
    pub fn accept(&mut self, now: Time, asked: Endpoints) -> Option<StreamId> {
        let id = self.listeners.find(asked.destination)?;
        let syn = self.listeners.at(id).asked.remove(&asked)?;
        self.answer_syn(now, id, &syn)
    }

    /// Declines a SYN of [`Event::Asked`]: by a reset if `tell`, else by silence, so that its sender tries again for as
    /// long as it likes.
    pub fn decline(&mut self, now: Time, asked: Endpoints, tell: bool) {
        let Some(id) = self.listeners.find(asked.destination) else {
            return;
        };
        if let Some(syn) = self.listeners.at(id).asked.remove(&asked)
            && tell
        {
            self.refuse(now, &syn, false);
        }
    }

    /// Begins the connection of a SYN.
    fn answer_syn(&mut self, now: Time, id: ListenerId, syn: &Parsed<'_>) -> Option<StreamId> {
        if self.table.find(&syn.endpoints).is_some() {
            return None;
        }
        let mut socket = self.socket(now, back(syn.endpoints));
        socket.connection.open_passive();
        socket.receive(now, syn);
        let listening = self.listeners.at(id);
        let place = (!listening.listener.asks).then_some(listening.came);
        socket.opening = place.map(|place| (id, place));
        let stream = self.add(syn.endpoints, socket);
        if let Some(place) = place {
            let listening = self.listeners.at(id);
            listening.came += 1;
            listening.half_open.insert(place, stream);
        }
        Some(stream)
    }

    /// A connection that came to a listener may be established now.
    pub(super) fn note_opening(&mut self, socket: &mut Socket, stream: StreamId) {
        let Some((id, place)) = socket.opening else {
            return;
        };
        if socket.connected {
            socket.opening = None;
            self.listeners.opened(id, place);
            socket.waiting = Some(id);
            self.listeners.waits(id);
            self.tell(Event::Accepted(stream));
        } else if socket.ending.is_some() {
            socket.opening = None;
            socket.released = true;
            self.listeners.opened(id, place);
        }
    }
}
