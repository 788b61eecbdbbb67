//! Whether the ways through a radio network are short enough for its routing.

use std::collections::BTreeMap;

use skywave_core::radio::Position;
use skywave_core::routing::dsr::MOST_HOPS;
use skywave_sim::network::{Router, Way, edges, ways};
use skywave_sim::spec::{FlowSpec, Movement, ProxySpec, RadioSpec, RoutingSpec};

use crate::lower::Network;
use crate::lower::flow::of_models;
use crate::lower::route::there_and_back;
use crate::model::flow::FlowModel;
use crate::read::fault::Fault;
use crate::read::spanned::Spanned;
use crate::read::tree::Span;

/// Refuses flows of which no packet would arrive, since its way through the radio network has more hops
/// than routing carries. Only where no station moves: others may come near.
pub(crate) fn check(
    network: &Network,
    radio: &RadioSpec,
    (flows, proxies): (&[FlowSpec], &[ProxySpec]),
    models: &[Spanned<FlowModel>],
) -> Result<(), Fault> {
    let most = usize::from(most_hops(&radio.routing, flows));
    // No way is longer than through all stations.
    if radio.stations.len() <= most + 1 {
        return Ok(());
    }
    let fixed = radio.stations.iter().map(|station| match station.movement {
        Movement::Fixed(position) => Some(position),
        Movement::Track(_) | Movement::RandomWaypoint(_) => None,
    });
    let Some(positions) = fixed.collect::<Option<Vec<Position>>>() else {
        return Ok(());
    };
    let mut ways = Ways::new(network, radio, positions);
    let ends = ends(models)?;
    let moved = proxies.iter().flat_map(|proxy| proxy.moved_halves(flows));
    let moved: Vec<(usize, FlowSpec)> = moved.collect();
    let first = flows.iter().enumerate();
    let later = moved.iter().map(|(index, flow)| (*index, flow));
    for (index, flow) in first.chain(later) {
        let to = ends[index];
        for (a, b) in ways.crossed(flow) {
            // Stations that do not hear each other at all may be what a scenario shows.
            if let Some(hops) = ways.hops(a, b)
                && hops > most
            {
                let (a, b) = (ways.name(a), ways.name(b));
                return Err(too_far(&radio.routing, a, b, hops, to));
            }
        }
    }
    Ok(())
}

/// Hops beyond which no packet arrives. AODV's search ends sooner, but a station on the way may answer that
/// knows one through another flow.
fn most_hops(routing: &RoutingSpec, flows: &[FlowSpec]) -> u8 {
    match routing {
        RoutingSpec::Aodv(config) if flows.len() > 1 && !config.destination_only => {
            RoutingSpec::TTL
        }
        // So it is with DSR's caches.
        RoutingSpec::Dsr(config) if flows.len() > 1 && config.cached_replies => MOST_HOPS as u8,
        _ => routing.max_hops(),
    }
}

/// Where the file says where each flow ends, its copies too.
fn ends(models: &[Spanned<FlowModel>]) -> Result<Vec<&Span>, Fault> {
    let mut spans = Vec::new();
    for (model, flows) in of_models(models)? {
        spans.extend(std::iter::repeat_n(&model.to.span, flows.len()));
    }
    Ok(spans)
}

fn too_far(routing: &RoutingSpec, from: &str, to: &str, hops: usize, span: &Span) -> Fault {
    let fault = Fault::new(
        span.clone(),
        format!("the shortest way from `{from}` to `{to}` has {hops} hops"),
    );
    let most = RoutingSpec::TTL;
    match routing {
        RoutingSpec::Aodv(config) if hops <= usize::from(most) => fault
            .label(format!(
                "AODV searches at most {} hops",
                config.net_diameter
            ))
            .help(format!(
                "routing = {{ aodv = {{ net_diameter = {hops} }} }} lets it find this one"
            )),
        RoutingSpec::Dsr(_) => fault.label(format!(
            "DSR's packets go at most {} hops",
            routing.max_hops()
        )),
        RoutingSpec::Aodv(_) | RoutingSpec::Dsdv(_) | RoutingSpec::Static => fault
            .label("no packet would arrive")
            .help(format!("a packet goes at most {most} hops, the TTL of IP")),
    }
}

/// The ways between stations, by their places in the radio network.
struct Ways<'a> {
    network: &'a Network,
    radio: &'a RadioSpec,
    positions: Vec<Position>,
    /// For each node its station.
    stations: BTreeMap<usize, usize>,
    router: Router,
    links: usize,
    /// For each station whom it reaches, and the ways from it to all others, once they are needed.
    reached: Option<Vec<Vec<usize>>>,
    known: BTreeMap<usize, Vec<Option<Way>>>,
}

impl<'a> Ways<'a> {
    fn new(network: &'a Network, radio: &'a RadioSpec, positions: Vec<Position>) -> Self {
        let nodes: Vec<usize> = radio.stations.iter().map(|station| station.node).collect();
        let edges = edges(&network.links, &nodes);
        Self {
            network,
            radio,
            positions,
            stations: nodes.into_iter().zip(0..).collect(),
            router: Router::new(edges, network.nodes.len()),
            links: network.links.len(),
            reached: None,
            known: BTreeMap::new(),
        }
    }

    fn name(&self, station: usize) -> &'a str {
        &self.network.nodes[self.radio.stations[station].node]
    }

    /// The stations between which routing takes the flow's packets, there and back.
    fn crossed(&mut self, flow: &FlowSpec) -> Vec<(usize, usize)> {
        let crossed = there_and_back(&mut self.router, flow).into_iter();
        crossed
            .filter(|&edge| edge as usize >= self.links)
            .map(|edge| {
                let edge = self.router.edge(edge);
                (self.stations[&edge.from], self.stations[&edge.to])
            })
            .collect()
    }

    /// The fewest hops from a station to another, if there is a way.
    fn hops(&mut self, from: usize, to: usize) -> Option<usize> {
        let (radio, positions) = (self.radio, &self.positions);
        let reached = self.reached.get_or_insert_with(|| {
            let hears = |a: usize, b: usize| {
                let heard = radio.propagation.reach(positions[a], positions[b]);
                a != b && heard.is_some_and(|heard| heard.decodable)
            };
            let all = 0..positions.len();
            let near = |a| all.clone().filter(|&b| hears(a, b)).collect();
            all.clone().map(near).collect()
        });
        let known = self.known.entry(from);
        known.or_insert_with(|| ways(from, reached))[to].map(|way| way.hops)
    }
}
