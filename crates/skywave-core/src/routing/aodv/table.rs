//! The route table (RFC 3561 sections 6.1 and 6.2).
//!
//! Routes expire without a timer: an entry is brought up to date when it is looked at.

use crate::radio::Address;
use crate::routing::Seq;
use crate::time::{Duration, Time};

/// A station's knowledge of one destination.
#[derive(Clone, Debug)]
pub(super) struct Route {
    pub(super) destination: Address,
    /// The newest known sequence number, raised when the route breaks (unless breaks raise none).
    pub(super) seq: Option<Seq>,
    /// Valid-sequence-number flag: the destination itself has given `seq` with this route. A route that
    /// rests on having heard a neighbour has none, but its last number remains, so that nothing
    /// older is believed.
    pub(super) known: bool,
    /// Whether the route may be used, until `lifetime`. Otherwise it is only remembered until then.
    pub(super) valid: bool,
    pub(super) hops: u8,
    pub(super) next_hop: Address,
    pub(super) lifetime: Time,
    /// Neighbours that may send to the destination through this station, by address.
    pub(super) precursors: Vec<Address>,
}

impl Route {
    /// Adds a neighbour that is to be told of this route's end.
    pub(super) fn add_precursor(&mut self, neighbour: Address) {
        if let Err(at) = self.precursors.binary_search(&neighbour) {
            self.precursors.insert(at, neighbour);
        }
    }

    /// Extends the lifetime to `until`.
    pub(super) fn extend(&mut self, until: Time) {
        self.lifetime = self.lifetime.max(until);
    }

    /// True if there is still something to remember at `now`.
    fn is_known_at(&self, now: Time) -> bool {
        self.valid || self.lifetime > now
    }

    /// Makes the route invalid. Its sequence number rises, if `raise`, so that what others still
    /// say of the old route is not believed.
    fn break_off(&mut self, until: Time, raise: bool) {
        if self.known && raise {
            self.seq = self.seq.map(Seq::next);
        }
        (self.valid, self.lifetime) = (false, until);
    }

    fn forget(&mut self) {
        (self.seq, self.known, self.valid, self.hops) = (None, false, false, 0);
        self.precursors.clear();
    }
}

/// All routes that a station knows.
#[derive(Clone, Debug)]
pub(super) struct Table {
    /// For each address the place of its route, or [`NONE`].
    index: Vec<u16>,
    /// Routes, also those that are forgotten: there are no more than stations.
    routes: Vec<Route>,
    delete_period: Duration,
    raise_on_break: bool,
}

const NONE: u16 = u16::MAX;

impl Table {
    pub(super) fn new(delete_period: Duration, raise_on_break: bool) -> Self {
        Self {
            index: Vec::new(),
            routes: Vec::new(),
            delete_period,
            raise_on_break,
        }
    }

    fn place(&self, destination: Address) -> Option<usize> {
        let at = *self.index.get(usize::from(destination.0))?;
        (at != NONE).then_some(usize::from(at))
    }

    /// The route to `destination`, if it may be used.
    pub(super) fn active(&mut self, now: Time, destination: Address) -> Option<&mut Route> {
        let at = self.place(destination)?;
        let route = &mut self.routes[at];
        (route.valid && route.lifetime > now).then_some(route)
    }

    /// The same to look at.
    pub(super) fn view(&self, now: Time, destination: Address) -> Option<&Route> {
        let route = &self.routes[self.place(destination)?];
        (route.valid && route.lifetime > now).then_some(route)
    }

    /// The entry of `destination`, usable or not.
    pub(super) fn get(&mut self, now: Time, destination: Address) -> Option<&mut Route> {
        let at = self.place(destination)?;
        self.settle(now, at);
        let route = &mut self.routes[at];
        route.is_known_at(now).then_some(route)
    }

    /// Brings an entry up to date: routes expire, and are forgotten later.
    fn settle(&mut self, now: Time, at: usize) {
        let route = &mut self.routes[at];
        if route.valid && route.lifetime <= now {
            let expired = route.lifetime;
            route.break_off(expired + self.delete_period, self.raise_on_break);
        }
        if !route.is_known_at(now) {
            route.forget();
        }
    }

