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

/// Name of a node, link, flow and the like. A name of 15 bytes or fewer needs no allocation of its own: a network of
/// many flows has many names.
pub type Name = EcoString;

/// Specification of one simulation, ready to run: the network, its flows, and what to measure. The default has no
/// network, lasts no time and measures nothing beside what every run does.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Spec {
    /// Node names; links and flows refer to them by index.
    pub nodes: Vec<Name>,
    /// One-way links between the nodes; a link that carries both ways is two of them.
    pub links: Vec<LinkSpec>,
    /// Radio network, of which some nodes are stations; `None` if there is none.
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
    /// Seed of all random streams of the run; another seed changes every random draw.
    pub seed: u64,
    /// Whether time series (cwnd, RTT, queue, …) are recorded.
    pub series: bool,
    /// Whether the run also measures when each segment first arrives and how full queues are, which costs time on
    /// every packet.
    pub details: bool,
    /// Length of the bins of time in which delivered bytes are counted, from the start of the run; `None` for no such
    /// counts.
    pub bins: Option<Duration>,
    /// Whether the outcome lists each transfer of [`Traffic::Requests`] with its time, at most
    /// [`MAX_REQUESTS`](crate::outcome::MAX_REQUESTS) a flow.
    pub requests: bool,
}

/// Specification of a one-way link from one node to another.
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

/// Specification of a radio network: stations that share a channel. Any two of them can be ends of a flow; other
/// stations forward its packets where the two cannot reach each other directly.
#[derive(Clone, Debug, PartialEq)]
pub struct RadioSpec {
    /// Stations of the network; a station's index in this list is its number in the network.
    pub stations: Vec<StationSpec>,
    /// Model by which signals weaken with distance.
    pub propagation: Propagation,
    /// Rule that decides which frame, if any, a station receives when several overlap in time.
    pub reception: Reception,
    /// Rule that decides from which signals a station finds the channel busy (carrier sense).
    pub sensing: Sensing,
    /// Settings of the MAC (802.11) that all stations have.
    pub mac: mac::Config,
    /// Routing by which stations find multi-hop routes to each other: static, AODV, DSDV or DSR.
    pub routing: RoutingSpec,
    /// Indices in [`Spec::flows`] of the TCP flows with L²CLAMP: the station before the last hop makes the receiver's
    /// TCP ACKs out of the MAC's. Each of these flows ends at a station, where its ACKs enter the radio network.
    pub clamped: Vec<usize>,
    /// Start and end of the window in which the activities of each station are recorded; `None` to record none.
    pub timeline: Option<(Time, Time)>,
}

/// Specification of a station of a radio network.
#[derive(Clone, Debug, PartialEq)]
pub struct StationSpec {
    /// Node that the station is, an index into [`Spec::nodes`].
    pub node: usize,
    /// Place of the station over time: fixed, or as it moves.
    pub movement: Movement,
    /// Model of the station's IP layer: a link within the station (rate, delay, jitter, losses) that each packet of a
    /// flow passes before its routing and MAC, be it the station's own or a forwarded one; messages of the routing
    /// protocol do not. `None` for no delay and no loss there.
    pub ip: Option<LinkConfig>,
    /// Models of loss at the station's receiver: they apply to every frame that it would otherwise receive intact, of
    /// any type and whatever its destination.
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
    /// Snoop agent at `node`, which retransmits from there the segments that are lost on the wireless hop after it.
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
    /// Snoop: keeps segments on their way to a mobile host, and retransmits at a duplicate ACK: by default the first;
    /// its settings may add a timer.
    Snoop(SnoopConfig),
    /// Half of D-Proxy before a lossy hop. Both halves look only at flows whose data pass this half's node before the
    /// other half's, and whose ACKs pass the two in reverse. Either node may be an end of a flow.
    Upstream {
        /// Settings of D-Proxy before the hop.
        config: UpstreamConfig,
        /// Node of the half after the hop, at which [`Spec::agents`] must have it.
        downstream: usize,
    },
    /// Half of D-Proxy after a lossy hop; the other half is an [`AgentKind::Upstream`].
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
    /// Index in [`Spec::flows`] of the flow from the proxy to the destination: that directly after [`Self::near`]. The
    /// proxy is the flow's sending application, so that the flow's [`FlowSpec::traffic`] is ignored.
    pub far: usize,
    /// Most payload bytes that the proxy holds at a time.
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
/// proxy follows it. If the state of an earlier hand-over is still on its way at [`Self::at`], this one begins when all
/// of it has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandOver {
    /// Time of the run at which the destination leaves the cell of the node where the proxy is.
    pub at: Time,
    /// Node that the proxy moves to, an index into [`Spec::nodes`]. Links must lead from the source to this node, from
    /// this node to the destination, and back.
    pub to: usize,
    /// Index in [`Spec::flows`] of the TCP flow that carries the proxy's state from its old node; it stands after
    /// [`ProxySpec::far`], and before the `near` of the next proxy. The proxy is this flow's sending application, so
    /// that its [`FlowSpec::traffic`] is ignored.
    pub state: usize,
}

