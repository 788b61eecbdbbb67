//! Seeking routes (RFC 4728 sections 3.1, 3.3 and 8.2).

use super::Dsr;
use super::message::{Content, MOST_HOPS, Message, Request};
use crate::radio::Address;
use crate::routing::{Datagram, DropCause};
use crate::time::{Duration, Time};

/// How long a request is remembered: longer than copies of it are under way.
const REMEMBERED: Duration = Duration::from_secs(30);

/// A route that is sought.
#[derive(Clone, Debug)]
pub(super) struct Discovery {
    target: Address,
    /// When the next request is due, unless a route is found.
    due: Time,
    /// Requests to the whole network so far.
    floods: u32,
}

impl<P> Dsr<P> {
    /// A datagram of our own needs a route that we do not have.
    pub(super) fn wait_for_route(&mut self, now: Time, datagram: Datagram<P>) {
        let target = datagram.destination;
        if let Some(oldest) = self.buffer.push(now, datagram) {
            self.drop(oldest, DropCause::BufferFull);
        }
        if self.discoveries.iter().any(|d| d.target == target) || !self.buffer.has(target) {
            return;
        }
        let mut discovery = Discovery {
            target,
            due: now,
            floods: 0,
        };
        if self.config.ask_neighbours {
            self.request(now, target, 1);
            discovery.due = now + self.config.nonprop_request_timeout;
        } else {
            self.flood(now, &mut discovery);
        }
        self.discoveries.push(discovery);
    }

    /// Asks the whole network. The wait for an answer doubles each time.
    fn flood(&mut self, now: Time, discovery: &mut Discovery) {
        self.request(now, discovery.target, self.config.discovery_hop_limit);
        let wait = self.config.request_period * (1 << discovery.floods.min(32));
        discovery.due = now + wait.min(self.config.max_request_period);
        discovery.floods += 1;
    }

    fn request(&mut self, now: Time, target: Address, ttl: u8) {
        self.request_id = self.request_id.wrapping_add(1);
        let request = Request {
            id: self.request_id,
            target,
            path: vec![self.own],
            ttl,
        };
        self.broadcast(now, request);
    }

    pub(super) fn discovery_timer(&self) -> Option<Time> {
        self.discoveries.iter().map(|d| d.due).min()
    }

    /// Requests whose reply has not come.
    pub(super) fn on_discovery_timer(&mut self, now: Time) {
        for mut discovery in std::mem::take(&mut self.discoveries) {
            let target = discovery.target;
            if discovery.due > now {
                self.discoveries.push(discovery);
            } else if !self.buffer.has(target) {
                // Nothing waits for the route any more.
            } else if discovery.floods <= u32::from(self.config.max_request_rexmt) {
                self.flood(now, &mut discovery);
                self.discoveries.push(discovery);
            } else {
                while let Some(datagram) = self.buffer.take(target, |_| true) {
                    self.drop(datagram, DropCause::NoRoute);
                }
            }
        }
    }

    /// Some routes may have become known: sends the datagrams that wait for them.
    pub(super) fn end_discoveries(&mut self, now: Time) {
        let mut at = 0;
        while let Some(&Discovery { target, .. }) = self.discoveries.get(at) {
            if self.cache.next_hop(now, target).is_none() {
                at += 1;
                continue;
            }
            self.discoveries.remove(at);
            while let Some(datagram) = self.buffer.take(target, |_| true) {
                self.originate(now, datagram);
            }
        }
    }

    /// A neighbour asks, for itself or for others.
    pub(super) fn on_request(&mut self, now: Time, mut request: Request) {
        if request.path.contains(&self.own) {
            return;
        }
        let back: Vec<Address> = request.path.iter().rev().copied().collect();
        self.cache.learn(now, &back);
        let Some(&originator) = request.path.first() else {
            return;
        };
        request.path.push(self.own);
        if request.target == self.own {
            // Each copy is answered: they have come by different ways.
            return self.reply(request.path, &back);
        }
        let forget = now + REMEMBERED;
        if !self.seen.is_new(now, originator, request.id, forget) {
            return;
        }
        if let Some(path) = self.known_path(now, &request) {
            return self.reply(path, &back);
        }
        if request.ttl > 1 && request.path.len() <= MOST_HOPS {
            request.ttl -= 1;
            self.broadcast(now, request);
        }
    }

    /// The path that the request has come by and the rest of the way from the cache, unless a
    /// station is in both.
    fn known_path(&mut self, now: Time, request: &Request) -> Option<Vec<Address>> {
        if !self.config.cached_replies {
            return None;
        }
        let rest = self.cache.route(now, request.target)?;
        let rest = &rest[1..];
        let twice = rest.iter().any(|station| request.path.contains(station));
        let hops = request.path.len() + rest.len() - 1;
        if twice || hops > MOST_HOPS {
            return None;
        }
        let mut path = request.path.clone();
        path.extend_from_slice(rest);
        Some(path)
    }

    /// Sends a path to the station that seeks it, by the way that its request has come.
    fn reply(&mut self, path: Vec<Address>, back: &[Address]) {
        let mut route = vec![self.own];
        route.extend_from_slice(back);
        self.start(route, 0, Content::Reply(path));
    }

    /// Sends a request to all neighbours, after its jitter.
    fn broadcast(&mut self, now: Time, request: Request) {
        if let Some(request) = self.outbox.hold(now, request) {
            self.send(Address::BROADCAST, Message::Request(request));
        }
    }
}
