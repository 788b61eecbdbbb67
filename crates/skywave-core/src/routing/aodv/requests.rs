//! Processing and forwarding route requests (RFC 3561 section 6.5).

use super::Aodv;
use super::message::{Message, Rrep, Rreq};
use super::table::Offer;
use crate::radio::Address;
use crate::time::{Duration, Time};

impl<P> Aodv<P> {
    pub(super) fn on_rreq(&mut self, now: Time, from: Address, ttl: u8, mut rreq: Rreq) {
        if self.is_blacklisted(now, from) {
            return;
        }
        let until = now + self.config.active_route_timeout;
        self.table.heard(now, from, None, until);
        let forget = now + self.config.path_discovery_time();
        if !self.seen.is_new(now, rreq.originator, rreq.id, forget) {
            return;
        }
        rreq.hop_count = rreq.hop_count.saturating_add(1);
        self.learn_way_back(now, from, &rreq);
        if self.reply(now, from, &rreq) || ttl <= 1 {
            return;
        }
        let maintained = self.table.get(now, rreq.destination).and_then(|r| r.seq);
        rreq.destination_seq = match (rreq.destination_seq, maintained) {
            (Some(asked), Some(own)) => Some(asked.max(own)),
            (asked, own) => asked.or(own),
        };
        self.broadcast(now, Message::Rreq(rreq), ttl - 1);
    }

    /// The reverse route: to the originator by way of the neighbour that sent the request.
    fn learn_way_back(&mut self, now: Time, from: Address, rreq: &Rreq) {
        if rreq.originator == self.own {
            return;
        }
        let config = &self.config;
        let behind = config.node_traversal_time * 2 * u64::from(rreq.hop_count);
        let minimal = (config.net_traversal_time() * 2).saturating_sub(behind);
        let until = now + minimal.max(Duration::from_nanos(1));
        let offer = Offer {
            destination: rreq.originator,
            seq: rreq.originator_seq,
            hops: rreq.hop_count,
            next_hop: from,
            until,
            keeps_lifetime: true,
        };
        if !self.table.offer(now, offer)
            && let Some(route) = self.table.active(now, rreq.originator)
        {
            route.extend(until);
        }
    }

    /// Answers a request if it is ours to answer (section 6.6).
    fn reply(&mut self, now: Time, from: Address, rreq: &Rreq) -> bool {
        if rreq.destination == self.own {
            // Section 6.1: nobody is to believe a number above ours. (Section 6.6.1 has but one step.)
            self.seq = rreq.destination_seq.map_or(self.seq, |s| s.max(self.seq));
            self.reply_as_destination(now, rreq);
            return true;
        }
        let stale = |rrep: &Rrep| {
            let asked = rreq.destination_seq;
            asked.is_some_and(|asked| asked.is_newer_than(rrep.destination_seq))
        };
        match self.own_route(now, rreq.destination, rreq.originator) {
            Some(rrep) if !rreq.destination_only && !stale(&rrep) => {
                self.reply_as_intermediate(now, from, rreq, rrep);
                true
            }
            _ => false,
        }
    }
}
