//! AODV: routes found when they are needed (RFC 3561).
//!
//! A station without a route floods a request (`discovery`: in growing rings, with retries); who hears
//! it learns the way back (`requests`), and the destination or somebody with a fresh route answers along
//! it (`replies`). Stations tell those who send through them when a link breaks (`errors`), which the link
//! layer has told, or the silence of a neighbour (`hello`). Each destination numbers its routes, so that
//! old news cannot make a loop (`table`).
//!
//! Not here: multicast, subnets (section 7), extensions (9), reboot (6.13), several interfaces (6.14).

mod config;
mod discovery;
mod errors;
mod hello;
mod message;
mod rate;
mod repair;
mod replies;
mod requests;
mod table;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use super::buffer::Buffer;
use super::damper::Damper;
use super::outbox::Outbox;
use super::seen::Seen;
use super::{Datagram, DropCause, Output, Packet, Seq};
use crate::radio::Address;
use crate::rng::Stream;
use crate::time::Time;

pub use config::Config;
use discovery::Discovery;
use hello::Hello;
pub use message::{Message, Rerr, Rrep, Rreq, Unreachable};
use rate::RateLimit;
use replies::Acknowledgments;
use table::Table;

/// AODV at one station (RFC 3561), without I/O of its own: routes are found when they are needed. `P` is the payload of
/// datagrams.
#[derive(Clone, Debug)]
pub struct Aodv<P> {
    own: Address,
    config: Config,
    /// The own sequence number (section 6.1).
    seq: Seq,
    /// Number of the newest own request.
    rreq_id: u32,
    table: Table,
    /// Requests seen within the last `PATH_DISCOVERY_TIME`, the own included.
    seen: Seen,
    /// Routes that are sought.
    discoveries: Vec<Discovery>,
    /// Datagrams that wait for routes.
    buffer: Buffer<P>,
    rreq_rate: RateLimit,
    rerr_rate: RateLimit,
    /// Neighbours whose requests are ignored, and until when.
    blacklist: Vec<(Address, Time)>,
    acknowledgments: Acknowledgments,
    hello: Hello,
    damper: Damper,
    /// Broadcasts that wait for their jitter.
    outbox: Outbox<(Message, u8)>,
    outputs: VecDeque<Output<P>>,
}

impl<P> Aodv<P> {
    /// AODV at station `own`, without any route yet. `config` must pass
    /// [`Described::check`](crate::parameter::Described::check); `jitter` is the station's own random stream for
    /// delays.
    pub fn new(own: Address, config: Config, jitter: Stream) -> Self {
        Self {
            own,
            seq: Seq(0),
            rreq_id: 0,
            table: Table::new(config.delete_period(), config.raise_on_break),
            seen: Seen::default(),
            discoveries: Vec::new(),
            buffer: Buffer::new(config.buffer_packets, config.buffer_time),
            rreq_rate: RateLimit::new(config.rreq_ratelimit),
            rerr_rate: RateLimit::new(config.rerr_ratelimit),
            blacklist: Vec::new(),
            acknowledgments: Acknowledgments::default(),
            hello: Hello::default(),
            damper: Damper::new(config.error_damping),
            outbox: Outbox::new(config.jitter, jitter),
            outputs: VecDeque::new(),
            config,
        }
    }

    /// Takes a datagram of the station's own: sends it to its next hop, delivers it here, or keeps it while a
    /// route is sought ([`super::Routing::originate`]).
    pub fn originate(&mut self, now: Time, datagram: Datagram<P>) {
        if datagram.destination == self.own {
            self.outputs.push_back(Output::Deliver(datagram));
        } else if datagram.destination.is_broadcast() {
            self.hello.sent_broadcast(now);
            self.send(Address::BROADCAST, Packet::Data(datagram));
        } else if let Some(next_hop) = self.use_route(now, datagram.destination) {
            self.send(next_hop, Packet::Data(datagram));
        } else {
            self.wait_for_route(now, datagram);
        }
    }

    /// Takes a packet that the MAC has received from the neighbour `from`: delivers, forwards, holds or drops a
    /// datagram, acts on a message of AODV, and discards those of other protocols ([`super::Routing::receive`]).
    pub fn receive(&mut self, now: Time, from: Address, packet: Packet<P>) {
        self.note_neighbour(now, from);
        match packet {
            Packet::Data(datagram) => self.on_data(now, from, datagram),
            Packet::Aodv { message, ttl } => {
                match message {
                    Message::Rreq(rreq) => self.on_rreq(now, from, ttl, rreq),
                    Message::Rrep(rrep) if rrep.is_hello() => self.on_hello(now, from, &rrep),
                    Message::Rrep(rrep) => self.on_rrep(now, from, ttl, rrep),
                    Message::Rerr(rerr) => self.on_rerr(now, from, &rerr),
                    Message::RrepAck => self.acknowledgments.received(from),
                }
                self.end_discoveries(now);
            }
            Packet::Dsdv(_) | Packet::Dsr(_) => {}
        }
    }

