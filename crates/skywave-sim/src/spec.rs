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
    /// One-way links between the nodes; a link that carries both ways is two of them.
    pub links: Vec<LinkSpec>,
    /// The radio network that some nodes are stations of; `None` if there is none.
    pub radio: Option<RadioSpec>,
    /// Flows of data between nodes, each with its transport and its traffic.
    pub flows: Vec<FlowSpec>,
    /// Agents that look into TCP's packets at nodes in the middle of a path (Snoop, D-Proxy); at most one a
    /// node.
    pub agents: Vec<AgentSpec>,
    /// Proxies that each split a flow into two connections, sorted by [`ProxySpec::near`].
    pub proxies: Vec<ProxySpec>,
    /// End of the run, in simulated time that begins at 0.
    pub duration: Time,
    /// Start and end of the window that is measured.
    pub measure: (Time, Time),
    /// Seed of all random streams: with another one, all draws of the run are others.
    pub seed: u64,
    /// Whether time series (cwnd, RTT, queue, …) are recorded.
    pub series: bool,
    /// Whether that is measured, too, which costs time on every packet: when each segment first arrives, and how full
    /// queues are.
    pub details: bool,
    /// Length of the bins of time in which delivered bytes are counted, from the start of the run; `None` for no such
    /// counts.
    pub bins: Option<Duration>,
    /// Whether each transfer of [`Traffic::Requests`] is recorded by itself, at most
    /// [`MAX_REQUESTS`](crate::outcome::MAX_REQUESTS) a flow.
    pub requests: bool,
}

/// A one-way link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSpec {
    /// Name of the link, unique; also names its random streams.
    pub name: Name,
    /// Node that sends into the link, an index into [`Spec::nodes`].
    pub from: usize,
    /// Node that receives from the link, an index into [`Spec::nodes`].
    pub to: usize,
    /// Configuration of the link. Links that are alike may share it.
    pub config: Arc<LinkConfig>,
}

/// A radio network: stations that share a channel. Any two of them can be ends of a flow, whose packets other stations
/// forward where they must.
#[derive(Clone, Debug, PartialEq)]
pub struct RadioSpec {
    /// Stations of the network, which knows each by its index here.
    pub stations: Vec<StationSpec>,
    /// How signals weaken with distance.
    pub propagation: Propagation,
    /// Rule by which a station receives frames of which several overlap in time.
    pub reception: Reception,
    /// Rule by which a signal makes a station find the channel taken.
    pub sensing: Sensing,
    /// Settings of the MAC (802.11) that all stations have.
    pub mac: mac::Config,
    /// Routing by which stations find their ways to others.
    pub routing: RoutingSpec,
    /// Indices of the TCP flows with L²CLAMP: the station before the last hop makes the receiver's ACKs out of those of
    /// the MAC. Such flows end at stations, and their ACKs enter the network there.
    pub clamped: Vec<usize>,
    /// Start and end of the window in which the activities of each station are recorded; `None` to record none.
    pub timeline: Option<(Time, Time)>,
}

/// A station of a radio network.
#[derive(Clone, Debug, PartialEq)]
pub struct StationSpec {
    /// Node that the station is, an index into [`Spec::nodes`].
    pub node: usize,
    /// Place of the station, as time goes on.
    pub movement: Movement,
    /// Model of the station's IP layer, a link within it (rate, delay, jitter, losses) that all packets pass which the
    /// station sends into the network, its own and others'. `None` if they are not held up.
    pub ip: Option<LinkConfig>,
    /// Models of losses of the frames that the station would otherwise receive whole, of any kind and whoever they are
    /// for.
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

/// Place of a station over time.
#[derive(Clone, Debug, PartialEq)]
pub enum Movement {
    /// A place that never changes.
    Fixed(Position),
    /// Movement by the commands of a file: when to go where, and how fast.
    Track(Track),
    /// Movement from one random place to the next; the seed of the run draws them.
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

/// An agent at a node in the middle of a path, which helps TCP: it looks into the packets of each TCP flow that passes
/// the node, in both directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AgentSpec {
    /// Node of the agent, an index into [`Spec::nodes`].
    pub node: usize,
    /// Kind of the agent, with its settings: Snoop, or a half of D-Proxy.
    pub kind: AgentKind,
}

impl AgentSpec {
    /// Agent at `node` for Snoop, which retransmits from there the segments that are lost on the wireless hop after it.
    pub fn snoop(node: usize, config: SnoopConfig) -> Self {
        let kind = AgentKind::Snoop(config);
        Self { node, kind }
    }

