//! The route table: what is taken of an update, and when others are to hear of it.

use super::config::Config;
use super::message::Entry;
use crate::radio::Address;
use crate::routing::Seq;
use crate::time::{Duration, Time};

/// A station's knowledge of one destination. It is never forgotten, and its number never falls: this is why no loop
/// can arise.
#[derive(Clone, Debug)]
pub(super) struct Route {
    pub(super) destination: Address,
    pub(super) seq: Seq,
    /// `None`: unreachable.
    pub(super) hops: Option<u8>,
    pub(super) next_hop: Address,
    /// When something was first heard of this number, and when the best route of this number came.
    first: Time,
    best: Time,
    /// Mean time from one to the other, of earlier numbers.
    settling: Duration,
    /// From when on neighbours are to be told of a change; `None` if there is none to tell before the next full
    /// update.
    pub(super) tell: Option<Time>,
}

impl Route {
    /// Hops are one more than at the neighbour that has told of them.
    fn entry(&self) -> Entry {
        Entry {
            destination: self.destination,
            seq: self.seq,
            hops: self.hops,
        }
    }

    /// A number is over: its settling time counts an eighth.
    fn settle(&mut self) {
        let last = self.best.since(self.first);
        self.settling = (self.settling * 7 + last) / 8;
    }

    /// Takes a route of a newer number.
    fn renew(&mut self, now: Time, seq: Seq, hops: Option<u8>, from: Address, at_once: bool) {
        if self.hops.is_some() {
            self.settle();
        }
        self.tell = match (self.hops, hops) {
            (Some(old), Some(new)) if old == new => {
                let earlier = self.tell;
                if at_once { Some(now) } else { earlier }
            }
            (Some(_), Some(_)) => Some(now + self.settling),
            _ => Some(now),
        };
        (self.seq, self.hops, self.next_hop) = (seq, hops, from);
        (self.first, self.best) = (now, now);
    }
}

/// All routes that a station knows.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    /// For each address its place in `routes`, and one more.
    index: Vec<u16>,
    routes: Vec<Route>,
}

impl Table {
    fn place(&self, destination: Address) -> Option<usize> {
        let at = *self.index.get(usize::from(destination.0))?;
        usize::from(at).checked_sub(1)
    }

    /// The next hop to `destination`, if it can be reached.
    #[inline]
    pub(super) fn next_hop(&self, destination: Address) -> Option<Address> {
        let route = &self.routes[self.place(destination)?];
        route.hops.map(|_| route.next_hop)
    }

    /// Neighbour `from` says this of a destination. Returns when others are to be told, if they are.
    pub(super) fn offer(
        &mut self,
        now: Time,
        from: Address,
        entry: Entry,
        config: &Config,
    ) -> Option<Time> {
        let Entry {
            destination, seq, ..
        } = entry;
        let hops = entry.hops.map(|hops| hops.saturating_add(1));
        let Some(at) = self.place(destination) else {
            hops?;
            self.add(Route {
                destination,
                seq,
                hops,
                next_hop: from,
                first: now,
                best: now,
                settling: config.settling_time,
                tell: Some(now),
            });
            return Some(now);
        };
        let route = &mut self.routes[at];
        if seq.is_newer_than(route.seq) {
            route.renew(now, seq, hops, from, config.trigger_on_seq);
            return route.tell;
        }
        match (route.hops, hops) {
            // The same number, and a shorter way.
            (Some(old), Some(new)) if seq == route.seq && new < old => {
                (route.hops, route.next_hop, route.best) = (hops, from, now);
                route.tell = route.tell.or(Some(now));
                route.tell
            }
            // The neighbour has lost what is still known here by a newer number: it is told of that.
            (Some(_), None) if route.seq.is_newer_than(seq) => {
                route.tell = route.tell.or(Some(now));
                route.tell
            }
            _ => None,
        }
    }

    fn add(&mut self, route: Route) {
        let place = route.destination.place_in(&mut self.index, 0);
        self.routes.push(route);
        *place = self.routes.len() as u16;
    }

    /// `next_hop` cannot be reached: nor can any destination by way of it. Each gets an odd number, above the one that
    /// the destination gave and below its next. Returns whether there was any.
    pub(super) fn break_off(&mut self, now: Time, next_hop: Address) -> bool {
        let mut any = false;
        for route in &mut self.routes {
            if route.next_hop == next_hop && route.hops.is_some() {
                route.settle();
                (route.seq, route.hops) = (route.seq.next(), None);
                route.tell = Some(now);
                any = true;
            }
        }
        any
    }

    /// Entries that neighbours are to be told now: every route that has settled if `all`, otherwise
    /// those of them that have changed. None counts as changed afterwards.
    pub(super) fn tell(&mut self, now: Time, all: bool) -> impl Iterator<Item = Entry> {
        let told = move |route: &mut Route| match route.tell {
            Some(from) if from > now => None,
            None if !all => None,
            _ => {
                route.tell = None;
                Some(route.entry())
            }
        };
        self.routes.iter_mut().filter_map(told)
    }

    /// When there is next something to tell.
    pub(super) fn next_tell(&self) -> Option<Time> {
        self.routes.iter().filter_map(|route| route.tell).min()
    }
}
