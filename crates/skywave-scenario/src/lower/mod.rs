//! From the typed model of one point to a simulation, with the checks that need more than one key.

pub(crate) mod agent;
pub(crate) mod channel;
pub(crate) mod clamp;
pub(crate) mod clock;
pub(crate) mod contention;
pub(crate) mod custom;
pub(crate) mod d_proxy;
pub(crate) mod datagram;
pub(crate) mod dist;
pub(crate) mod doubt;
pub(crate) mod flow;
pub(crate) mod freeze;
pub(crate) mod hand_over;
pub(crate) mod hops;
pub(crate) mod link;
pub(crate) mod member;
pub(crate) mod propagation;
pub(crate) mod proxy;
pub(crate) mod queue;
pub(crate) mod quic;
pub(crate) mod radio;
pub(crate) mod recovery;
pub(crate) mod route;
pub(crate) mod shaper;
pub(crate) mod station;
pub(crate) mod steps;
pub(crate) mod tcp;
pub(crate) mod unfelt;
pub(crate) mod wtcp;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use skywave_core::link::Blackout;
use skywave_core::rng::Stream;
use skywave_core::{Duration, Time};
use skywave_sim::Spec;
use skywave_sim::network::{Router, edges};
use skywave_sim::spec::{LinkSpec, Name, StationSpec, Transport};

use crate::lower::custom::CustomMembers;
use crate::model::units;
use crate::model::{Dist, File, RunModel, SeedsModel};
use crate::read::fault::Fault;
use crate::read::files::Shelf;
use crate::read::names::nearest;
use crate::read::spanned::Spanned;
use crate::read::tree::Span;
use crate::sweep::MAX_RUNS;

/// Most copies that one `count` makes.
const MAX_COPIES: u64 = 10_000;
/// Most bins of all flows of one run together.
const MAX_BINS: u64 = 1_000_000;

/// Things that a scenario may refer to besides its own text.
pub(crate) struct Context<'a> {
    pub(crate) files: Shelf<'a>,
    pub(crate) custom: &'a CustomMembers,
}

/// One point, complete but for what is drawn once a seed.
#[derive(Clone, Debug)]
pub(crate) struct Template {
    spec: Spec,
    draws: Vec<Draw>,
    /// For each flow, what its transport is called, and which `[[flow]]` it comes from.
    pub(crate) flows: Vec<FlowNames>,
    /// For each link, which `[[link]]` it comes from.
    pub(crate) links: Vec<String>,
    /// For each station, which `[[station]]` it comes from.
    pub(crate) stations: Vec<String>,
}

/// How results name a flow.
#[derive(Clone, Debug)]
pub(crate) struct FlowNames {
    pub(crate) transport: String,
    pub(crate) group: String,
    /// True if the flow's data end at a proxy, whose flow goes on, or are a proxy's state.
    pub(crate) inner: bool,
}

/// A time that is drawn once a seed.
#[derive(Clone, Debug)]
pub(crate) struct Draw {
    pub(crate) entity: String,
    pub(crate) purpose: &'static str,
    pub(crate) dist: Dist<units::Duration>,
    /// Added to what is drawn.
    pub(crate) later: Duration,
    pub(crate) targets: Vec<Target>,
}

/// The use of a drawn time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    LinkDelay(usize),
    FlowStart(usize),
    FlowStop(usize),
}

/// The network, which grows while a point is lowered.
#[derive(Debug, Default)]
pub(crate) struct Network {
    pub(crate) nodes: Vec<Name>,
    pub(crate) links: Vec<LinkSpec>,
    pub(crate) groups: Vec<String>,
    pub(crate) draws: Vec<Draw>,
    index: BTreeMap<String, usize>,
    names: BTreeSet<String>,
    /// The stations of the radio network.
    pub(crate) stations: Vec<StationSpec>,
    pub(crate) station_groups: Vec<String>,
    /// For each node, where its links lead; after the nodes, the same for the radio network, as one
    /// more node between its stations.
    next: Vec<Vec<usize>>,
}

impl Network {
    /// The index of `name`, which comes into being here.
    pub(crate) fn add_node(&mut self, name: &str) -> usize {
        if let Some(&at) = self.index.get(name) {
            return at;
        }
        self.index.insert(name.to_owned(), self.nodes.len());
        self.nodes.push(name.into());
        self.nodes.len() - 1
    }

