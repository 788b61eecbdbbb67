//! The specification of one simulation, as plain data: the input of [`crate::simulate`].

use std::sync::Arc;

use ecow::EcoString;
use skywave_core::agent::{DownstreamConfig, SnoopConfig, UpstreamConfig};
use skywave_core::link::{LinkConfig, LossConfig};
use skywave_core::mac;
use skywave_core::proxy::ProxyConfig;
use skywave_core::quic;
use skywave_core::radio::{
    Mobility, Position, Propagation, RandomWaypoint, RandomWaypointConfig, Reception, Sensing,
    Track, TrackFollower,
};
pub use skywave_core::routing::RoutingConfig as RoutingSpec;
use skywave_core::tcp::{CongestionConfig, TcpConfig};
use skywave_core::wtcp;
use skywave_core::{Duration, Rate, Time};

mod dist;

pub use dist::Dist;

/// Name of a node, link, flow and the like. A name of 15 bytes or fewer takes no memory beside its owner: a
/// network of many flows has far more names than anything else.
pub type Name = EcoString;

/// Specification of one simulation, ready to run: the network, its flows, and what to measure.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    /// Node names; links and flows refer to them by index.
    pub nodes: Vec<Name>,
    /// One-way links.
    pub links: Vec<LinkSpec>,
    /// The radio network that some nodes are stations of; `None` if there is none.
    pub radio: Option<RadioSpec>,
    /// Flows of data between nodes, each with its transport and its traffic.
    pub flows: Vec<FlowSpec>,
    /// Agents that look into TCP's packets at nodes in the middle of a path (Snoop, D-Proxy); at most one a
    /// node.
    pub agents: Vec<AgentSpec>,
    /// Proxies that each split a flow into two connections, sorted by the index of their `near` flow.
    pub proxies: Vec<ProxySpec>,
    /// When the run ends.
    pub duration: Time,
    /// Start and end of the window that is measured.
    pub measure: (Time, Time),
    /// Seed of all named random streams.
    pub seed: u64,
    /// Record time series (cwnd, RTT, queue, …).
    pub series: bool,
    /// Also measure what costs time on every packet: when each segment first arrives, and how full
    /// queues are.
    pub details: bool,
    /// Count delivered bytes in bins of this length, from the start of the run.
    pub bins: Option<Duration>,
    /// Keep each transfer of [`Traffic::Requests`] by itself, at most
    /// [`MAX_REQUESTS`](crate::outcome::MAX_REQUESTS) a flow.
    pub requests: bool,
}

/// A one-way link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSpec {
    /// Name, unique; also names its random streams.
    pub name: Name,
    /// Node that sends.
    pub from: usize,
    /// Node that receives.
    pub to: usize,
    /// Configuration of the link. Links that are alike may share it.
    pub config: Arc<LinkConfig>,
}

/// A radio network: stations that share a channel. Each can be reached from each other, by way of
/// others where it must be.
#[derive(Clone, Debug, PartialEq)]
pub struct RadioSpec {
    /// The stations; the network knows each by its place here.
    pub stations: Vec<StationSpec>,
    /// How signals weaken with distance.
    pub propagation: Propagation,
    /// Rule by which a station receives frames of which several overlap in time.
    pub reception: Reception,
    /// Signals for which a station finds the channel taken.
    pub sensing: Sensing,
    /// The MAC of all stations.
    pub mac: mac::Config,
    /// How stations find their ways to others.
    pub routing: RoutingSpec,
    /// Flows of TCP whose last hop is acknowledged by the MAC for TCP (L²CLAMP). They end at stations, and their ACKs
    /// enter the network there.
    pub clamped: Vec<usize>,
    /// Record what each station does in this window.
    pub timeline: Option<(Time, Time)>,
}

/// A station of a radio network.
#[derive(Clone, Debug, PartialEq)]
pub struct StationSpec {
    /// Node of the station.
    pub node: usize,
    /// Where the station is, as time goes on.
    pub movement: Movement,
    /// IP layer of the station, as a link within it that the packets pass which it sends into the network,
    /// its own and others': rate, delay, jitter and losses.
    pub ip: Option<LinkConfig>,
    /// Losses of frames of any kind that it would otherwise receive whole, whoever they are for.
    pub loss: Vec<LossConfig>,
}