impl ProxySpec {
    /// Indices in [`Spec::flows`] of the flows that carry the proxy's state, one for each hand-over in their order.
    pub fn states(&self) -> impl Iterator<Item = usize> + '_ {
        self.hand_overs.iter().map(|hand_over| hand_over.state)
    }

    /// Both connections of the split flow after each hand-over: the index of each in `flows`, and its specification
    /// with the proxy's new node as an end. No agent may be on their routes, before or after a hand-over.
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

/// Specification of a flow of data from one node to another.
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
    /// Time at which the flow starts, and its application begins to hand over data.
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

    /// Whether a run measures how long each transfer of [`Traffic::Requests`] takes: false for other traffic, and for
    /// UDP, where nobody knows which transfer lacks a lost datagram.
    pub fn measures_requests(&self) -> bool {
        matches!(self.traffic, Traffic::Requests { .. })
            && !matches!(self.transport, Transport::Udp { .. })
    }
}

/// Route of a flow's packets, where it is not the one with the fewest hops everywhere.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Route {
    /// Nodes that data pass on their way, in order, as indices into [`Spec::nodes`]; between these the route has the
    /// fewest hops.
    pub via: Vec<usize>,
    /// Nodes that ACKs pass on their way back, in order, as indices into [`Spec::nodes`]; between these the route has
    /// the fewest hops.
    pub reverse_via: Vec<usize>,
    /// Tunnels: stretches of the route on which each packet travels inside another, with an outer header around it.
    pub tunnels: Vec<Tunnel>,
    /// Disconnections that the receiver of a TCP flow sees coming, in order: it freezes the sender for them
    /// (Freeze-TCP). A flow with any opens its connection by a handshake and closes it by FIN, whatever its
    /// configuration says.
    pub outages: Vec<Outage>,
}

/// Disconnection that the receiver of a TCP flow announces to the sender, which freezes until it is over (Freeze-TCP).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// Time at which the receiver sees the disconnection coming and announces a window of zero, which freezes the
    /// sender.
    pub warned: Time,
    /// Time at which the receiver is connected again and says so by three acknowledgements with its window.
    pub over: Time,
}

/// A stretch of a route on which packets travel inside others, as from a home agent to a foreign agent
/// (Mobile IP). The tunnel applies to data or to ACKs, whichever pass `from` before `to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tunnel {
    /// Node where packets enter the tunnel, an index into [`Spec::nodes`].
    pub from: usize,
    /// Node where packets leave the tunnel, an index into [`Spec::nodes`].
    pub to: usize,
    /// Size of the outer header that the tunnel adds to a packet, bytes.
    pub header: u32,
}

/// Transport protocol of a flow, with its settings.
#[derive(Clone, Debug, PartialEq)]
pub enum Transport {
    /// TCP, with its settings.
    Tcp(Arc<TcpConfig>),
    /// UDP, without acknowledgements or congestion control.
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

/// Traffic of a sending application: how much data it hands to the transport, and when.
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
        /// Largest share (0 to 1) of the interval between two packets by which each is drawn shorter or longer,
        /// uniformly.
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

/// Event at which the pause before the next transfer begins: end or start of the transfer before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PauseFrom {
    /// Pause from the end of the transfer before, at the sender: the time at which all of it is acknowledged (UDP:
    /// sent). Think time.
    End,
    /// Pause from the start of the transfer before: arrivals do not wait for the network.
    Start,
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

    /// Whether some flow has a congestion control or another policy of a user's own code: the specification alone
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
