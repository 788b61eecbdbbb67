//! Routing between the stations of a radio network: [AODV](aodv), [DSDV](dsdv), [DSR](dsr) and
//! static routes.
//!
//! # The caller's contract
//! One machine a station. Inputs carry `now`, which never goes backwards:
//! - [`Routing::originate`]: a datagram of the station's own;
//! - [`Routing::receive`]: a packet that the MAC has received, with the neighbour that sent it;
//! - [`Routing::link_failed`]: a unicast packet that the MAC has given up;
//! - [`Routing::on_timer`]: at or after [`Routing::next_timer`]; calls too early do nothing.
//!
//! After each of them call [`Routing::poll`] until it returns `None`, then ask
//! [`Routing::next_timer`] again. Every datagram that goes in comes out once: sent, delivered or dropped.

pub mod aodv;
mod buffer;
mod config;
mod damper;
pub mod dsdv;
pub mod dsr;
mod outbox;
mod seen;
mod seq;
mod static_routes;
#[cfg(test)]
mod testing;

use crate::packet::{Ecn, Labelled};
use crate::radio::Address;
use crate::time::Time;

pub use aodv::Aodv;
pub use config::{RoutingConfig, Static};
pub use dsdv::Dsdv;
pub use dsr::Dsr;
pub use seq::Seq;
pub use static_routes::StaticRoutes;

/// A packet of the network layer from one station to another; `P` is the driver's own payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram<P> {
    /// The station that originated the datagram.
    pub source: Address,
    /// The station that the datagram is for, or the broadcast address for all within range.
    pub destination: Address,
    /// Hops that the datagram may still go, the present one included.
    pub ttl: u8,
    /// Bytes of the datagram with the IP header.
    pub bytes: u32,
    /// Data of the driver, which routing passes on unread.
    pub payload: P,
}

/// A packet from one station's network layer to a neighbour's: a datagram or a message of a routing protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Packet<P> {
    /// A datagram on its way.
    Data(Datagram<P>),
    /// A message of AODV, in UDP.
    Aodv {
        /// The message.
        message: aodv::Message,
        /// The TTL of its IP header.
        ttl: u8,
    },
    /// A message of DSDV, in UDP.
    Dsdv(dsdv::Update),
    /// A packet of DSR, which may carry a datagram.
    Dsr(Box<dsr::Message<P>>),
}

impl<P> Packet<P> {
    /// Bytes of IP and UDP headers before a message of AODV or DSDV.
    const HEADERS: u32 = 20 + 8;

    /// Bytes of the packet with the IP header.
    pub fn bytes(&self) -> u32 {
        match self {
            Self::Data(datagram) => datagram.bytes,
            Self::Aodv { message, .. } => Self::HEADERS + message.bytes(),
            Self::Dsdv(update) => Self::HEADERS + update.bytes(),
            Self::Dsr(message) => message.bytes(),
        }
    }

    /// The datagram that the packet carries; `None` in a message of the routing protocol alone.
    pub fn datagram(&self) -> Option<&Datagram<P>> {
        match self {
            Self::Data(datagram) => Some(datagram),
            Self::Dsr(message) => message.datagram(),
            Self::Aodv { .. } | Self::Dsdv(_) => None,
        }
    }

    fn datagram_mut(&mut self) -> Option<&mut Datagram<P>> {
        match self {
            Self::Data(datagram) => Some(datagram),
            Self::Dsr(message) => message.datagram_mut(),
            Self::Aodv { .. } | Self::Dsdv(_) => None,
        }
    }
}

/// Messages of a routing protocol are a flow of their own, whatever they are about.
const ROUTING_FLOW: u32 = u32::MAX;

impl<P: Labelled> Labelled for Packet<P> {
    fn flow(&self) -> u32 {
        self.datagram().map_or(ROUTING_FLOW, |d| d.payload.flow())
    }

    fn ecn(&self) -> Ecn {
        self.datagram().map_or(Ecn::NotEct, |d| d.payload.ecn())
    }

