//! Route errors (RFC 3561 section 6.11): breaks, and telling those who send through here.

use super::Aodv;
use super::message::{Message, Rerr, Unreachable};
use crate::radio::Address;
use crate::routing::{Packet, Seq};
use crate::time::Time;

/// An error that is being put together: what is unreachable, and who has to be told.
#[derive(Default)]
struct Report {
    unreachable: Vec<Unreachable>,
    neighbours: Vec<Address>,
}

impl<P> Aodv<P> {
    /// Case (i): neither `next_hop` nor any destination by way of it can be reached.
    pub(super) fn link_broken(&mut self, now: Time, next_hop: Address) {
        let mut report = Report::default();
        for destination in self.table.through(now, next_hop) {
            self.table.invalidate(now, destination, None);
            self.add(now, &mut report, destination);
        }
        self.send_rerr(now, report, false);
    }

    /// Case (ii): `from` has sent a datagram for which there is no route. It is told of that even
    /// if the list of precursors does not name it.
    pub(super) fn no_route(&mut self, now: Time, from: Address, destination: Address) {
        let mut report = Report::default();
        self.add(now, &mut report, destination);
        if report.unreachable.is_empty() {
            let seq = self.table.get(now, destination).and_then(|r| r.seq);
            report.unreachable.push(Unreachable { destination, seq });
        }
        report.neighbours.push(from);
        self.send_rerr(now, report, false);
    }

    /// Case (iii): `from` tells of destinations that it cannot reach any more.
    pub(super) fn on_rerr(&mut self, now: Time, from: Address, rerr: &Rerr) {
        let mut report = Report::default();
        for &Unreachable { destination, seq } in &rerr.unreachable {
            let Some(route) = self.table.active(now, destination) else {
                continue;
            };
            // A route as new as the break has been found since. (Where breaks do not raise the number, one
            // that is newer.)
            let raised = self.config.raise_on_break;
            let since = |told: Seq, own: Seq| own.is_newer_than(told) || raised && own == told;
            let stale = |told: Seq| route.known && route.seq.is_some_and(|own| since(told, own));
            if route.next_hop != from || (!rerr.no_delete && seq.is_some_and(stale)) {
                continue;
            }
            if !rerr.no_delete {
                self.table.invalidate(now, destination, seq);
            }
            self.add(now, &mut report, destination);
        }
        self.send_rerr(now, report, rerr.no_delete);
    }

    /// A repair has failed, or it has made the route longer (`no_delete`): those who use it may look for a better
    /// one then.
    pub(super) fn tell_of_repair(&mut self, now: Time, destination: Address, no_delete: bool) {
        let mut report = Report::default();
        self.add(now, &mut report, destination);
        self.send_rerr(now, report, no_delete);
    }

    /// Adds a destination that somebody sends to through here.
    fn add(&mut self, now: Time, report: &mut Report, destination: Address) {
        if let Some(route) = self.table.get(now, destination)
            && !route.precursors.is_empty()
        {
            let seq = route.seq;
            report.unreachable.push(Unreachable { destination, seq });
            report.neighbours.extend(&route.precursors);
        }
    }

    /// Sends an error to the one neighbour that it concerns, or to all.
    fn send_rerr(&mut self, now: Time, mut report: Report, no_delete: bool) {
        report.neighbours.sort_unstable();
        report.neighbours.dedup();
        if report.unreachable.is_empty() || self.rerr_rate.take(now).is_err() {
            return;
        }
        if !no_delete {
            // They have been told, and will ask again if they need a route.
            for lost in &report.unreachable {
                if let Some(route) = self.table.get(now, lost.destination) {
                    route.precursors.clear();
                }
            }
        }
        let message = Message::Rerr(Rerr {
            no_delete,
            unreachable: report.unreachable,
        });
        match report.neighbours[..] {
            [next_hop] => self.send(next_hop, Packet::Aodv { message, ttl: 1 }),
            _ => self.broadcast(now, message, 1),
        }
    }
}
