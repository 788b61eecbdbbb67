//! Links that break (RFC 4728 sections 3.2, 3.4 and 8.3): the MAC's word, errors, and salvaged packets.

use super::Dsr;
use super::message::{Content, Link, Routed};
use crate::radio::Address;
use crate::routing::DropCause;
use crate::time::Time;

/// `MAX_SALVAGE_COUNT`.
const MOST_SALVAGES: u8 = 15;

impl<P> Dsr<P> {
    /// `next_hop` does not answer: no route may lead there, and the packet's source hears of it.
    pub(super) fn on_break(&mut self, now: Time, next_hop: Address, routed: Routed<P>) {
        let link = Link {
            from: self.own,
            to: next_hop,
        };
        self.cache.break_link(link);
        // An error about an error could go on for ever.
        if !matches!(routed.content, Content::Error(_)) {
            self.tell_source(now, link, &routed);
        }
        if let Content::Datagram(datagram) = routed.content {
            let salvages = self.config.salvage && routed.salvaged < MOST_SALVAGES;
            let route = salvages
                .then(|| self.cache.route(now, datagram.destination))
                .flatten();
            match route {
                Some(route) => {
                    let content = Content::Datagram(datagram);
                    self.start(route, routed.salvaged + 1, content);
                }
                None => self.drop(datagram, DropCause::LinkBroken),
            }
        }
    }

    /// Sends an error back to where the packet's route began. The packets that the MAC gives up together with one
    /// cause no further errors.
    fn tell_source(&mut self, now: Time, link: Link, routed: &Routed<P>) {
        let gone = &routed.route[..=usize::from(routed.at)];
        let source = gone[0];
        let told = (now, source, link.to);
        if source == self.own || self.told == Some(told) {
            return;
        }
        self.told = Some(told);
        let route = gone.iter().rev().copied().collect();
        self.start(route, 0, Content::Error(link));
    }
}
