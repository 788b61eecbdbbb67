//! DSR: packets carry their whole route (RFC 4728).
//!
//! A station without a route asks its neighbours, then everybody (`discovery`); requests gather the stations that
//! they come by, and the answer brings them back. All that is heard of routes is kept (`cache`), also by those who
//! pass packets on. The MAC tells when a neighbour does not answer; the source hears of it by an error
//! (`maintenance`).
//!
//! Not here: promiscuous listening and what follows from it (routes overheard, shortened or acknowledged passively,
//! replies held back while others answer), acknowledgments of DSR's own, errors in requests, data in requests,
//! flow state (section 3.5), blacklists of one-way links, several interfaces, links to outside.

mod cache;
mod config;
mod discovery;
mod maintenance;
mod message;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use super::buffer::Buffer;
use super::damper::Damper;
use super::outbox::Outbox;
use super::seen::Seen;
use super::{Datagram, DropCause, Output, Packet};
use crate::radio::Address;
use crate::rng::Stream;
use crate::time::Time;

use cache::Cache;
pub use config::Config;
use discovery::Discovery;
pub use message::{Content, Link, MOST_HOPS, Message, Request, Routed};

/// DSR at one station (RFC 4728), without I/O of its own: packets carry their whole route, which is found when it is
/// needed. `P` is the payload of datagrams.
#[derive(Clone, Debug)]
pub struct Dsr<P> {
    own: Address,
    config: Config,
    cache: Cache,
    /// Number of the newest own request.
    request_id: u32,
    /// Requests seen of late.
    seen: Seen,
    /// Routes that are sought.
    discoveries: Vec<Discovery>,
    /// Datagrams that wait for routes.
    buffer: Buffer<P>,
    /// The last error: when it was sent, to whom, and the neighbour that did not answer.
    told: Option<(Time, Address, Address)>,
    damper: Damper,
    /// Requests that wait for their jitter.
    outbox: Outbox<Request>,
    outputs: VecDeque<Output<P>>,
}

impl<P> Dsr<P> {
    /// DSR at station `own`, without any route yet. `config` must pass
    /// [`Described::check`](crate::parameter::Described::check); `jitter` is the station's own random stream for
    /// delays.
    pub fn new(own: Address, config: Config, jitter: Stream) -> Self {
        Self {
            own,
            cache: Cache::new(own, config.route_cache_timeout),
            request_id: 0,
            seen: Seen::default(),
            discoveries: Vec::new(),
            buffer: Buffer::new(config.buffer_packets, config.buffer_time),
            told: None,
            damper: Damper::new(config.error_damping),
            outbox: Outbox::new(config.jitter, jitter),
            outputs: VecDeque::new(),
            config,
        }
    }

    /// Takes a datagram of the station's own: sends it with a source route, delivers it here, or keeps it
    /// while a route is sought ([`super::Routing::originate`]).
    pub fn originate(&mut self, now: Time, datagram: Datagram<P>) {
        if datagram.destination == self.own {
            self.outputs.push_back(Output::Deliver(datagram));
        } else if datagram.destination.is_broadcast() {
            let next_hop = Address::BROADCAST;
            let packet = Packet::Data(datagram);
            self.outputs.push_back(Output::Send { next_hop, packet });
        } else if let Some(route) = self.cache.route(now, datagram.destination) {
            self.start(route, 0, Content::Datagram(datagram));
        } else {
            self.wait_for_route(now, datagram);
        }
    }

    /// Takes a packet that the MAC has received: delivers a datagram without DSR's header, acts on a packet of DSR, and
    /// discards messages of other protocols ([`super::Routing::receive`]).
    pub fn receive(&mut self, now: Time, _from: Address, packet: Packet<P>) {
        match packet {
            Packet::Data(datagram) => self.outputs.push_back(Output::Deliver(datagram)),
            Packet::Dsr(message) => match *message {
                Message::Request(request) => self.on_request(now, request),
                Message::Routed(routed) => self.on_routed(now, routed),
            },
            Packet::Aodv { .. } | Packet::Dsdv(_) => {}
        }
        self.end_discoveries(now);
    }

    /// A packet has come one hop of its route.
    fn on_routed(&mut self, now: Time, mut routed: Routed<P>) {
        if routed.next_hop() != Some(self.own) {
            return;
        }
        routed.at += 1;
        self.learn_from(now, &routed);
        if routed.next_hop().is_none() {
            if let Content::Datagram(datagram) = routed.content {
                self.outputs.push_back(Output::Deliver(datagram));
            }
            return;
        }
        match &mut routed.content {
            Content::Datagram(datagram) if datagram.ttl > 1 => datagram.ttl -= 1,
            Content::Datagram(_) => return self.drop_routed(routed, DropCause::Ttl),
            Content::Reply(_) | Content::Error(_) => {}
        }
        self.forward(routed);
    }

