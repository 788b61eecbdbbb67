//! DSDV: every station knows a route to every other, all the time (Perkins and Bhagwat 1994).
//!
//! Stations tell their neighbours how far all others are: everything from time to time, and changes soon (`updates`).
//! Each destination numbers its routes, and a station takes the newest, of several the shortest (`table`), so that no
//! loop can arise. A break has the next number, an odd one, and the destination answers it by an even one above.
//!
//! Not here: addresses of layer 2 in the updates, base stations, and messages whose changes would not fit into one
//! packet as a reason for a full update.

mod config;
mod message;
mod table;
#[cfg(test)]
mod tests;
mod updates;

use std::collections::VecDeque;

use super::buffer::Buffer;
use super::{Datagram, DropCause, Output, Packet, Seq};
use crate::radio::Address;
use crate::rng::Stream;
use crate::time::{Duration, Time};

pub use config::Config;
pub use message::{Entry, Update};
use table::Table;
use updates::Schedule;

/// DSDV at one station (Perkins and Bhagwat 1994), without I/O of its own: keeps routes to all stations at all times.
/// `P` is the payload of datagrams.
#[derive(Clone, Debug)]
pub struct Dsdv<P> {
    own: Address,
    config: Config,
    /// The own number: even.
    seq: Seq,
    /// The next update is to have it.
    tell_own: bool,
    table: Table,
    /// Neighbours, and when their last update came.
    heard: Vec<(Address, Time)>,
    schedule: Schedule,
    /// Datagrams of the station's own that wait for a route.
    buffer: Buffer<P>,
    outputs: VecDeque<Output<P>>,
}

impl<P> Dsdv<P> {
    /// DSDV at station `own`, without any route yet. `config` must pass
    /// [`Described::check`](crate::parameter::Described::check); `jitter` is the station's own random stream for
    /// delays.
    pub fn new(own: Address, config: Config, jitter: Stream) -> Self {
        let first = if config.jitter.is_zero() {
            Duration::ZERO
        } else {
            config.trigger_gap
        };
        Self {
            own,
            seq: Seq(0),
            tell_own: false,
            table: Table::default(),
            heard: Vec::new(),
            schedule: Schedule::new(jitter, first),
            buffer: Buffer::new(config.buffer_packets, config.buffer_time),
            outputs: VecDeque::new(),
            config,
        }
    }

    /// Takes a datagram of the station's own: sends it to its next hop, delivers it here, or keeps it until
    /// there is a route ([`super::Routing::originate`]).
    pub fn originate(&mut self, now: Time, datagram: Datagram<P>) {
        if datagram.destination == self.own {
            self.outputs.push_back(Output::Deliver(datagram));
        } else if datagram.destination.is_broadcast() {
            self.send(Address::BROADCAST, Packet::Data(datagram));
        } else if let Some(next_hop) = self.table.next_hop(datagram.destination) {
            self.send(next_hop, Packet::Data(datagram));
        } else if let Some(oldest) = self.buffer.push(now, datagram) {
            self.drop(oldest, DropCause::BufferFull);
        }
    }

    /// Takes a packet that the MAC has received from the neighbour `from`: delivers, forwards or drops a datagram, acts
    /// on an update of DSDV, and discards messages of other protocols ([`super::Routing::receive`]).
    pub fn receive(&mut self, now: Time, from: Address, packet: Packet<P>) {
        match packet {
            Packet::Data(datagram) => self.on_data(datagram),
            Packet::Dsdv(update) => self.on_update(now, from, &update),
            Packet::Aodv { .. } | Packet::Dsr(_) => {}
        }
    }

    fn on_data(&mut self, mut datagram: Datagram<P>) {
        let destination = datagram.destination;
        if destination.is_broadcast() || destination == self.own {
            self.outputs.push_back(Output::Deliver(datagram));
        } else if datagram.ttl <= 1 {
            self.drop(datagram, DropCause::Ttl);
        } else if let Some(next_hop) = self.table.next_hop(destination) {
            datagram.ttl -= 1;
            self.send(next_hop, Packet::Data(datagram));
        } else {
            self.drop(datagram, DropCause::NoRoute);
        }
    }

    /// Whether the driver is to hand the MAC's other packets for a neighbour to [`Self::link_failed`] too, now that one
    /// has failed: true if the settings say so ([`super::Routing::takes_queued`]).
    pub fn takes_queued(&self, _now: Time, _next_hop: Address) -> bool {
        self.config.link_feedback && self.config.drop_queued
    }

    /// Takes a packet that the MAC has given up, as `next_hop` does not answer: breaks the routes through that
    /// neighbour if the settings say so, and drops a datagram ([`super::Routing::link_failed`]).
    pub fn link_failed(&mut self, now: Time, next_hop: Address, packet: Packet<P>) {
        if self.config.link_feedback {
            self.link_broken(now, next_hop);
        }
        if let Packet::Data(datagram) = packet {
            self.drop(datagram, DropCause::LinkBroken);
        }
    }

    /// Time at which [`Self::on_timer`] is due; never `None` ([`super::Routing::next_timer`]).
    pub fn next_timer(&self) -> Option<Time> {
        let update = self.schedule.next_timer();
        Some(self.buffer.next_timer().map_or(update, |at| at.min(update)))
    }

    /// Acts on all that is due: sends an update, and drops datagrams that waited too long
    /// ([`super::Routing::on_timer`]).
    pub fn on_timer(&mut self, now: Time) {
        self.on_update_timer(now);
        while let Some(datagram) = self.buffer.take_expired(now) {
            self.drop(datagram, DropCause::BufferTimeout);
        }
    }

    /// The next action for the driver; `None` if there are no more ([`super::Routing::poll`]).
    #[must_use]
    pub fn poll(&mut self) -> Option<Output<P>> {
        self.outputs.pop_front()
    }

    /// Neighbour to which a datagram for `destination` would go now; `None` without a route
    /// ([`super::Routing::next_hop`]).
    pub fn next_hop(&self, _now: Time, destination: Address) -> Option<Address> {
        self.table.next_hop(destination)
    }

    /// Sends what waits for `destination`, if there is a route now.
    fn end_wait(&mut self, destination: Address) {
        if let Some(next_hop) = self.table.next_hop(destination) {
            while let Some(datagram) = self.buffer.take(destination, |_| true) {
                self.send(next_hop, Packet::Data(datagram));
            }
        }
    }

    fn send(&mut self, next_hop: Address, packet: Packet<P>) {
        self.outputs.push_back(Output::Send { next_hop, packet });
    }

    fn drop(&mut self, datagram: Datagram<P>, cause: DropCause) {
        self.outputs.push_back(Output::Drop { datagram, cause });
    }
}