    /// The index of `name`, which some link or station must have.
    pub(crate) fn find_node(&self, name: &str, span: &Span) -> Result<usize, Fault> {
        self.index.get(name).copied().ok_or_else(|| {
            let known: Vec<&str> = self.nodes.iter().map(Name::as_str).collect();
            let fault = Fault::new(span.clone(), format!("there is no node `{name}`")).for_name();
            let fault = match nearest(name, &known) {
                Some(near) => fault.label(format!("did you mean `{near}`?")),
                None if self.stations.is_empty() => fault.label("no link names it"),
                None => fault.label("no link and no station names it"),
            };
            match known.len() {
                n if n > 30 => fault,
                _ if self.stations.is_empty() => {
                    fault.help(format!("the links connect {}", known.join(", ")))
                }
                _ => fault.help(format!("the nodes are {}", known.join(", "))),
            }
        })
    }

    /// For each node, where its links lead, and after the nodes the same for the radio network;
    /// complete when all links and stations are there.
    pub(crate) fn neighbours(&self) -> &[Vec<usize>] {
        &self.next
    }

    /// Gives `other` the time that is drawn for `target`, if one is drawn.
    pub(crate) fn draw_also(&mut self, target: Target, other: Target) {
        let draws = self.draws.iter_mut();
        if let Some(draw) = draws.rev().find(|draw| draw.targets.contains(&target)) {
            draw.targets.push(other);
        }
    }

    fn join(&mut self) {
        let air = self.nodes.len();
        self.next = vec![Vec::new(); air + 1];
        for link in &self.links {
            self.next[link.from].push(link.to);
        }
        for station in &self.stations {
            self.next[station.node].push(air);
            self.next[air].push(station.node);
        }
    }

    /// Finds routes over the ways between nodes: links, and pairs of stations.
    pub(crate) fn router(&self) -> Router {
        let stations: Vec<usize> = self.stations.iter().map(|s| s.node).collect();
        Router::new(edges(&self.links, &stations), self.nodes.len())
    }

    /// The blackouts of the links of a path; the stations of a radio network have none.
    pub(crate) fn blackouts_on(&self, path: &[u32]) -> impl Iterator<Item = &Blackout> {
        let links = path
            .iter()
            .filter_map(|&edge| self.links.get(edge as usize));
        links.flat_map(|link| &link.config.blackouts)
    }

    /// Takes `name`, which nothing else of this kind may have.
    pub(crate) fn add_name(&mut self, what: &str, name: &str, span: &Span) -> Result<(), Fault> {
        if self.names.insert(format!("{what} {name}")) {
            return Ok(());
        }
        Err(Fault::new(
            span.clone(),
            format!("there are two {what}s called `{name}`"),
        )
        .label("the second one")
        .help(format!("give each {what} a `name` of its own")))
    }
}

/// Lowers one point.
pub(crate) fn lower(file: &File, context: &Context<'_>) -> Result<Template, Fault> {
    let duration = file.run.duration.value.0;
    let end = Time::ZERO + duration;
    let measure = measure(&file.run, end)?;
    let mut network = Network::default();
    for (link, reverse) in file.link.iter().zip(&file.back) {
        link::add(&mut network, link, reverse, end, &context.files)?;
    }
    for station in &file.station {
        station::add(&mut network, station, &context.files)?;
    }
    check_network(file)?;
    network.join();
    let (mut flows, flow_names, proxies) =
        flow::all(&mut network, &file.flow, end, context.custom)?;
    freeze::all(&network, &file.flow, &mut flows)?;
    let clamped = clamp::all(&network, &file.flow, &flows)?;
    let agents = agent::all(&network, &file.agent, &flows, &clamped)?;
    hand_over::check_agents(&network, &file.flow, (&flows, &proxies), &agents)?;
    let flows_len = flows.len();
    let radio = match &file.radio {
        None => None,
        Some(radio) => {
            let stations = std::mem::take(&mut network.stations);
            let mut radio = radio::radio(&radio.value, stations, end)?;
            radio.clamped = clamped;
            hops::check(&network, &radio, (&flows, &proxies), &file.flow)?;
            Some(radio)
        }
    };
    Ok(Template {
        spec: Spec {
            nodes: network.nodes,
            links: network.links,
            radio,
            flows,
            agents,
            proxies,
            duration: end,
            measure,
            seed: 0,
            series: file.run.series,
            details: file.run.details,
            bins: bins(&file.run, flows_len)?,
            requests: file.run.requests,
        },
        draws: network.draws,
        flows: flow_names,
        links: network.groups,
        stations: network.station_groups,
    })
}

/// Refuses a network of nothing, and stations and radios without each other.
fn check_network(file: &File) -> Result<(), Fault> {
    match (&file.radio, file.station.first()) {
        (None, Some(station)) => Err(station
            .fault("there is no radio network for this station")
            .label("[radio] is needed")),
        (Some(radio), None) => Err(radio
            .fault("this radio network has no station")
            .label("at least one [[station]] is needed")),
        (None, None) if file.link.is_empty() => Err(Fault::new(0..0, "there is no network")
            .label("[[link]] is needed, or [radio] with [[station]]")),
        _ => Ok(()),
    }
}

