//! The way of every flow's packets, link by link.

use std::ops::Range;

use skywave_core::packet::Packet;
use skywave_core::prefetch::prefetch;

use crate::network::{Edge, Passes, Router, edges, passes};
use crate::spec::{FlowSpec, Spec, Transport, Tunnel};

/// Direction of a packet within its flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// Packets from the data sender.
    Forward,
    /// Packets from the data receiver.
    Reverse,
}

impl Direction {
    pub(crate) const BOTH: [Self; 2] = [Self::Forward, Self::Reverse];

    pub(crate) fn of(packet: &Packet) -> Self {
        if packet.body.goes_back() {
            Self::Reverse
        } else {
            Self::Forward
        }
    }
}

/// The routes of all flows, one after the other in one list, so that a packet only needs to know
/// its place there. Besides links, a route may have ends of tunnels, where the size of packets
/// changes, agents, and passages from one station of the radio network to another. All lanes are
/// numbered together: links first, then agents, then passages.
#[derive(Debug)]
pub(crate) struct Routes {
    /// The passages that flows take: their stations, by their places in the specification.
    pub(crate) passages: Vec<(u16, u16)>,
    hops: Vec<Hop>,
    /// Place where each way's routes start. First the ways of all flows, then those that flows take later, by
    /// flow and then by time.
    starts: Vec<[u32; 2]>,
    /// The flows of the later ways.
    later: Vec<u32>,
}

/// Something that a packet comes to on its route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// The plain link with this number among the wires.
    Wire(u32),
    /// Any other link that decides at once, by its number among the lanes.
    Follows(u32),
    /// A link that collects packets, by its number among the lanes.
    Collects(u32),
    /// The end of a tunnel: the packet's size changes by this many bytes.
    Resize(i32),
    /// The host of the data sender, at the end of the way.
    Sender,
    /// The host of the data receiver, at the end of the way.
    Receiver,
    /// The host of a data receiver that collects packets.
    Mailbox,
}

/// A [`Next`] in one word: its kind in the upper bits, its number in the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hop(u32);

impl Hop {
    const KIND: u32 = 29;
    const NUMBER: u32 = (1 << Self::KIND) - 1;

    const WIRE: u32 = 0;
    const FOLLOWS: u32 = 1;
    const COLLECTS: u32 = 2;
    const GROWS: u32 = 3;
    const SHRINKS: u32 = 4;
    const SENDER: u32 = 5;
    const RECEIVER: u32 = 6;
    const MAILBOX: u32 = 7;

    /// The largest change of size that there is room for.
    const MOST_BYTES: u32 = Self::NUMBER;

    /// The number of the wire, if it is one. This test is fast, as most hops are wires, and
    /// saves 1.8 % of the instructions of 24 flows.
    #[inline(always)]
    pub(crate) fn wire(self) -> Option<u32> {
        (self.0 <= Self::NUMBER).then_some(self.0)
    }

    /// The [`Next`] that this word stands for.
    #[inline(always)]
    pub(crate) fn next(self) -> Next {
        let number = self.0 & Self::NUMBER;
        match self.0 >> Self::KIND {
            Self::WIRE => Next::Wire(number),
            Self::FOLLOWS => Next::Follows(number),
            Self::COLLECTS => Next::Collects(number),
            Self::GROWS => Next::Resize(number as i32),
            Self::SHRINKS => Next::Resize(-(number as i32)),
            Self::SENDER => Next::Sender,
            Self::RECEIVER => Next::Receiver,
            _ => Next::Mailbox,
        }
    }

    /// Number of the lane, before [`Routes::mark`].
    fn lane(self) -> Option<u32> {
        match self.next() {
            Next::Follows(lane) => Some(lane),
            _ => None,
        }
    }

    fn is_host(self) -> bool {
        matches!(self.next(), Next::Sender | Next::Receiver | Next::Mailbox)
    }
}