impl StationSpec {
    /// The name from which the names of its random streams are made.
    pub(crate) fn entity(&self, run: &Spec) -> String {
        format!("station.{}", run.nodes[self.node])
    }

    /// The machine of its movement.
    pub(crate) fn mobility(&self, run: &Spec) -> Mobility {
        match &self.movement {
            Movement::Fixed(position) => Mobility::Fixed(*position),
            Movement::Track(track) => Mobility::Track(TrackFollower::new(track.clone())),
            Movement::RandomWaypoint(config) => {
                let random = RandomWaypoint::new(*config, run.seed, &self.entity(run));
                Mobility::RandomWaypoint(random)
            }
        }
    }
}

/// How a station moves.
#[derive(Clone, Debug, PartialEq)]
pub enum Movement {
    /// A station that does not move.
    Fixed(Position),
    /// Movement by commands that a file has: when to go where, and how fast.
    Track(Track),
    /// Movement to random places; the seed draws them.
    RandomWaypoint(RandomWaypointConfig),
}

impl Movement {
    /// Whether the station never moves.
    pub fn is_fixed(&self) -> bool {
        match self {
            Self::Fixed(_) => true,
            Self::Track(track) => track.commands.is_empty(),
            Self::RandomWaypoint(_) => false,
        }
    }
}

/// An agent at a node. It looks into the packets of each TCP flow that passes the node, in both
/// directions, on its way between two others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AgentSpec {
    /// Node of the agent.
    pub node: usize,
    /// Kind of the agent, which helps TCP connections that pass the node, with its settings: Snoop, or a half of D-Proxy.
    pub kind: AgentKind,
}

impl AgentSpec {
    /// Agent at `node` for Snoop, which retransmits from there what is lost on the wireless hop after it.
    pub fn snoop(node: usize, config: SnoopConfig) -> Self {
        let kind = AgentKind::Snoop(config);
        Self { node, kind }
    }

    /// The two agents of D-Proxy, before and after a lossy hop.
    pub fn d_proxy(
        (before, upstream): (usize, UpstreamConfig),
        (after, downstream): (usize, DownstreamConfig),
    ) -> [Self; 2] {
        let upstream = AgentKind::Upstream {
            config: upstream,
            downstream: after,
        };
        let downstream = AgentKind::Downstream {
            config: downstream,
            upstream: before,
        };
        [(before, upstream), (after, downstream)].map(|(node, kind)| Self { node, kind })
    }

    /// Nodes of both agents of the D-Proxy that this agent belongs to, in the order in which data pass them;
    /// `None` for Snoop.
    pub fn pair(&self) -> Option<(usize, usize)> {
        match self.kind {
            AgentKind::Snoop(_) => None,
            AgentKind::Upstream { downstream, .. } => Some((self.node, downstream)),
            AgentKind::Downstream { upstream, .. } => Some((upstream, self.node)),
        }
    }
}

/// Kind of an agent, with its settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AgentKind {
    /// Snoop: keeps segments on their way to a mobile host, and retransmits at the first duplicate ACK.
    Snoop(SnoopConfig),
    /// D-Proxy before a lossy hop. It and its other half look only at flows whose data pass it before the other, and whose
    /// ACKs pass it after the other. Either may be at an end of a flow.
    Upstream {
        /// Settings of D-Proxy before the hop.
        config: UpstreamConfig,
        /// Node of the other half, which has to be there.
        downstream: usize,
    },
    /// D-Proxy after a lossy hop.
    Downstream {
        /// Settings of D-Proxy after the hop.
        config: DownstreamConfig,
        /// Node of the other half, which has to be there.
        upstream: usize,
    },
}

/// A proxy: two TCP flows, one to its node and one from there, are the halves of one flow. Both have connections of
/// their own, which open by a handshake and close by FIN whatever their configurations say.
#[derive(Clone, Debug, PartialEq)]
pub struct ProxySpec {
    /// Name of the whole flow.
    pub name: Name,
    /// Index of the flow from the source to the proxy.
    pub near: usize,
    /// Index of the flow from the proxy to the destination; the one after `near`. The proxy is its
    /// application, so that its `traffic` says nothing.
    pub far: usize,
    /// Bytes that the proxy holds at most.
    pub buffer: u32,
    /// Policies of the proxy.
    pub config: ProxyConfig,
    /// When the destination learns that it was cut off and is no longer, in order: it announces itself to the
    /// proxy by three acknowledgements.
    pub reconnections: Vec<Time>,
    /// When the proxy fails: it forgets everything, and nobody at its node answers any more.
    pub fails_at: Option<Time>,
    /// Moves of the proxy to other nodes, in order of time.
    pub hand_overs: Vec<HandOver>,
}