fn measure(run: &RunModel, end: Time) -> Result<(Time, Time), Fault> {
    match &run.measure {
        None => Ok((Time::ZERO, end)),
        Some(given) => window("the measured window", given, end),
    }
}

/// A window of the run, which is to be neither empty nor longer than that; mistakes are `what`'s.
pub(crate) fn window(
    what: &str,
    given: &Spanned<(units::Duration, units::Duration)>,
    end: Time,
) -> Result<(Time, Time), Fault> {
    let (from, to) = given.value;
    let (from, to) = (Time::ZERO + from.0, Time::ZERO + to.0);
    let fault = |message: String| given.fault(message);
    if from >= to {
        let fault = fault(format!("{what} is empty"));
        return Err(fault.label("its end must be after its start"));
    }
    if to > end {
        let fault = fault(format!("{what} ends after the run"));
        return Err(fault.label(run_ends(end)));
    }
    Ok((from, to))
}

/// Words for the end of the run, beside what would come after it.
pub(crate) fn run_ends(end: Time) -> String {
    format!("the run ends at {}s", end.as_secs_f64())
}

/// Mistake of two bounds, the larger one first.
pub(crate) fn wrong_order<T>(bounds: &Spanned<T>) -> Fault {
    bounds
        .fault("these bounds are in the wrong order")
        .label("the smaller one first")
}

fn bins(run: &RunModel, flows: usize) -> Result<Option<Duration>, Fault> {
    let Some(bins) = &run.bins else {
        return Ok(None);
    };
    let width = bins.value.0;
    let each = run
        .duration
        .value
        .0
        .as_nanos()
        .div_ceil(width.as_nanos().max(1));
    if each.saturating_mul(flows as u64) > MAX_BINS {
        return Err(bins
            .fault("these are too many bins")
            .label(format!("more than {MAX_BINS} over all flows")));
    }
    Ok(Some(width))
}

/// The seeds of all replications.
pub(crate) fn seeds(run: &RunModel) -> Result<Vec<u64>, Fault> {
    let Some(seeds) = &run.seeds else {
        return Ok(vec![1]);
    };
    match &seeds.value {
        SeedsModel::Number(n) if n.0 > MAX_RUNS as u64 => Err(seeds
            .fault("these are too many runs")
            .label(format!("more than {MAX_RUNS}"))),
        SeedsModel::Number(n) => Ok((1..=n.0).collect()),
        SeedsModel::List(list) if list.is_empty() => Err(seeds
            .fault("there is no seed")
            .label("at least one is needed")),
        SeedsModel::List(list) => {
            let mut seen = BTreeSet::new();
            for seed in list {
                if !seen.insert(seed.value) {
                    return Err(seed
                        .fault(format!("seed {} is there twice", seed.value))
                        .label("the same run again"));
                }
            }
            Ok(list.iter().map(|s| s.value).collect())
        }
    }
}

/// The numbers of the copies that `count` asks for; `None` for the one without a number.
pub(crate) fn copies<N: Copy + Into<u64>>(
    count: Option<&Spanned<N>>,
) -> Result<Vec<Option<u64>>, Fault> {
    let Some(count) = count else {
        return Ok(vec![None]);
    };
    let number: u64 = count.value.into();
    if number > MAX_COPIES {
        return Err(count
            .fault("these are too many copies")
            .label(format!("at most {MAX_COPIES}")));
    }
    Ok((1..=number).map(Some).collect())
}

/// `name` with every `#` replaced by the copy's number.
pub(crate) fn numbered(name: &str, copy: Option<u64>) -> String {
    match copy {
        Some(n) => name.replace('#', &n.to_string()),
        None => name.to_owned(),
    }
}

/// Refuses names that would be ambiguous in paths and results.
pub(crate) fn check_name(name: &Spanned<String>) -> Result<(), Fault> {
    let bad = |c: char| c.is_control() || matches!(c, '&' | '*');
    let reason = match &name.value {
        n if n.trim() != n || n.is_empty() => "empty, or with spaces around it",
        n if n.contains(bad) => "`&`, `*` and control characters have other uses",
        n if n.len() > 100 => "longer than 100 bytes",
        _ => return Ok(()),
    };
    Err(name.fault("this cannot be a name").label(reason))
}