impl From<Next> for Hop {
    fn from(next: Next) -> Self {
        let (kind, number) = match next {
            Next::Wire(wire) => (Self::WIRE, wire),
            Next::Follows(link) => (Self::FOLLOWS, link),
            Next::Collects(link) => (Self::COLLECTS, link),
            Next::Resize(bytes @ 0..) => (Self::GROWS, bytes.unsigned_abs()),
            Next::Resize(bytes) => (Self::SHRINKS, bytes.unsigned_abs()),
            Next::Sender => (Self::SENDER, 0),
            Next::Receiver => (Self::RECEIVER, 0),
            Next::Mailbox => (Self::MAILBOX, 0),
        };
        debug_assert!(number <= Self::NUMBER, "{next:?}");
        Self(kind << Self::KIND | number)
    }
}

impl Routes {
    /// # Panics
    /// When a flow's receiver is out of reach.
    pub(crate) fn new(spec: &Spec) -> Self {
        let stations = spec.stations();
        let edges = edges(&spec.links, &stations);
        let mut router = Router::new(edges.clone(), spec.nodes.len());
        let mut passages = Passages {
            stations: &stations,
            first: (spec.links.len() + spec.agents.len()) as u32,
            taken: Vec::new(),
        };
        let met = agents_met(spec, &mut router);
        let mut hops = Vec::new();
        let mut route = |from, via: &[usize], to, tunnels: &[Tunnel], host, met: &[Option<Met>]| {
            let start = hops.len() as u32;
            let path = router.route(from, via, to);
            let path = path.unwrap_or_else(|e| panic!("{e}: the scenario layer checks this"));
            let mut node = from;
            let agent = |node| {
                let is_end = node == from || node == to;
                let agent = (0..met.len()).find(|&agent| {
                    spec.agents[agent].node == node
                        && met[agent].is_some_and(|met| met == Met::Anywhere || !is_end)
                })?;
                Some(Next::Follows((spec.links.len() + agent) as u32))
            };
            let path: Vec<(u32, Edge)> = path.iter().map(|&e| (e, edges[e as usize])).collect();
            for &(link, edge) in &path {
                let size = resize(&path, tunnels, node);
                let agent = agent(node);
                // Where a tunnel begins or ends at the agent's node, the agent sees packets as
                // they are outside of the tunnel.
                if matches!(size, Some(Next::Resize(1..))) {
                    hops.extend(agent.into_iter().chain(size));
                } else {
                    hops.extend(size.into_iter().chain(agent));
                }
                let is_link = (link as usize) < spec.links.len();
                hops.push(Next::Follows(if is_link {
                    link
                } else {
                    passages.lane(edge)
                }));
                node = edge.to;
            }
            hops.extend(resize(&path, tunnels, node));
            hops.extend(agent(node));
            hops.push(host);
            [start, hops.len() as u32 - 1]
        };
        let mut routes = |flow: &FlowSpec, met: &[Option<Met>]| {
            let way = flow.way();
            let (from, to, tunnels) = (flow.from, flow.to, &way.tunnels);
            let [forward, end] = route(from, &way.via, to, tunnels, Next::Receiver, met);
            let mut back = || route(to, &way.reverse_via, from, tunnels, Next::Sender, met)[0];
            match flow.transport {
                Transport::Tcp(_) | Transport::Wtcp { .. } | Transport::Quic { .. } => {
                    [forward, back()]
                }
                // Nothing comes back from a datagram.
                Transport::Udp { .. } => [forward, end],
            }
        };
        let flows = spec.flows.iter().zip(met);
        let mut starts: Vec<[u32; 2]> = flows.map(|(flow, met)| routes(flow, &met)).collect();
        let proxies = spec.proxies.iter();
        let mut later: Vec<(usize, FlowSpec)> = proxies
            .flat_map(|proxy| proxy.moved_halves(&spec.flows))
            .collect();
        later.sort_by_key(|(flow, _)| *flow);
        starts.extend(later.iter().map(|(_, moved)| routes(moved, &[])));
        // (Collected where they lie, they would keep twice the room that they need.)
        let mut hops: Vec<Hop> = hops.into_iter().map(Hop::from).collect();
        hops.shrink_to_fit();
        Self {
            passages: passages.taken,
            hops,
            starts,
            later: later.into_iter().map(|(flow, _)| flow as u32).collect(),
        }
    }

