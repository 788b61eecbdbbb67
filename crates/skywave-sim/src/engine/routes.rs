//! The way of every flow's packets, link by link.

use skywave_core::packet::{Body, Packet};

use super::prefetch::prefetch;
use crate::network::{Edge, Router, edges};
use crate::spec::{AgentSpec, FlowSpec, Spec, Transport, Tunnel};

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
            Body::TcpAck(_) | Body::WtcpBack(_) => Self::Reverse,
            Body::TcpData(_) | Body::Udp(_) | Body::WtcpForward(_) => Self::Forward,
        }
    }
}

/// The routes of all flows, one behind the other in one list, so that a packet only needs its place.
/// Between the links of a route stand the changes of its packets' size, and the agents, as links with
/// the numbers behind those of the links; and behind those the passages, from a station of the radio
/// network to another.
#[derive(Debug)]
pub(crate) struct Routes {
    /// The passages that flows take: their stations, by their places in the specification.
    pub(crate) passages: Vec<(u16, u16)>,
    hops: Vec<u32>,
    /// By flow: where its routes start.
    starts: Vec<[u32; 2]>,
}

/// Behind the last link: the packet is with its host, the data sender or the data receiver.
const SENDER: u32 = u32::MAX;
const RECEIVER: u32 = u32::MAX - 1;

/// Set beside the number of a link that collects packets.
const COLLECTS: u32 = 1 << 31;

/// Set beside [`COLLECTS`] in what is no link: the end of a route, or a change of size.
const OTHER: u32 = 1 << 30;

/// Set in a change of size that takes bytes away; below it their number.
const SHRINKS: u32 = 1 << 29;

/// Where a packet comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// A link that decides at once.
    Follows(u32),
    /// A link that collects packets.
    Collects(u32),
    /// The host at the end of this direction.
    Host(Direction),
    /// The end of a tunnel: its size changes by so many bytes.
    Resize(i32),
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
        let mut hops = Vec::new();
        let mut route =
            |from, via: &[usize], to, tunnels: &[Tunnel], host, agents: &[AgentSpec]| {
                let start = hops.len() as u32;
                let path = router.route(from, via, to);
                let path = path.unwrap_or_else(|e| panic!("{e}: the scenario layer checks this"));
                let mut node = from;
                let path: Vec<(u32, Edge)> = path.iter().map(|&e| (e, edges[e as usize])).collect();
                for &(link, edge) in &path {
                    let size = resize(&path, tunnels, node);
                    let agent = (node != from).then(|| agents.iter().position(|a| a.node == node));
                    let agent = agent
                        .flatten()
                        .map(|agent| (spec.links.len() + agent) as u32);
                    // Outside of a tunnel that begins or ends here.
                    if size.is_some_and(|size| size & SHRINKS == 0) {
                        hops.extend(agent.into_iter().chain(size));
                    } else {
                        hops.extend(size.into_iter().chain(agent));
                    }
                    let is_link = (link as usize) < spec.links.len();
                    hops.push(if is_link { link } else { passages.lane(edge) });
                    node = edge.to;
                }
                hops.extend(resize(&path, tunnels, node));
                hops.push(host);
                [start, hops.len() as u32 - 1]
            };
        let routes = |flow: &FlowSpec| {
            let way = &flow.route;
            // They look into TCP alone.
            let agents = match flow.transport {
                Transport::Tcp(_) => &spec.agents[..],
                Transport::Udp { .. } | Transport::Wtcp { .. } => &[],
            };
            let (from, to, tunnels) = (flow.from, flow.to, &way.tunnels);
            let [forward, end] = route(from, &way.via, to, tunnels, RECEIVER, agents);
            let mut back = || route(to, &way.reverse_via, from, tunnels, SENDER, agents)[0];
            match flow.transport {
                Transport::Tcp(_) | Transport::Wtcp { .. } => [forward, back()],
                // Nothing comes back from a datagram.
                Transport::Udp { .. } => [forward, end],
            }
        };
        let starts = spec.flows.iter().map(routes).collect();
        Self {
            passages: passages.taken,
            hops,
            starts,
        }
    }

    /// The first place of a flow's route.
    #[inline]
    pub(crate) fn start(&self, flow: u32, direction: Direction) -> u32 {
        self.starts[flow as usize][direction as usize]
    }

    /// [`Self::start`] will be asked.
    #[inline]
    pub(crate) fn prefetch_start(&self, flow: u32) {
        prefetch(&self.starts[flow as usize], 0, 1);
    }

    /// What lies at a place of a route.
    #[inline]
    pub(crate) fn next(&self, hop: u32) -> Next {
        let next = self.hops[hop as usize];
        if next & COLLECTS == 0 {
            Next::Follows(next)
        } else if next & OTHER == 0 {
            Next::Collects(next & !COLLECTS)
        } else if next >= RECEIVER {
            Next::Host(if next == RECEIVER {
                Direction::Forward
            } else {
                Direction::Reverse
            })
        } else {
            let bytes = (next & (SHRINKS - 1)) as i32;
            Next::Resize(if next & SHRINKS == 0 { bytes } else { -bytes })
        }
    }

    /// What collects packets right before a place of a route, other than that their size may change in
    /// between.
    pub(crate) fn lane_before(&self, hop: u32) -> Option<u32> {
        let before = self.hops[..hop as usize].iter().rev();
        let mut before = before.skip_while(|&&hop| hop < RECEIVER && hop & OTHER != 0);
        let hop = *before.next()?;
        (hop & COLLECTS != 0 && hop & OTHER == 0).then_some(hop & !COLLECTS)
    }

    /// Marks the links that collect packets.
    pub(crate) fn mark(&mut self, collects: impl Fn(u32) -> bool) {
        for hop in &mut self.hops {
            if *hop & COLLECTS == 0 && collects(*hop) {
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
            .take_while(|&hop| hop < RECEIVER)
            .filter(|&hop| hop & OTHER == 0)
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

/// How the packets of a path change at one of its nodes.
fn resize(path: &[(u32, Edge)], tunnels: &[Tunnel], node: usize) -> Option<u32> {
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
    let size = bytes.unsigned_abs().min(u64::from(SHRINKS - 1)) as u32;
    let sign = if bytes < 0 { SHRINKS } else { 0 };
    (size > 0).then_some(COLLECTS | OTHER | sign | size)
}
