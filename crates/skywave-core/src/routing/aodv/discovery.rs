//! Seeking a route (RFC 3561 sections 6.3 and 6.4): rings that grow, then the whole network, with
//! waits that double.

use super::message::{Message, Rreq};
use super::{Aodv, Config};
use crate::radio::Address;
use crate::routing::{Datagram, DropCause, Packet};
use crate::time::{Duration, Time};

/// A route that is sought.
#[derive(Clone, Debug)]
pub(super) struct Discovery {
    pub(super) destination: Address,
    /// TTL of the current request.
    pub(super) ttl: u8,
    /// The current request was sent, and `due` is when its reply should have come; otherwise the rate
    /// limit holds it back until then.
    sent: bool,
    due: Time,
    /// Requests sent so far, and those of them with the largest TTL.
    requests: u32,
    floods: u32,
    /// The route is being repaired (section 6.12), and was this many hops long: there is one
    /// request only.
    pub(super) repair: Option<u8>,
}

impl Discovery {
    pub(super) fn new(now: Time, destination: Address, ttl: u8, repair: Option<u8>) -> Self {
        Self {
            destination,
            ttl,
            sent: false,
            due: now,
            requests: 0,
            floods: 0,
            repair,
        }
    }

    /// How long to wait for the reply to the current request.
    fn wait(&self, config: &Config) -> Duration {
        if self.ttl < config.net_diameter {
            return config.ring_traversal_time(self.ttl);
        }
        config.net_traversal_time() * (1 << self.floods.min(32))
    }

    /// Sets the TTL of the next request, if there is to be one.
    fn grow(&mut self, config: &Config) -> bool {
        if self.repair.is_some() {
            return false;
        }
        // The first request of all is no retry.
        let retries = self.floods - u32::from(self.requests == self.floods && self.floods > 0);
        let next = self.ttl.saturating_add(config.ttl_increment);
        self.ttl = if next <= config.ttl_threshold {
            next
        } else {
            config.net_diameter
        };
        self.ttl < config.net_diameter || retries < u32::from(config.rreq_retries)
    }
}

impl<P> Aodv<P> {
    /// A datagram of our own needs a route that we do not have.
    pub(super) fn wait_for_route(&mut self, now: Time, datagram: Datagram<P>) {
        let destination = datagram.destination;
        self.hold(now, datagram);
        self.discover(now, destination);
    }

    /// Puts a datagram into the buffer.
    pub(super) fn hold(&mut self, now: Time, datagram: Datagram<P>) {
        if let Some(oldest) = self.buffer.push(now, datagram) {
            self.drop(oldest, DropCause::BufferFull);
        }
    }

    /// Begins to seek a route, if none is sought yet.
    pub(super) fn discover(&mut self, now: Time, destination: Address) {
        if self.discovery(destination).is_some() {
            return;
        }
        let config = &self.config;
        let ttl = match self.table.get(now, destination) {
            Some(route) if route.hops > 0 => route.hops.saturating_add(config.ttl_increment),
            _ => config.ttl_start,
        };
        let ttl = ttl.min(config.net_diameter);
        self.seek(now, Discovery::new(now, destination, ttl, None));
    }

    /// Sends the first request of a discovery.
    pub(super) fn seek(&mut self, now: Time, mut discovery: Discovery) {
        self.request(now, &mut discovery);
        self.discoveries.push(discovery);
    }

    pub(super) fn discovery(&self, destination: Address) -> Option<&Discovery> {
        self.discoveries
            .iter()
            .find(|d| d.destination == destination)
    }

    pub(super) fn discovery_timer(&self) -> Option<Time> {
        self.discoveries.iter().map(|d| d.due).min()
    }

    /// Sends a request, or puts it off until the rate limit lets it.
    fn request(&mut self, now: Time, discovery: &mut Discovery) {
        if let Err(free) = self.rreq_rate.take(now) {
            (discovery.sent, discovery.due) = (false, free);
            return;
        }
        discovery.sent = true;
        discovery.due = now + discovery.wait(&self.config);
        discovery.requests += 1;
        discovery.floods += u32::from(discovery.ttl == self.config.net_diameter);

        let remember = now + self.config.net_traversal_time() * 2;
        let destination_seq = self
            .table
            .get(now, discovery.destination)
            .and_then(|route| {
                route.extend(remember);
                route.seq
            });
        self.seq = self.seq.next();
        self.rreq_id = self.rreq_id.wrapping_add(1);
        let forget = now + self.config.path_discovery_time();
        self.seen.is_new(now, self.own, self.rreq_id, forget);
        let rreq = Rreq {
            gratuitous: self.config.gratuitous_rrep,
            destination_only: self.config.destination_only,
            hop_count: 0,
            id: self.rreq_id,
            destination: discovery.destination,
            destination_seq,
            originator: self.own,
            originator_seq: self.seq,
        };
        self.broadcast(now, Message::Rreq(rreq), discovery.ttl);
    }

    /// Requests whose reply has not come, and those that were put off.
    pub(super) fn on_discovery_timer(&mut self, now: Time) {
        for mut discovery in std::mem::take(&mut self.discoveries) {
            if discovery.due > now {
                self.discoveries.push(discovery);
            } else if !discovery.sent || discovery.grow(&self.config) {
                self.seek(now, discovery);
            } else {
                self.give_up(now, &discovery);
            }
        }
    }

    /// Ends a discovery that found no route: drops the datagrams that wait for it, or gives up the
    /// repair.
    fn give_up(&mut self, now: Time, discovery: &Discovery) {
        let destination = discovery.destination;
        if discovery.repair.is_some() {
            self.repair_failed(now, destination);
            return;
        }
        while let Some(datagram) = self.buffer.take(destination, |_| true) {
            self.drop(datagram, DropCause::NoRoute);
        }
    }

    /// Some route may have been found: sends the datagrams that wait for it.
    pub(super) fn end_discoveries(&mut self, now: Time) {
        let mut at = 0;
        while let Some(discovery) = self.discoveries.get(at) {
            let destination = discovery.destination;
            let Some(route) = self.table.view(now, destination) else {
                at += 1;
                continue;
            };
            let longer = discovery.repair.is_some_and(|hops| route.hops > hops);
            self.discoveries.remove(at);
            if longer {
                self.tell_of_repair(now, destination, true);
            }
            while let Some(datagram) = self.buffer.take(destination, |_| true) {
                if let Some(next_hop) = self.use_route(now, destination) {
                    self.send(next_hop, Packet::Data(datagram));
                }
            }
        }
    }
}
