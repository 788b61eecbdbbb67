//! Local repair (RFC 3561 section 6.12): the station before the break seeks a new route itself.

use super::Aodv;
use super::discovery::Discovery;
use crate::radio::Address;
use crate::routing::{Datagram, DropCause};
use crate::time::Time;

impl<P> Aodv<P> {
    /// `next_hop` cannot be reached with this datagram: seeks another route for it, if that is wanted, and
    /// the destination is near and the datagram somebody else's.
    pub(super) fn begin_repair(&mut self, now: Time, next_hop: Address, datagram: &Datagram<P>) {
        let destination = datagram.destination;
        if !self.config.local_repair || datagram.source == self.own {
            return;
        }
        let Some(route) = self.table.view(now, destination) else {
            return;
        };
        let hops = route.hops;
        if route.next_hop != next_hop || hops > self.config.max_repair_ttl() {
            return;
        }
        self.table.invalidate(now, destination, None);
        // MIN_REPAIR_TTL is the last known distance of the destination.
        let to_source = self.table.get(now, datagram.source).map_or(0, |r| r.hops);
        let distance = hops.max(to_source / 2);
        let ttl = distance.saturating_add(self.config.local_add_ttl);
        let ttl = ttl.min(self.config.net_diameter);
        self.seek(now, Discovery::new(now, destination, ttl, Some(hops)));
    }

    /// True if data for `destination` is to wait for the end of a repair.
    pub(super) fn is_repairing(&self, destination: Address) -> bool {
        self.discovery(destination)
            .is_some_and(|d| d.repair.is_some())
    }

    /// No route was found: those who send through here are told. Our own datagrams wait for a discovery
    /// of the usual kind.
    pub(super) fn repair_failed(&mut self, now: Time, destination: Address) {
        self.tell_of_repair(now, destination, false);
        let own = self.own;
        while let Some(datagram) = self.buffer.take(destination, |d| d.source != own) {
            self.drop(datagram, DropCause::LinkBroken);
        }
        if self.buffer.has(destination) {
            self.discover(now, destination);
        }
    }
}
