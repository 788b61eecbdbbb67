//! The way of every flow's packets, link by link.

use skywave_core::packet::{Body, Packet};

use crate::network::Router;
use crate::spec::{Spec, Transport};

/// Which way a packet of a flow goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// From the data sender.
    Forward,
    /// From the data receiver.
    Reverse,
}

impl Direction {
    pub(crate) const BOTH: [Self; 2] = [Self::Forward, Self::Reverse];

    pub(crate) fn of(packet: &Packet) -> Self {
        match packet.body {
            Body::TcpAck(_) => Self::Reverse,
            Body::TcpData(_) | Body::Udp(_) => Self::Forward,
        }
    }
}

/// The routes of all flows, one behind the other in one list, so that a packet only needs its place.
#[derive(Debug)]
pub(crate) struct Routes {
    hops: Vec<u32>,
    /// By flow: where its routes start.
    starts: Vec<[u32; 2]>,
}

/// Behind the last link: the packet is with its host.
const HOST: u32 = u32::MAX;

/// Set beside the number of a link that collects packets.
const COLLECTS: u32 = 1 << 31;

/// Where a packet comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// A link that decides at once.
    Follows(u32),
    /// A link that collects packets.
    Collects(u32),
    /// Its host.
    Host,
}

impl Routes {
    /// # Panics
    /// When a flow's receiver is out of reach.
    pub(crate) fn new(spec: &Spec) -> Self {
        let mut router = Router::new(&spec.links, spec.nodes.len());
        let mut hops = Vec::new();
        let mut route = |from, to| {
            let start = hops.len() as u32;
            let path = router.path(from, to);
            hops.extend(path.unwrap_or_else(|e| panic!("{e}: the scenario layer checks this")));
            hops.push(HOST);
            [start, hops.len() as u32 - 1]
        };
        let routes = |flow: &crate::spec::FlowSpec| {
            let [forward, end] = route(flow.from, flow.to);
            match flow.transport {
                Transport::Tcp(_) => [forward, route(flow.to, flow.from)[0]],
                // Nothing comes back from a datagram.
                Transport::Udp { .. } => [forward, end],
            }
        };
        let starts = spec.flows.iter().map(routes).collect();
        Self { hops, starts }
    }

    /// The first place of a packet's route.
    pub(crate) fn start(&self, packet: &Packet) -> u32 {
        self.starts[packet.flow as usize][Direction::of(packet) as usize]
    }

    /// What lies at a place of a route.
    #[inline]
    pub(crate) fn next(&self, hop: u32) -> Next {
        let next = self.hops[hop as usize];
        if next & COLLECTS == 0 {
            Next::Follows(next)
        } else if next == HOST {
            Next::Host
        } else {
            Next::Collects(next & !COLLECTS)
        }
    }

    /// Marks the links that collect packets.
    pub(crate) fn mark(&mut self, collects: impl Fn(u32) -> bool) {
        for hop in &mut self.hops {
            if *hop != HOST && collects(*hop) {
                *hop |= COLLECTS;
            }
        }
    }

    /// Number of flows.
    pub(crate) fn flows(&self) -> usize {
        self.starts.len()
    }

    /// The links of a flow's route, in order.
    pub(crate) fn links(&self, flow: usize, direction: Direction) -> impl Iterator<Item = u32> {
        let start = self.starts[flow][direction as usize];
        self.hops[start as usize..]
            .iter()
            .copied()
            .take_while(|&link| link != HOST)
    }
}
