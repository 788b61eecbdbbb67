//! Route replies: generating them (RFC 3561 section 6.6), receiving and forwarding them (6.7), and
//! neighbours that they cannot be sent to (6.8).

use super::Aodv;
use super::message::{Message, Rrep, Rreq};
use super::table::Offer;
use crate::radio::Address;
use crate::routing::Packet;
use crate::time::{Duration, Time};

/// Neighbours that have yet to acknowledge a reply, and until when they may.
#[derive(Clone, Debug, Default)]
pub(super) struct Acknowledgments(Vec<(Address, Time)>);

impl Acknowledgments {
    pub(super) fn received(&mut self, from: Address) {
        self.0.retain(|&(neighbour, _)| neighbour != from);
    }

    pub(super) fn next_timer(&self) -> Option<Time> {
        self.0.first().map(|&(_, until)| until) // all wait for the same time
    }
}

impl<P> Aodv<P> {
    pub(super) fn reply_as_destination(&mut self, now: Time, rreq: &Rreq) {
        let rrep = Rrep {
            ack_required: false,
            hop_count: 0,
            destination: self.own,
            destination_seq: self.seq,
            originator: rreq.originator,
            lifetime: whole_ms(self.config.my_route_timeout()),
        };
        self.send_rrep(now, rrep, self.config.net_diameter);
    }

    /// Offers our route to `destination`, if it may be used and has a valid number.
    pub(super) fn own_route(
        &self,
        now: Time,
        destination: Address,
        originator: Address,
    ) -> Option<Rrep> {
        let route = self.table.view(now, destination)?;
        let destination_seq = route.seq.filter(|_| route.known)?;
        Some(Rrep {
            ack_required: false,
            hop_count: route.hops,
            destination,
            destination_seq,
            originator,
            lifetime: whole_ms(route.lifetime.since(now)),
        })
    }

    /// Answers with our route.
    pub(super) fn reply_as_intermediate(
        &mut self,
        now: Time,
        from: Address,
        rreq: &Rreq,
        rrep: Rrep,
    ) {
        let Some(forward) = self.table.active(now, rreq.destination) else {
            return;
        };
        forward.add_precursor(from);
        let towards_destination = forward.next_hop;
        let Some(reverse) = self.table.active(now, rreq.originator) else {
            return;
        };
        reverse.add_precursor(towards_destination);
        // Section 6.6.3: as if the destination had asked for the originator.
        let gratuitous = Rrep {
            ack_required: false,
            hop_count: reverse.hops,
            destination: rreq.originator,
            destination_seq: rreq.originator_seq,
            originator: rreq.destination,
            lifetime: whole_ms(reverse.lifetime.since(now)),
        };
        let ttl = self.config.net_diameter;
        self.send_rrep(now, rrep, ttl);
        if rreq.gratuitous {
            self.send_rrep(now, gratuitous, ttl);
        }
    }

    pub(super) fn on_rrep(&mut self, now: Time, from: Address, ttl: u8, mut rrep: Rrep) {
        if rrep.ack_required {
            let (message, ttl) = (Message::RrepAck, 1);
            self.send(from, Packet::Aodv { message, ttl });
        }
        let until = now + self.config.active_route_timeout;
        self.table.heard(now, from, None, until);
        if rrep.destination == self.own {
            return; // we know better
        }
        rrep.hop_count = rrep.hop_count.saturating_add(1);
        let offer = Offer {
            destination: rrep.destination,
            seq: rrep.destination_seq,
            hops: rrep.hop_count,
            next_hop: from,
            until: now + rrep.lifetime,
            keeps_lifetime: false,
        };
        let taken = self.table.offer(now, offer);
        if rrep.originator == self.own || ttl <= 1 {
            return;
        }
        if taken {
            self.send_rrep(now, rrep, ttl - 1);
        } else if let Some(ours) = self.own_route(now, rrep.destination, rrep.originator) {
            // Section 6.7 would end the reply here, and the originator with a route that others have
            // found at the same time would wait in vain. Ours is as good or better: it goes on instead.
            self.send_rrep(now, ours, ttl - 1);
        }
    }

    /// Sends a reply, our own or another's, to the next hop towards its originator.
    fn send_rrep(&mut self, now: Time, mut rrep: Rrep, ttl: u8) {
        let until = now + self.config.active_route_timeout;
        self.table.touch(now, rrep.originator, until);
        let Some(next_hop) = self.next_hop(now, rrep.originator) else {
            return;
        };
        if let Some(route) = self.table.active(now, rrep.destination) {
            route.add_precursor(next_hop);
            let towards_destination = route.next_hop;
            if let Some(route) = self.table.active(now, towards_destination) {
                route.add_precursor(next_hop);
            }
        }
        rrep.ack_required = self.config.rrep_ack;
        if rrep.ack_required {
            let until = now + self.config.next_hop_wait();
            self.acknowledgments.0.push((next_hop, until));
        }
        let message = Message::Rrep(rrep);
        self.send(next_hop, Packet::Aodv { message, ttl });
    }

    /// Neighbours that have not acknowledged a reply: the link leads only to here.
    pub(super) fn on_acknowledgment_timer(&mut self, now: Time) {
        while let Some(&(neighbour, until)) = self.acknowledgments.0.first()
            && until <= now
        {
            self.acknowledgments.received(neighbour);
            self.put_on_blacklist(now, neighbour);
        }
    }

    /// A reply could not be sent to `neighbour`.
    pub(super) fn put_on_blacklist(&mut self, now: Time, neighbour: Address) {
        if self.config.blacklist {
            let until = now + self.config.blacklist_timeout();
            self.blacklist.push((neighbour, until));
        }
    }

    pub(super) fn is_blacklisted(&mut self, now: Time, neighbour: Address) -> bool {
        self.blacklist.retain(|&(_, until)| until > now);
        self.blacklist.iter().any(|&(n, _)| n == neighbour)
    }
}

/// Rounded down to milliseconds, as the message's field has them: a neighbour never uses a route for
/// longer than we keep it.
fn whole_ms(duration: Duration) -> Duration {
    Duration::from_millis(duration.as_nanos() / 1_000_000)
}