/// The destination leaves the cell of the node where the proxy is and enters another one, and the proxy follows it.
///
/// If the hand-over before it is not done yet, it begins when that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandOver {
    /// Time of the run at which the destination leaves the cell of the node where the proxy is.
    pub at: Time,
    /// Node that the proxy moves to. Paths of links lead there from the source, from there to the destination, and back.
    pub to: usize,
    /// Index of the TCP flow that carries the proxy's state, from the node where the proxy is until then;
    /// after `far`, and before the `near` of the next proxy. The proxy is its application: its `traffic` says
    /// nothing.
    pub state: usize,
}

impl ProxySpec {
    /// Indices of the flows that carry the proxy's state, one for each hand-over in their order.
    pub fn states(&self) -> impl Iterator<Item = usize> + '_ {
        self.hand_overs.iter().map(|hand_over| hand_over.state)
    }

    /// Both connections of the split flow after each hand-over: the index of the flow, and its specification
    /// with the proxy's new node as an end. No agent may be on their routes, nor on those before.
    pub fn moved_halves<'a>(
        &'a self,
        flows: &'a [FlowSpec],
    ) -> impl Iterator<Item = (usize, FlowSpec)> + 'a {
        self.hand_overs.iter().flat_map(|hand_over| {
            let near = FlowSpec {
                to: hand_over.to,
                ..flows[self.near].clone()
            };
            let far = FlowSpec {
                from: hand_over.to,
                ..flows[self.far].clone()
            };
            [(self.near, near), (self.far, far)]
        })
    }
}

/// A flow from one node to another.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowSpec {
    /// Name, unique; also names its random streams.
    pub name: Name,
    /// Node of the data sender.
    pub from: usize,
    /// Node of the data receiver.
    pub to: usize,
    /// The way of its packets; `None` for the one with the fewest hops.
    pub route: Option<Box<Route>>,
    /// Transport protocol of the flow, with its settings.
    pub transport: Transport,
    /// The application's traffic.
    pub traffic: Traffic,
    /// When the flow starts.
    pub start: Time,
    /// When the application stops handing over data; `None` for the end of the run.
    pub stop: Option<Time>,
}

impl FlowSpec {
    /// Route of the flow's packets; an empty one (fewest hops everywhere) where [`Self::route`] is `None`.
    pub fn way(&self) -> &Route {
        static FEWEST_HOPS: Route = Route {
            via: Vec::new(),
            reverse_via: Vec::new(),
            tunnels: Vec::new(),
            outages: Vec::new(),
        };
        self.route.as_deref().unwrap_or(&FEWEST_HOPS)
    }
}

/// The way of a flow's packets, where it is not the one with the fewest hops everywhere.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Route {
    /// Nodes that data pass, in order; between them the fewest hops.
    pub via: Vec<usize>,
    /// Nodes that ACKs pass on their way back.
    pub reverse_via: Vec<usize>,
    /// Stretches on which packets have another header.
    pub tunnels: Vec<Tunnel>,
    /// Disconnections that the receiver of a TCP flow sees coming, in order: it freezes the sender for them
    /// (Freeze-TCP). With any, the flow has whole connections, which shake hands and close whatever their
    /// configuration says.
    pub outages: Vec<Outage>,
}

/// A disconnection that a receiver announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// When the receiver tells of a window of zero.
    pub warned: Time,
    /// When the receiver announces itself again, by three acknowledgements with its window.
    pub over: Time,
}

/// A stretch of a route on which packets travel inside others, as from a home agent to a foreign agent
/// (Mobile IP). It holds in each direction in which packets pass `from` before `to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tunnel {
    /// Node where packets enter the tunnel, an index into [`Spec::nodes`].
    pub from: usize,
    /// Node where packets leave the tunnel, an index into [`Spec::nodes`].
    pub to: usize,
    /// Bytes of the outer header.
    pub header: u32,
}