    /// The first place of a flow's route.
    #[inline]
    pub(crate) fn start(&self, flow: u32, direction: Direction) -> u32 {
        self.starts[flow as usize][direction as usize]
    }

    /// Fetches memory that [`Self::start`] will read.
    #[inline]
    pub(crate) fn prefetch_start(&self, flow: u32) {
        prefetch(&self.starts[flow as usize]);
    }

    /// The hop at a place of the list.
    #[inline(always)]
    pub(crate) fn hop(&self, place: u32) -> Hop {
        self.hops[place as usize]
    }

    /// Hop at a place of the list, unpacked to match on.
    #[inline]
    pub(crate) fn next(&self, place: u32) -> Next {
        self.hop(place).next()
    }

    /// The lane right before a place of a route, if it collects packets; ends of tunnels in between
    /// do not count.
    pub(crate) fn lane_before(&self, place: u32) -> Option<u32> {
        let before = self.hops[..place as usize].iter().rev();
        let mut before = before.map(|hop| hop.next());
        match before.find(|next| !matches!(next, Next::Resize(_)))? {
            Next::Collects(lane) => Some(lane),
            _ => None,
        }
    }

    /// The place right after a lane that collects packets, if the lane is on this route of a flow.
    pub(crate) fn after(&self, flow: u32, direction: Direction, lane: u32) -> Option<u32> {
        let start = self.start(flow, direction);
        let mut route = self.way_from(start);
        let place = route.position(|hop| hop.next() == Next::Collects(lane))?;
        Some(start + place as u32 + 1)
    }

    /// Replaces the numbers of lanes by where packets go there, `lane(number)`, and marks the
    /// receivers that collect packets, so that neither has to be looked up for each packet.
    pub(crate) fn mark(&mut self, lane: impl Fn(u32) -> Next, collects: impl Fn(usize) -> bool) {
        for hop in &mut self.hops {
            if let Some(number) = hop.lane() {
                *hop = lane(number).into();
            }
        }
        for way in 0..self.ways() {
            if !collects(self.flow_of(way)) {
                continue;
            }
            let [start, _] = self.starts[way];
            let mut way = self.hops[start as usize..].iter_mut();
            if let Some(host) = way.find(|hop| hop.is_host()) {
                *host = Next::Mailbox.into();
            }
        }
    }

    /// Number of flows.
    pub(crate) fn flows(&self) -> usize {
        self.starts.len() - self.later.len()
    }

    /// Number of ways. Those with the numbers of flows are the ways that these begin with.
    pub(crate) fn ways(&self) -> usize {
        self.starts.len()
    }

    /// The flow that takes a way.
    pub(crate) fn flow_of(&self, way: usize) -> usize {
        match way.checked_sub(self.flows()) {
            None => way,
            Some(place) => self.later[place] as usize,
        }
    }

    /// Leads a flow by the way that it takes after its hand-over number `n`, from 0. Packets under way go on as they began.
    pub(crate) fn lead(&mut self, flow: u32, n: usize) {
        let first = self.later.partition_point(|&other| other < flow);
        debug_assert_eq!(self.later.get(first + n), Some(&flow));
        self.starts[flow as usize] = self.starts[self.flows() + first + n];
    }

    /// The places of a flow's route, its host's included. No other way has any of them.
    pub(crate) fn places(&self, flow: u32, direction: Direction) -> Range<u32> {
        let start = self.start(flow, direction);
        start..start + self.way_from(start).count() as u32 + 1
    }

