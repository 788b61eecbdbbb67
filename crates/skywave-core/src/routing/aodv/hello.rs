//! Hello messages (RFC 3561 section 6.9) and neighbours that fall silent (6.10).

use super::Aodv;
use super::message::{Message, Rrep};
use crate::radio::Address;
use crate::time::Time;

/// State of a neighbour whose messages are heard.
#[derive(Clone, Copy, Debug)]
struct Neighbour {
    address: Address,
    /// The newest packet of any kind.
    heard: Time,
}

/// The own Hellos, and those of neighbours.
#[derive(Clone, Debug, Default)]
pub(super) struct Hello {
    /// When it is next decided whether to send one; `None` when no data passes.
    due: Option<Time>,
    last_broadcast: Option<Time>,
    /// When a route was last used for data.
    last_use: Time,
    /// Neighbours that are counted on and were not silent for too long.
    neighbours: Vec<Neighbour>,
    /// No neighbour is silent for too long before this.
    check: Option<Time>,
}

impl Hello {
    pub(super) fn sent_broadcast(&mut self, now: Time) {
        self.last_broadcast = Some(now);
    }

    pub(super) fn next_timer(&self) -> Option<Time> {
        self.due.into_iter().chain(self.check).min()
    }
}

impl<P> Aodv<P> {
    /// Data passes here: we are part of an active route.
    #[inline]
    pub(super) fn note_use(&mut self, now: Time) {
        if self.config.hello {
            self.hello.last_use = now;
            let due = now + self.config.hello_interval;
            self.hello.due.get_or_insert(due);
        }
    }

    /// Something was heard of a neighbour.
    #[inline]
    pub(super) fn note_neighbour(&mut self, now: Time, from: Address) {
        let mut neighbours = self.hello.neighbours.iter_mut();
        if let Some(neighbour) = neighbours.find(|n| n.address == from) {
            neighbour.heard = now;
        }
    }

    pub(super) fn on_hello(&mut self, now: Time, from: Address, rrep: &Rrep) {
        let until = now + rrep.lifetime;
        let seq = Some(rrep.destination_seq);
        self.table.heard(now, from, seq, until);
        self.count_on(now, from);
    }

    /// A neighbour that has sent a Hello, or that data are sent to, which will make it send them, is
    /// expected to be heard again.
    #[inline]
    pub(super) fn count_on(&mut self, now: Time, address: Address) {
        let mut neighbours = self.hello.neighbours.iter();
        if self.config.hello && neighbours.all(|n| n.address != address) {
            let heard = now;
            self.hello.neighbours.push(Neighbour { address, heard });
            let silence = now + self.config.hello_silence();
            self.hello.check.get_or_insert(silence);
        }
    }

    pub(super) fn on_hello_timer(&mut self, now: Time) {
        if self.hello.due.is_some_and(|due| due <= now) {
            self.say_hello(now);
        }
        if self.hello.check.is_some_and(|check| check <= now) {
            self.find_silent_neighbours(now);
        }
    }

    /// An interval is over: a Hello, unless a broadcast has said the same.
    fn say_hello(&mut self, now: Time) {
        if self.hello.last_use + self.config.active_route_timeout <= now {
            self.hello.due = None;
            return;
        }
        let interval = self.config.hello_interval;
        self.hello.due = Some(now + interval);
        let spoken = |last: Time| last + interval > now;
        if self.hello.last_broadcast.is_some_and(spoken) {
            return;
        }
        let hello = Rrep {
            ack_required: false,
            hop_count: 0,
            destination: self.own,
            destination_seq: self.seq,
            originator: self.own,
            lifetime: self.config.hello_silence(),
        };
        self.broadcast(now, Message::Rrep(hello), 1);
    }

    fn find_silent_neighbours(&mut self, now: Time) {
        let silence = self.config.hello_silence();
        let mut at = 0;
        while let Some(&Neighbour { address, heard }) = self.hello.neighbours.get(at) {
            if heard + silence > now {
                at += 1;
                continue;
            }
            self.hello.neighbours.remove(at);
            self.link_broken(now, address);
        }
        let oldest = self.hello.neighbours.iter().map(|n| n.heard).min();
        self.hello.check = oldest.map(|heard| heard + silence);
    }
}