    /// The entry of `destination`, made if there is none.
    fn entry(&mut self, now: Time, destination: Address) -> &mut Route {
        let place = destination.place_in(&mut self.index, NONE);
        if *place == NONE {
            *place = self.routes.len() as u16;
            self.routes.push(Route {
                destination,
                seq: None,
                known: false,
                valid: false,
                hops: 0,
                next_hop: destination,
                lifetime: Time::ZERO,
                precursors: Vec::new(),
            });
        }
        let at = usize::from(*place);
        self.settle(now, at);
        &mut self.routes[at]
    }

    /// A message offers a route of this sequence number and length by way of `next_hop`, until `until`.
    /// It is taken if it is fresher, or as fresh and better (sections 6.2 and 6.7). Returns whether it is.
    pub(super) fn offer(&mut self, now: Time, offer: Offer) -> bool {
        let route = self.entry(now, offer.destination);
        let taken = route.seq.is_none_or(|seq| {
            let better = !route.valid || !route.known || offer.hops < route.hops;
            offer.seq.is_newer_than(seq) || (offer.seq == seq && better)
        });
        if !taken {
            return false;
        }
        route.seq = Some(offer.seq);
        (route.known, route.hops, route.next_hop) = (true, offer.hops, offer.next_hop);
        // (The lifetime of an invalid route is when it is forgotten.)
        if route.valid && offer.keeps_lifetime {
            route.extend(offer.until);
        } else {
            route.lifetime = offer.until;
        }
        route.valid = true;
        true
    }

    /// `neighbour` was heard: there is a route of one hop until `until` at least. With the neighbour's
    /// own number if it has told it.
    pub(super) fn heard(&mut self, now: Time, neighbour: Address, seq: Option<Seq>, until: Time) {
        let route = self.entry(now, neighbour);
        if route.valid {
            route.extend(until);
        } else {
            // The number, if any, may be one above what the neighbour has given.
            (route.valid, route.known, route.lifetime) = (true, false, until);
        }
        (route.hops, route.next_hop) = (1, neighbour);
        if let Some(seq) = seq
            && route.seq.is_none_or(|old| !old.is_newer_than(seq))
        {
            (route.seq, route.known) = (Some(seq), true);
        }
    }

    /// The route to `destination` has just been used: it is kept until `until`. An invalid one is
    /// remembered for longer, as somebody still counts on it.
    #[inline]
    pub(super) fn touch(&mut self, now: Time, destination: Address, until: Time) {
        let Some(at) = self.place(destination) else {
            return;
        };
        let route = &mut self.routes[at];
        if route.valid && route.lifetime > now {
            route.extend(until);
            return;
        }
        self.settle(now, at);
        let remember = now + self.delete_period;
        let route = &mut self.routes[at];
        if route.is_known_at(now) {
            route.extend(remember);
        }
    }

    /// As [`Self::touch`], but a usable route only if it leads by way of `next_hop`: that neighbour keeps
    /// its own route too.
    #[inline]
    pub(super) fn touch_by(&mut self, now: Time, at: Address, next_hop: Address, until: Time) {
        if self.view(now, at).is_none_or(|r| r.next_hop == next_hop) {
            self.touch(now, at, until);
        }
    }

    /// Usable routes that lead by way of `next_hop`, by address.
    pub(super) fn through(&self, now: Time, next_hop: Address) -> Vec<Address> {
        let usable = |&at: &u16| {
            let route = self.routes.get(usize::from(at))?;
            let usable = route.valid && route.lifetime > now && route.next_hop == next_hop;
            usable.then_some(route.destination)
        };
        self.index.iter().filter_map(usable).collect()
    }

    /// The route to `destination` broke; of number `seq`, if others have told and it is newer.
    pub(super) fn invalidate(&mut self, now: Time, destination: Address, seq: Option<Seq>) {
        let (until, raise) = (now + self.delete_period, self.raise_on_break);
        let Some(route) = self.active(now, destination) else {
            return;
        };
        route.break_off(until, raise);
        if let Some(told) = seq {
            route.seq = Some(route.seq.map_or(told, |seq| seq.max(told)));
        }
    }
}

/// A route that a message offers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offer {
    pub(super) destination: Address,
    pub(super) seq: Seq,
    pub(super) hops: u8,
    pub(super) next_hop: Address,
    pub(super) until: Time,
    /// A usable route's longer lifetime stays (of requests; a reply sets it).
    pub(super) keeps_lifetime: bool,
}