    /// The links of a way, in order, before [`Self::mark`].
    pub(crate) fn links(&self, way: usize, direction: Direction) -> impl Iterator<Item = u32> {
        let start = self.starts[way][direction as usize];
        self.way_from(start).filter_map(Hop::lane)
    }

    /// The hops from a place of the list on, up to the host at the end of the way.
    fn way_from(&self, start: u32) -> impl Iterator<Item = Hop> {
        let hops = self.hops[start as usize..].iter().copied();
        hops.take_while(|hop| !hop.is_host())
    }
}

/// The passages that routes take, as they are found.
struct Passages<'a> {
    /// Nodes of the stations.
    stations: &'a [usize],
    /// Number of the first passage among the lanes.
    first: u32,
    taken: Vec<(u16, u16)>,
}

impl Passages<'_> {
    /// The number of the lane from one station to another.
    fn lane(&mut self, edge: Edge) -> u32 {
        let place = |node| self.stations.iter().position(|&n| n == node);
        let station = |node| place(node).expect("passages join stations") as u16;
        let passage = (station(edge.from), station(edge.to));
        let known = self.taken.iter().position(|&p| p == passage);
        let number = known.unwrap_or_else(|| {
            self.taken.push(passage);
            self.taken.len() - 1
        });
        self.first + number as u32
    }
}

/// Where an agent meets the packets of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Met {
    /// If its node is between the ends of the flow.
    Between,
    /// Also if its node is an end of the flow.
    Anywhere,
}

/// By flow: where it meets each of the agents, which look into TCP only. Empty for a flow that meets none.
fn agents_met(spec: &Spec, router: &mut Router) -> Vec<Vec<Option<Met>>> {
    let met = |flow: &FlowSpec| {
        let agents = match flow.transport {
            Transport::Tcp(_) => &spec.agents[..],
            Transport::Udp { .. } | Transport::Wtcp { .. } | Transport::Quic { .. } => &[],
        };
        let met = agents.iter().map(|agent| match agent.pair() {
            None => Some(Met::Between),
            Some(pair) => (passes(router, pair, flow) == Passes::Both).then_some(Met::Anywhere),
        });
        met.collect()
    };
    spec.flows.iter().map(met).collect()
}

/// How the packets of a path change at one of its nodes.
fn resize(path: &[(u32, Edge)], tunnels: &[Tunnel], node: usize) -> Option<Next> {
    let place = |node| {
        let last = path.last().map(|(_, edge)| edge.to);
        let end = (last == Some(node)).then_some(path.len());
        path.iter().position(|(_, edge)| edge.from == node).or(end)
    };
    let change = |tunnel: &Tunnel| match (place(tunnel.from), place(tunnel.to)) {
        (Some(from), Some(to)) if from < to => {
            let bytes = i64::from(tunnel.header);
            i64::from(node == tunnel.from) * bytes - i64::from(node == tunnel.to) * bytes
        }
        _ => 0,
    };
    let bytes: i64 = tunnels.iter().map(change).sum();
    let most = i64::from(Hop::MOST_BYTES);
    (bytes != 0).then(|| Next::Resize(bytes.clamp(-most, most) as i32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_says_what_comes_next() {
        let most = Hop::NUMBER as i32;
        for next in [
            Next::Wire(0),
            Next::Wire(Hop::NUMBER),
            Next::Follows(7),
            Next::Collects(Hop::NUMBER),
            Next::Resize(most),
            Next::Resize(-most),
            Next::Sender,
            Next::Receiver,
            Next::Mailbox,
        ] {
            let hop = Hop::from(next);
            assert_eq!(hop.next(), next);
            assert_eq!(
                hop.wire().map(Next::Wire),
                match next {
                    Next::Wire(_) => Some(next),
                    _ => None,
                }
            );
        }
    }
}