    fn mark(&mut self) {
        if let Some(datagram) = self.datagram_mut() {
            datagram.payload.mark();
        }
    }
}

/// Cause for which routing drops a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DropCause {
    /// No route is known, or none was found.
    NoRoute,
    /// The datagram waited for a route, and newer ones needed its place.
    BufferFull,
    /// The datagram waited for a route for too long.
    BufferTimeout,
    /// The datagram has gone all the hops that it may.
    Ttl,
    /// The MAC could not reach the next hop.
    LinkBroken,
}

/// An action of a station's routing protocol, for its driver to carry out ([`Routing::poll`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output<P> {
    /// A packet is to be handed to the MAC.
    Send {
        /// The neighbour that the packet is for, or the broadcast address.
        next_hop: Address,
        /// The packet.
        packet: Packet<P>,
    },
    /// A datagram is for this station.
    Deliver(Datagram<P>),
    /// A datagram goes no further.
    Drop {
        /// The datagram.
        datagram: Datagram<P>,
        /// Cause of the drop.
        cause: DropCause,
    },
}

/// Routing protocol of one station, without I/O of its own; `P` is the payload of datagrams.
#[derive(Clone, Debug)]
pub enum Routing<P> {
    /// Routes that never change.
    Static(StaticRoutes<P>),
    /// Routes found when they are needed (RFC 3561).
    Aodv(Box<Aodv<P>>),
    /// Routes to all stations, kept at all times (Perkins and Bhagwat 1994).
    Dsdv(Box<Dsdv<P>>),
    /// Routes found when they are needed, which packets carry (RFC 4728).
    Dsr(Box<Dsr<P>>),
}

/// One call for all protocols.
macro_rules! each {
    ($routing:expr, $machine:ident => $call:expr) => {
        match $routing {
            Routing::Static($machine) => $call,
            Routing::Aodv($machine) => $call,
            Routing::Dsdv($machine) => $call,
            Routing::Dsr($machine) => $call,
        }
    };
}

impl<P> Routing<P> {
    /// The station's own host sends a datagram.
    pub fn originate(&mut self, now: Time, datagram: Datagram<P>) {
        each!(self, machine => machine.originate(now, datagram));
    }

    /// The MAC has received a packet from neighbour `from`.
    pub fn receive(&mut self, now: Time, from: Address, packet: Packet<P>) {
        each!(self, machine => machine.receive(now, from, packet));
    }

    /// The MAC has given up this packet, since `next_hop` does not answer. If [`Self::takes_queued`] is true after the
    /// call, the driver takes the other packets for this neighbour from the MAC and hands them in too, at the same
    /// time.
    pub fn link_failed(&mut self, now: Time, next_hop: Address, packet: Packet<P>) {
        each!(self, machine => machine.link_failed(now, next_hop, packet));
    }

    /// Whether the driver is to take all other packets for `next_hop` from the MAC and hand them to
    /// [`Self::link_failed`], now that one has failed.
    pub fn takes_queued(&self, now: Time, next_hop: Address) -> bool {
        each!(self, machine => machine.takes_queued(now, next_hop))
    }

    /// Time at which [`Self::on_timer`] is due next; `None` for never.
    pub fn next_timer(&self) -> Option<Time> {
        each!(self, machine => machine.next_timer())
    }

    /// Acts on what is due by `now`, such as delayed messages, requests without an answer, and datagrams that
    /// waited too long for a route.
    pub fn on_timer(&mut self, now: Time) {
        each!(self, machine => machine.on_timer(now));
    }

    /// The next action for the driver. Call after each input until `None`.
    #[must_use]
    pub fn poll(&mut self) -> Option<Output<P>> {
        each!(self, machine => machine.poll())
    }

    /// Neighbour to which a datagram for `destination` would go now; `None` without a route.
    pub fn next_hop(&self, now: Time, destination: Address) -> Option<Address> {
        each!(self, machine => machine.next_hop(now, destination))
    }
}