    fn on_data(&mut self, now: Time, from: Address, mut datagram: Datagram<P>) {
        let destination = datagram.destination;
        if destination.is_broadcast() {
            self.outputs.push_back(Output::Deliver(datagram));
            return;
        }
        // Section 6.2: the way back is as alive as the way there.
        let until = now + self.config.active_route_timeout;
        self.table.touch_by(now, datagram.source, from, until);
        self.table.touch_by(now, from, from, until);
        if destination == self.own {
            self.note_use(now);
            self.outputs.push_back(Output::Deliver(datagram));
        } else if datagram.ttl <= 1 {
            self.drop(datagram, DropCause::Ttl);
        } else {
            datagram.ttl -= 1;
            if let Some(next_hop) = self.use_route(now, destination) {
                self.send(next_hop, Packet::Data(datagram));
            } else if self.is_repairing(destination) {
                self.hold(now, datagram);
            } else {
                self.no_route(now, from, destination);
                self.drop(datagram, DropCause::NoRoute);
            }
        }
    }

    /// Whether the driver is to hand the MAC's other packets for `next_hop` to [`Self::link_failed`] too, now that one
    /// has failed: true if the settings say so and the link counts as broken ([`super::Routing::takes_queued`]).
    pub fn takes_queued(&self, now: Time, next_hop: Address) -> bool {
        let wanted = self.config.link_feedback && self.config.drop_queued;
        wanted && self.damper.counts(now, next_hop)
    }

    /// Takes a packet that the MAC has given up, as `next_hop` does not answer: breaks the routes through that
    /// neighbour, unless the settings ignore the failure, and drops a datagram or holds it while its route is repaired
    /// ([`super::Routing::link_failed`]).
    pub fn link_failed(&mut self, now: Time, next_hop: Address, packet: Packet<P>) {
        if !self.config.link_feedback || !self.damper.alarm(now, next_hop) {
            if let Packet::Data(datagram) = packet {
                self.drop(datagram, DropCause::LinkBroken);
            }
            return;
        }
        match packet {
            Packet::Data(datagram) => {
                self.begin_repair(now, next_hop, &datagram);
                self.link_broken(now, next_hop);
                if self.is_repairing(datagram.destination) {
                    self.hold(now, datagram);
                } else {
                    self.drop(datagram, DropCause::LinkBroken);
                }
            }
            Packet::Aodv { message, .. } => {
                if matches!(message, Message::Rrep(_)) {
                    self.put_on_blacklist(now, next_hop);
                }
                self.link_broken(now, next_hop);
            }
            Packet::Dsdv(_) | Packet::Dsr(_) => {}
        }
    }

    /// Time at which [`Self::on_timer`] is due; `None` for never ([`super::Routing::next_timer`]).
    pub fn next_timer(&self) -> Option<Time> {
        [
            self.outbox.next_timer(),
            self.discovery_timer(),
            self.buffer.next_timer(),
            self.hello.next_timer(),
            self.acknowledgments.next_timer(),
        ]
        .into_iter()
        .flatten()
        .min()
    }

    /// Acts on all that is due: delayed broadcasts, Hellos, requests without a reply, datagrams that waited too long
    /// ([`super::Routing::on_timer`]).
    pub fn on_timer(&mut self, now: Time) {
        while let Some((message, ttl)) = self.outbox.take(now) {
            self.send(Address::BROADCAST, Packet::Aodv { message, ttl });
        }
        self.on_hello_timer(now);
        self.on_acknowledgment_timer(now);
        self.on_discovery_timer(now);
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
    pub fn next_hop(&self, now: Time, destination: Address) -> Option<Address> {
        self.table.view(now, destination).map(|r| r.next_hop)
    }

    /// The next hop towards `destination`, if there is a route; it and the next hop's stay alive.
    #[inline]
    fn use_route(&mut self, now: Time, destination: Address) -> Option<Address> {
        let until = now + self.config.active_route_timeout;
        self.table.touch(now, destination, until);
        let next_hop = self.next_hop(now, destination)?;
        if next_hop != destination {
            self.table.touch(now, next_hop, until);
        }
        self.note_use(now);
        self.count_on(now, next_hop);
        Some(next_hop)
    }

    fn send(&mut self, next_hop: Address, packet: Packet<P>) {
        self.outputs.push_back(Output::Send { next_hop, packet });
    }

    fn drop(&mut self, datagram: Datagram<P>, cause: DropCause) {
        self.outputs.push_back(Output::Drop { datagram, cause });
    }

    /// Sends a message to all neighbours, after its jitter.
    fn broadcast(&mut self, now: Time, message: Message, ttl: u8) {
        self.hello.sent_broadcast(now);
        if let Some((message, ttl)) = self.outbox.hold(now, (message, ttl)) {
            self.send(Address::BROADCAST, Packet::Aodv { message, ttl });
        }
    }
}