    /// Both agents of D-Proxy: the upstream one before a lossy hop, then the downstream one after it, each given by its
    /// node and settings.
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

/// Kind of an agent at a node in the middle of a path, with its settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AgentKind {
    /// Snoop: keeps segments on their way to a mobile host, and retransmits at the first duplicate ACK.
    Snoop(SnoopConfig),
    /// D-Proxy before a lossy hop. This half and the one after the hop look only at flows whose data pass the node of
    /// this one first, and whose ACKs pass it last. Either node may be an end of a flow.
    Upstream {
        /// Settings of D-Proxy before the hop.
        config: UpstreamConfig,
        /// Node of the half after the hop, at which [`Spec::agents`] must have it.
        downstream: usize,
    },
    /// D-Proxy after a lossy hop; its other half is an [`AgentKind::Upstream`].
    Downstream {
        /// Settings of D-Proxy after the hop.
        config: DownstreamConfig,
        /// Node of the half before the hop, at which [`Spec::agents`] must have it.
        upstream: usize,
    },
}

/// A proxy that splits a TCP flow into two connections, which are the flows [`Self::near`] and [`Self::far`]. Both open
/// by a handshake and close by FIN, whatever their configurations say.
#[derive(Clone, Debug, PartialEq)]
pub struct ProxySpec {
    /// Name of the whole flow, from the source to the destination.
    pub name: Name,
    /// Index in [`Spec::flows`] of the flow from the source to the proxy.
    pub near: usize,
    /// Index in [`Spec::flows`] of the flow from the proxy to the destination; the one after [`Self::near`]. The proxy
    /// is its application, so that its [`FlowSpec::traffic`] says nothing.
    pub far: usize,
    /// Most bytes that the proxy holds at a time.
    pub buffer: u32,
    /// Policies of the proxy towards either side: which bytes it acknowledges to the source and which window it grants,
    /// and when it hands data on to the destination.
    pub config: ProxyConfig,
    /// Times, in order, at which the destination learns that it can be reached again after it was cut off: it announces
    /// itself to the proxy by three acknowledgements.
    pub reconnections: Vec<Time>,
    /// Time at which the proxy fails, forgets everything and no longer answers; `None` if it never does.
    pub fails_at: Option<Time>,
    /// Moves of the proxy to other nodes, in order of time.
    pub hand_overs: Vec<HandOver>,
}

/// Hand-over of a proxy: the destination leaves the cell of the node where the proxy is and enters another one, and the
/// proxy follows it. A hand-over begins no sooner than the one before is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandOver {
    /// Time of the run at which the destination leaves the cell of the node where the proxy is.
    pub at: Time,
    /// Node that the proxy moves to, an index into [`Spec::nodes`]. Paths of links lead there from the source, from
    /// there to the destination, and back.
    pub to: usize,
    /// Index in [`Spec::flows`] of the TCP flow that carries the proxy's state from its old node; it stands after
    /// [`ProxySpec::far`], and before the `near` of the next proxy. The proxy is its application, so that its traffic
    /// says nothing.
    pub state: usize,
}