    /// Learns from a packet: the routes to both ends of its own, and what its contents tell of
    /// routes.
    fn learn_from(&mut self, now: Time, routed: &Routed<P>) {
        let at = usize::from(routed.at);
        let back: Vec<Address> = routed.route[..at].iter().rev().copied().collect();
        self.cache.learn(now, &back);
        self.cache.learn(now, &routed.route[at + 1..]);
        match &routed.content {
            Content::Datagram(_) => {}
            Content::Reply(path) => {
                if let Some(at) = path.iter().position(|&station| station == self.own) {
                    self.cache.learn(now, &path[at + 1..]);
                }
            }
            Content::Error(link) => self.cache.break_link(*link),
        }
    }

    /// Whether the driver is to hand the MAC's other packets for `next_hop` to [`Self::link_failed`] too, now that one
    /// has failed: true if the settings say so and the link counts as broken ([`super::Routing::takes_queued`]).
    pub fn takes_queued(&self, now: Time, next_hop: Address) -> bool {
        self.config.drop_queued && self.damper.counts(now, next_hop)
    }

    /// Takes a packet that the MAC has given up, as `next_hop` does not answer: forgets the routes over that link,
    /// tells the packet's source, and drops a datagram, or with [`Config::salvage`] sends it by another route if there
    /// is one. The settings may ignore a single failure ([`super::Routing::link_failed`]).
    pub fn link_failed(&mut self, now: Time, next_hop: Address, packet: Packet<P>) {
        let counts = self.damper.alarm(now, next_hop);
        match packet {
            Packet::Data(datagram) => self.drop(datagram, DropCause::LinkBroken),
            Packet::Dsr(message) => {
                if let Message::Routed(routed) = *message {
                    if counts {
                        self.on_break(now, next_hop, routed);
                    } else {
                        self.drop_routed(routed, DropCause::LinkBroken);
                    }
                }
            }
            Packet::Aodv { .. } | Packet::Dsdv(_) => {}
        }
    }

    /// Time at which [`Self::on_timer`] is due; `None` for never ([`super::Routing::next_timer`]).
    pub fn next_timer(&self) -> Option<Time> {
        let timers = [
            self.outbox.next_timer(),
            self.discovery_timer(),
            self.buffer.next_timer(),
        ];
        timers.into_iter().flatten().min()
    }

    /// Acts on all that is due: delayed requests, requests without a reply, datagrams that waited too long
    /// ([`super::Routing::on_timer`]).
    pub fn on_timer(&mut self, now: Time) {
        while let Some(request) = self.outbox.take(now) {
            self.send(Address::BROADCAST, Message::Request(request));
        }
        while let Some(datagram) = self.buffer.take_expired(now) {
            self.drop(datagram, DropCause::BufferTimeout);
        }
        self.on_discovery_timer(now);
    }

    /// The next action for the driver; `None` if there are no more ([`super::Routing::poll`]).
    #[must_use]
    pub fn poll(&mut self) -> Option<Output<P>> {
        self.outputs.pop_front()
    }

    /// Neighbour to which a datagram for `destination` would go now; `None` without a route
    /// ([`super::Routing::next_hop`]).
    pub fn next_hop(&self, now: Time, destination: Address) -> Option<Address> {
        self.cache.next_hop(now, destination)
    }

    /// Sends something on a route that begins here.
    fn start(&mut self, route: Vec<Address>, salvaged: u8, content: Content<P>) {
        self.forward(Routed {
            route,
            at: 0,
            salvaged,
            content,
        });
    }

    /// Sends a packet to the next station of its route.
    fn forward(&mut self, routed: Routed<P>) {
        if let Some(next_hop) = routed.next_hop() {
            self.send(next_hop, Message::Routed(routed));
        }
    }

    fn send(&mut self, next_hop: Address, message: Message<P>) {
        let packet = Packet::Dsr(Box::new(message));
        self.outputs.push_back(Output::Send { next_hop, packet });
    }

    fn drop_routed(&mut self, routed: Routed<P>, cause: DropCause) {
        if let Content::Datagram(datagram) = routed.content {
            self.drop(datagram, cause);
        }
    }

    fn drop(&mut self, datagram: Datagram<P>, cause: DropCause) {
        self.outputs.push_back(Output::Drop { datagram, cause });
    }
}
