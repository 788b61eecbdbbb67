//! Routes that are given and never change.

use std::collections::VecDeque;

use super::{Datagram, DropCause, Output, Packet};
use crate::radio::Address;
use crate::time::Time;

/// Static routing at one station, by a fixed table of next hops. `P` is the payload of datagrams.
#[derive(Clone, Debug)]
pub struct StaticRoutes<P> {
    own: Address,
    /// The next hop to each address; all stations where there is none.
    next_hops: Vec<Address>,
    outputs: VecDeque<Output<P>>,
}

impl<P> StaticRoutes<P> {
    /// Static routing at station `own` by `(destination, next hop)` pairs; the last pair of a destination counts.
    pub fn new(own: Address, routes: impl IntoIterator<Item = (Address, Address)>) -> Self {
        let mut next_hops = Vec::new();
        for (destination, next_hop) in routes {
            *destination.place_in(&mut next_hops, Address::BROADCAST) = next_hop;
        }
        Self {
            own,
            next_hops,
            outputs: VecDeque::new(),
        }
    }

    /// Takes a datagram of the station's own: delivers it here, sends it to its next hop, or drops it without a route
    /// ([`super::Routing::originate`]).
    pub fn originate(&mut self, now: Time, datagram: Datagram<P>) {
        let output = if datagram.destination == self.own {
            Output::Deliver(datagram)
        } else if datagram.destination.is_broadcast() {
            let packet = Packet::Data(datagram);
            let next_hop = Address::BROADCAST;
            Output::Send { next_hop, packet }
        } else if let Some(next_hop) = self.next_hop(now, datagram.destination) {
            let packet = Packet::Data(datagram);
            Output::Send { next_hop, packet }
        } else {
            let cause = DropCause::NoRoute;
            Output::Drop { datagram, cause }
        };
        self.outputs.push_back(output);
    }

    /// Takes a packet that the MAC has received: a datagram is delivered or sent on, a message of a routing protocol
    /// is ignored ([`super::Routing::receive`]).
    pub fn receive(&mut self, now: Time, _from: Address, packet: Packet<P>) {
        let Packet::Data(mut datagram) = packet else {
            return;
        };
        if datagram.destination.is_broadcast() || datagram.destination == self.own {
            self.outputs.push_back(Output::Deliver(datagram));
        } else if datagram.ttl <= 1 {
            let cause = DropCause::Ttl;
            self.outputs.push_back(Output::Drop { datagram, cause });
        } else {
            datagram.ttl -= 1;
            self.originate(now, datagram);
        }
    }

    /// Drops a datagram that the MAC has given up; the route stays ([`super::Routing::link_failed`]).
    pub fn link_failed(&mut self, _now: Time, _next_hop: Address, packet: Packet<P>) {
        if let Packet::Data(datagram) = packet {
            let cause = DropCause::LinkBroken;
            self.outputs.push_back(Output::Drop { datagram, cause });
        }
    }

    /// Always false: after a failure, the MAC still tries its other packets for the same neighbour
    /// ([`super::Routing::takes_queued`]).
    pub fn takes_queued(&self, _now: Time, _next_hop: Address) -> bool {
        false
    }

    /// Always `None`: static routes need no timer ([`super::Routing::next_timer`]).
    pub fn next_timer(&self) -> Option<Time> {
        None
    }

    /// Does nothing: static routes need no timer ([`super::Routing::on_timer`]).
    pub fn on_timer(&mut self, _now: Time) {}

    /// The next action for the driver; `None` if there are no more ([`super::Routing::poll`]).
    #[must_use]
    pub fn poll(&mut self) -> Option<Output<P>> {
        self.outputs.pop_front()
    }

    /// Neighbour to which datagrams for `destination` go; `None` without a route.
    pub fn next_hop(&self, _now: Time, destination: Address) -> Option<Address> {
        let next_hop = *self.next_hops.get(usize::from(destination.0))?;
        (!next_hop.is_broadcast()).then_some(next_hop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn datagram(destination: u16, ttl: u8) -> Datagram<()> {
        Datagram {
            source: Address(1),
            destination: Address(destination),
            ttl,
            bytes: 40,
            payload: (),
        }
    }

    fn station() -> StaticRoutes<()> {
        // 2 of a chain 1 - 2 - 3 - 4.
        let routes = [(1, 1), (3, 3), (4, 3)].map(|(to, via)| (Address(to), Address(via)));
        StaticRoutes::new(Address(2), routes)
    }

    fn send(next_hop: u16, datagram: Datagram<()>) -> Output<()> {
        Output::Send {
            next_hop: Address(next_hop),
            packet: Packet::Data(datagram),
        }
    }

    #[test]
    fn the_next_hop_is_that_of_the_destination() {
        let mut station = station();
        station.originate(Time::ZERO, datagram(4, 9));
        assert_eq!(station.poll(), Some(send(3, datagram(4, 9))));
        station.receive(Time::ZERO, Address(1), Packet::Data(datagram(4, 9)));
        assert_eq!(station.poll(), Some(send(3, datagram(4, 8))));
        station.receive(Time::ZERO, Address(1), Packet::Data(datagram(2, 1)));
        assert_eq!(station.poll(), Some(Output::Deliver(datagram(2, 1))));
        station.originate(Time::ZERO, datagram(u16::MAX, 1));
        assert_eq!(station.poll(), Some(send(u16::MAX, datagram(u16::MAX, 1))));
        assert_eq!(station.poll(), None);
    }

    #[test]
    fn what_cannot_go_on_is_dropped_with_its_cause() {
        let mut station = station();
        let drop = |datagram, cause| Some(Output::Drop { datagram, cause });
        for unknown in [0, 5, 60_000] {
            station.originate(Time::ZERO, datagram(unknown, 9));
            assert_eq!(
                station.poll(),
                drop(datagram(unknown, 9), DropCause::NoRoute)
            );
        }
        station.receive(Time::ZERO, Address(1), Packet::Data(datagram(4, 1)));
        assert_eq!(station.poll(), drop(datagram(4, 1), DropCause::Ttl));
        station.link_failed(Time::ZERO, Address(3), Packet::Data(datagram(4, 1)));
        assert_eq!(station.poll(), drop(datagram(4, 1), DropCause::LinkBroken));
        assert_eq!(station.next_hop(Time::ZERO, Address(4)), Some(Address(3)));
    }
}