impl Template {
    /// The simulation of `seed`.
    pub(crate) fn spec(&self, seed: u64) -> Spec {
        let mut spec = self.spec.clone();
        spec.seed = seed;
        for draw in &self.draws {
            let mut stream = Stream::named(seed, &draw.entity, draw.purpose);
            let drawn = dist::draw_time(&draw.dist, &mut stream) + draw.later;
            for &target in &draw.targets {
                match target {
                    Target::LinkDelay(i) => {
                        Arc::make_mut(&mut spec.links[i].config).delay = drawn;
                    }
                    Target::FlowStart(i) => spec.flows[i].start = Time::ZERO + drawn,
                    Target::FlowStop(i) => spec.flows[i].stop = Some(Time::ZERO + drawn),
                }
            }
        }
        spec
    }

    /// Whether delivered bytes are counted in bins of time.
    pub(crate) fn bins(&self) -> bool {
        self.spec.bins.is_some()
    }

    /// Whether each transfer is kept by itself.
    pub(crate) fn requests(&self) -> bool {
        self.spec.requests
    }

    /// The names of the flows whose transfers are measured, and of the `[[flow]]`s that they come from.
    pub(crate) fn requesting_flows(&self) -> impl Iterator<Item = &str> {
        let flows = self.spec.flows.iter().zip(&self.flows);
        let requesting = flows.filter(|(flow, _)| flow.measures_requests());
        requesting.flat_map(|(flow, names)| [flow.name.as_str(), names.group.as_str()])
    }

    /// Links, stations and flows, for the limit of memory.
    pub(crate) fn size(&self) -> usize {
        let stations = self.spec.radio.as_ref().map_or(0, |r| r.stations.len());
        self.spec.links.len() + stations + self.spec.flows.len()
    }

    /// The name of a link of the specification.
    pub(crate) fn link_name(&self, index: usize) -> Option<&str> {
        let link = self.spec.links.get(index)?;
        Some(&link.name)
    }

    pub(crate) fn series(&self) -> bool {
        self.spec.series
    }

    /// The flows, those of proxies and copies by themselves.
    pub(crate) fn flows(&self) -> &[skywave_sim::spec::FlowSpec] {
        &self.spec.flows
    }

    /// A flow uses ECN.
    pub(crate) fn uses_ecn(&self) -> bool {
        self.spec.flows.iter().any(|flow| match &flow.transport {
            Transport::Tcp(config) => config.ecn,
            Transport::Quic { config, .. } => config.ecn,
            Transport::Udp { .. } | Transport::Wtcp { .. } => false,
        })
    }

    /// Bytes of a full packet, without options, of the flow whose packets are smallest; `None` if a flow has no full
    /// packets.
    pub(crate) fn smallest_full_packet(&self) -> Option<u32> {
        let flows = self.spec.flows.iter();
        let packets: Option<Vec<u32>> = flows
            .map(|flow| {
                let header = match &flow.transport {
                    Transport::Tcp(config) => config.header,
                    Transport::Udp { header }
                    | Transport::Wtcp { header, .. }
                    | Transport::Quic { header, .. } => *header,
                };
                Some(header + flow::mss(&flow.transport)?)
            })
            .collect();
        packets?.into_iter().min()
    }

    /// The time between two retransmissions of each TCP flow once its timeouts are backed off as far as they go.
    pub(crate) fn longest_timeouts(&self) -> impl Iterator<Item = Duration> {
        let transports = self.spec.flows.iter().map(|flow| &flow.transport);
        transports.filter_map(|transport| match transport {
            Transport::Tcp(config) => Some(config.rto.max),
            _ => None,
        })
    }

    /// The shortest time after which a flow over WTCP has heard nothing for too long.
    pub(crate) fn shortest_patience(&self) -> Option<Duration> {
        let transports = self.spec.flows.iter().map(|flow| &flow.transport);
        let patience = transports.filter_map(|transport| match transport {
            Transport::Wtcp { config, .. } => Some(config.idle_timeout),
            _ => None,
        });
        patience.min()
    }

    /// The names of all links, and of the `[[link]]`s that they come from.
    pub(crate) fn link_names(&self) -> impl Iterator<Item = &str> {
        let own = self.spec.links.iter().map(|l| l.name.as_str());
        own.chain(self.links.iter().map(String::as_str))
    }

    /// The names of all stations' nodes, and of the `[[station]]`s that they come from.
    pub(crate) fn station_names(&self) -> impl Iterator<Item = &str> {
        let stations = self.spec.radio.iter().flat_map(|radio| &radio.stations);
        let own = stations.map(|station| self.spec.nodes[station.node].as_str());
        own.chain(self.stations.iter().map(String::as_str))
    }

    /// The names of all flows, and of the `[[flow]]`s that they come from.
    pub(crate) fn flow_names(&self) -> impl Iterator<Item = &str> {
        let own = self.spec.flows.iter().map(|f| f.name.as_str());
        own.chain(self.flows.iter().map(|f| f.group.as_str()))
    }
}