/// The protocol of a flow.
#[derive(Clone, Debug, PartialEq)]
pub enum Transport {
    /// TCP.
    Tcp(Arc<TcpConfig>),
    /// UDP; each packet has this many bytes of IP and UDP headers on top of its payload.
    Udp {
        /// Header bytes on the wire.
        header: u32,
    },
    /// WTCP in UDP datagrams.
    Wtcp {
        /// The protocol's parameters.
        config: Arc<wtcp::Config>,
        /// Bytes of the headers below WTCP's own: IP and UDP.
        header: u32,
    },
    /// QUIC in UDP datagrams.
    Quic {
        /// The connection's settings.
        config: Arc<quic::Config>,
        /// Bytes of the headers below QUIC's own: IP and UDP.
        header: u32,
    },
}

/// Traffic of an application.
#[derive(Clone, Debug, PartialEq)]
pub enum Traffic {
    /// Data without end.
    Ftp,
    /// Data of this many bytes, then close.
    Bytes(u64),
    /// A packet of this size at constant intervals.
    Cbr {
        /// Payload rate.
        rate: Rate,
        /// Payload bytes a packet.
        packet: u32,
        /// Each interval is drawn uniformly within ± this share of itself.
        jitter: f64,
    },
    /// Constant-rate bursts with pauses.
    OnOff {
        /// Payload rate while on.
        rate: Rate,
        /// Payload bytes a packet.
        packet: u32,
        /// Length of a burst, seconds.
        on: Dist,
        /// Length of a pause, seconds.
        off: Dist,
    },
    /// Transfers of random size at random intervals on one connection.
    Requests {
        /// Bytes of one transfer.
        size: Dist,
        /// Pause, seconds.
        think: Dist,
        /// Where the pause starts.
        pause_from: PauseFrom,
    },
}

/// Where the pause between two transfers starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PauseFrom {
    /// Pause from the end of the transfer before: think time.
    End,
    /// Pause from the start of the transfer before: arrivals do not wait for the network.
    Start,
}

impl FlowSpec {
    /// Whether it is measured how long each transfer of [`Traffic::Requests`] takes: false for other traffic,
    /// and for UDP, where nobody knows which transfer lacks a lost datagram.
    pub fn measures_requests(&self) -> bool {
        matches!(self.traffic, Traffic::Requests { .. })
            && !matches!(self.transport, Transport::Udp { .. })
    }
}

impl Spec {
    /// Length of the measured window.
    pub fn window(&self) -> Duration {
        self.measure.1.since(self.measure.0)
    }

    /// Whether the application of this flow closes its connection before the run ends, so that the flow is to complete. Of
    /// a flow behind a proxy the application is the source's.
    pub(crate) fn closes(&self, flow: usize) -> bool {
        let mut proxies = self.proxies.iter();
        let source = proxies.find(|proxy| proxy.far == flow);
        let flow = &self.flows[source.map_or(flow, |proxy| proxy.near)];
        let stops = flow.stop.is_some_and(|at| at < self.duration);
        !matches!(flow.transport, Transport::Udp { .. })
            && (stops || matches!(flow.traffic, Traffic::Bytes(_)))
    }

    /// The nodes of the radio network's stations, in their order.
    pub fn stations(&self) -> Vec<usize> {
        let radio = self.radio.iter();
        radio
            .flat_map(|r| r.stations.iter().map(|s| s.node))
            .collect()
    }

    /// Where the stations of the radio network are at the start, in their order.
    pub fn places(&self) -> Vec<Position> {
        let stations = self.radio.iter().flat_map(|radio| &radio.stations);
        let start = |station: &StationSpec| station.mobility(self).position(Time::ZERO);
        stations.map(start).collect()
    }

    /// Whether some flow has a congestion control or another policy of a user's own: the specification alone
    /// does not decide the outcome then.
    pub fn has_custom(&self) -> bool {
        self.flows.iter().any(|flow| match &flow.transport {
            Transport::Tcp(config) => config.composition.has_custom(),
            Transport::Quic { config, .. } => {
                matches!(config.congestion, CongestionConfig::Custom(_))
            }
            Transport::Udp { .. } | Transport::Wtcp { .. } => false,
        })
    }
}