impl ProxySpec {
    /// Indices in [`Spec::flows`] of the flows that carry the proxy's state, one for each hand-over in their order.
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
    /// Name of the flow, unique; also names its random streams.
    pub name: Name,
    /// Node of the data sender, an index into [`Spec::nodes`].
    pub from: usize,
    /// Node of the data receiver, an index into [`Spec::nodes`].
    pub to: usize,
    /// Route of the flow's packets; `None` for the one with the fewest hops.
    pub route: Option<Box<Route>>,
    /// Transport protocol of the flow, with its settings.
    pub transport: Transport,
    /// Traffic of the sending application: how much data it hands over when.
    pub traffic: Traffic,
    /// Time at which the flow starts.
    pub start: Time,
    /// Time at which the application stops handing over data; `None` for the end of the run.
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

/// Route of a flow's packets, where it is not the one with the fewest hops everywhere.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Route {
    /// Nodes that data pass on their way, in order; between them they take the fewest hops.
    pub via: Vec<usize>,
    /// Nodes that ACKs pass on their way back, in order; between them they take the fewest hops.
    pub reverse_via: Vec<usize>,
    /// Stretches on which packets travel inside others, with another header around them.
    pub tunnels: Vec<Tunnel>,
    /// Disconnections that the receiver of a TCP flow sees coming, in order: it freezes the sender for them
    /// (Freeze-TCP). With any, the flow has whole connections, which shake hands and close whatever their
    /// configuration says.
    pub outages: Vec<Outage>,
}

/// A disconnection that a receiver announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// Time at which the receiver sees the disconnection coming and announces a window of zero, which freezes the
    /// sender.
    pub warned: Time,
    /// Time at which the receiver is connected again and says so by three acknowledgements with its window.
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

/// Transport protocol of a flow, with its settings.
#[derive(Clone, Debug, PartialEq)]
pub enum Transport {
    /// TCP.
    Tcp(Arc<TcpConfig>),
    /// UDP.
    Udp {
        /// Size of the IP and UDP headers that each packet has on top of its payload, bytes.
        header: u32,
    },
    /// WTCP in UDP datagrams.
    Wtcp {
        /// Settings of WTCP.
        config: Arc<wtcp::Config>,
        /// Size of the headers below WTCP's own, bytes: IP and UDP.
        header: u32,
    },
    /// QUIC in UDP datagrams.
    Quic {
        /// Settings of the QUIC connection.
        config: Arc<quic::Config>,
        /// Size of the headers below QUIC's own, bytes: IP and UDP.
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
    /// Packets of one size at constant intervals.
    Cbr {
        /// Mean rate of the payload.
        rate: Rate,
        /// Payload of a packet, bytes.
        packet: u32,
        /// Share (0 to 1) of the interval between two packets by which each is drawn shorter or longer, uniformly.
        jitter: f64,
    },
    /// Constant-rate bursts with pauses.
    OnOff {
        /// Rate of the payload during a burst.
        rate: Rate,
        /// Payload of a packet, bytes.
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
        /// Length of the pause between two transfers, seconds.
        think: Dist,
        /// Event from which on the pause lasts: the end or the start of the transfer before.
        pause_from: PauseFrom,
    },
}

/// Event from which on the pause between two transfers lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PauseFrom {
    /// Pause from the end of the transfer before: think time.
    End,
    /// Pause from the start of the transfer before: arrivals do not wait for the network.
    Start,
}

impl FlowSpec {
    /// Whether a run measures how long each transfer of [`Traffic::Requests`] takes: false for other traffic, and for
    /// UDP, where nobody knows which transfer lacks a lost datagram.
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

    /// Indices of the nodes that are stations of the radio network, in the order of [`RadioSpec::stations`]; empty
    /// without one.
    pub fn stations(&self) -> Vec<usize> {
        let radio = self.radio.iter();
        radio
            .flat_map(|r| r.stations.iter().map(|s| s.node))
            .collect()
    }

    /// Positions of the radio network's stations at the start of the run, in the order of [`RadioSpec::stations`];
    /// empty without one.
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
