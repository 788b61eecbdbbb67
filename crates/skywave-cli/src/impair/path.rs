//! The way of a flow through a scenario's network, as the relay takes it.

use skywave_core::link::LinkConfig;
use skywave_lab::scenario::{Point, Scenario};
use skywave_sim::Spec;
use skywave_sim::network::{Router, edges};
use skywave_sim::spec::{FlowSpec, LinkSpec, Tunnel};
use skywave_wire::relay::{HopConfig, KEPT_BYTES, RelayConfig, Step};
use thiserror::Error;

/// Flows that a message lists.
const LISTED: usize = 12;
/// Points that a message lists.
const MAX_POINTS: usize = 40;

/// The part of a scenario that is taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice<'a> {
    /// The flow; its only one unless given.
    pub(crate) flow: Option<&'a str>,
    /// The seed.
    pub(crate) seed: u64,
    /// The point of its sweep, from 1.
    pub(crate) point: usize,
    /// Bytes that each packet has on the wire beside those that are relayed.
    pub(crate) overhead: u32,
}

/// The path of a flow.
#[derive(Debug)]
pub(crate) struct Path {
    /// The flow.
    pub(crate) flow: FlowSpec,
    /// The simulation at this point with this seed.
    pub(crate) spec: Spec,
    /// The links, in both directions.
    pub(crate) config: RelayConfig,
    /// Parts of the scenario that do not hold here.
    pub(crate) notes: Vec<String>,
}

impl Path {
    /// Names of the links that packets pass in this direction, 0 for forward.
    pub(crate) fn links(&self, direction: usize) -> String {
        links(&self.config, direction)
    }
}

/// Names of the links that packets pass in this direction, 0 for forward.
pub(super) fn links(config: &RelayConfig, direction: usize) -> String {
    let steps = config.routes[direction].iter();
    let names = steps.map(|step| config.hops[step.hop].name.as_str());
    names.collect::<Vec<_>>().join(", ")
}

/// Why a scenario has no such path.
#[derive(Debug, Error)]
pub(crate) enum PathError {
    /// Name of a flow that the scenario does not have.
    #[error("the scenario has no flow `{0}`; it has {1}")]
    NoFlow(String, String),
    /// Choice missing among several flows.
    #[error(
        "the scenario has {count} flows: choose the one whose path is meant with --flow: {names}"
    )]
    Several {
        /// How many.
        count: usize,
        /// Some of them.
        names: String,
    },
    /// Scenario without a flow.
    #[error("the scenario has no flow, so there is no path from one node to another")]
    NoFlows,
    /// Flow that passes the radio network.
    #[error("flow `{0}` passes the radio network: real packets go over links only")]
    Radio(String),
    /// The sweep has fewer points.
    #[error("--point is from 1 to {points}, the number of points of the scenario's sweep{list}")]
    NoPoint {
        /// How many.
        points: usize,
        /// A line for each of the first ones.
        list: String,
    },
}

/// The path of a scenario's flow.
pub(crate) fn of(scenario: &Scenario, choice: Choice<'_>) -> Result<Path, PathError> {
    let points = scenario.points().len();
    let point = choice.point.checked_sub(1);
    let point = point.and_then(|index| scenario.points().get(index));
    let point = point.ok_or_else(|| PathError::NoPoint {
        points,
        list: list(scenario),
    })?;
    let mut path = within(point.spec(choice.seed), choice.flow, choice.overhead)?;
    if points > 1 {
        let (number, values) = (choice.point, values(point));
        path.notes.insert(
            0,
            format!("point {number} of {points} of the sweep ({values}); --point for another"),
        );
    }
    Ok(path)
}

/// The path of a flow in a simulation; packets have `overhead` bytes on the wire beside those that are relayed.
pub(crate) fn within(spec: Spec, flow: Option<&str>, overhead: u32) -> Result<Path, PathError> {
    let flow = pick(&spec, flow)?.clone();
    let mut notes = Vec::new();
    let others = spec.flows.len() - 1;
    if others > 0 {
        notes.push(format!(
            "the other flows ({others}) are not played: only real packets are on the links"
        ));
    }
    let agents = spec.agents.len();
    if agents > 0 {
        notes.push(format!(
            "the agents ({agents}) are left out: they know simulated TCP only"
        ));
    }
    let config = config(&spec, &flow, overhead, &mut notes)?;
    if config.hops.iter().any(|hop| !hop.link.blackouts.is_empty()) {
        notes.push(format!(
            "blackouts are those of the scenario's first {} s, counted from the first packet",
            spec.duration.as_secs_f64()
        ));
    }
    Ok(Path {
        flow,
        spec,
        config,
        notes,
    })
}

/// The values of a sweep at a point.
fn values(point: &Point) -> String {
    let values = point.params.iter().map(|(path, v)| format!("{path} = {v}"));
    values.collect::<Vec<_>>().join(", ")
}

/// The points of a sweep, a line each.
fn list(scenario: &Scenario) -> String {
    let points = scenario.points();
    let shown = points.iter().zip(1..).take(MAX_POINTS);
    let lines = shown.map(|(point, number)| format!("\n  {number}: {}", values(point)));
    // Without a sweep there is one point, and nothing to say of it.
    let lines: String = lines.filter(|line| line.contains('=')).collect();
    match points.len().checked_sub(MAX_POINTS) {
        None | Some(0) => lines,
        Some(more) => format!("{lines}\n  … and {more} more"),
    }
}

/// The flow of that name, or the only one.
pub(crate) fn pick<'a>(spec: &'a Spec, name: Option<&str>) -> Result<&'a FlowSpec, PathError> {
    let names = || {
        let mut names: Vec<&str> = spec.flows.iter().map(|f| f.name.as_str()).collect();
        if names.len() > LISTED {
            names.truncate(LISTED);
            names.push("…");
        }
        names.join(", ")
    };
    match (name, &spec.flows[..]) {
        (_, []) => Err(PathError::NoFlows),
        (None, [only]) => Ok(only),
        (None, flows) => Err(PathError::Several {
            count: flows.len(),
            names: names(),
        }),
        (Some(name), flows) => flows
            .iter()
            .find(|flow| flow.name == name)
            .ok_or_else(|| PathError::NoFlow(name.to_owned(), names())),
    }
}

/// The links of both ways, each once.
fn config(
    spec: &Spec,
    flow: &FlowSpec,
    overhead: u32,
    notes: &mut Vec<String>,
) -> Result<RelayConfig, PathError> {
    let mut router = Router::new(edges(&spec.links, &spec.stations()), spec.nodes.len());
    let way = flow.way();
    // The scenario layer has found the way there, and the way back of what is acknowledged.
    let there = router.route(flow.from, &way.via, flow.to);
    let back = router.route(flow.to, &way.reverse_via, flow.from);
    // Behind the links come the pairs of stations.
    let by_radio = |way: &[u32]| way.iter().any(|&edge| edge as usize >= spec.links.len());
    if [&there, &back]
        .into_iter()
        .flatten()
        .any(|way| by_radio(way))
    {
        return Err(PathError::Radio(flow.name.to_string()));
    }
    if back.is_err() {
        notes.push("there is no way back: answers are passed on at once".to_owned());
    }
    let mut used: Vec<u32> = Vec::new();
    let routes = [there, back].map(|links| {
        let links = links.unwrap_or_default();
        let step = |(place, &link): (usize, &u32)| {
            let hop = used.iter().position(|&l| l == link).unwrap_or_else(|| {
                used.push(link);
                used.len() - 1
            });
            let extra = tunnels(&spec.links, &links, place, &way.tunnels);
            Step { hop, extra }
        };
        links.iter().enumerate().map(step).collect::<Vec<Step>>()
    });
    let hop = |&link: &u32| {
        let LinkSpec { name, config, .. } = &spec.links[link as usize];
        HopConfig {
            name: name.to_string(),
            link: LinkConfig::clone(config),
        }
    };
    Ok(RelayConfig {
        hops: used.iter().map(hop).collect(),
        routes,
        overhead,
        seed: spec.seed,
        kept_bytes: KEPT_BYTES,
    })
}

/// Bytes of the outer headers that packets have on the link at this place of their way.
fn tunnels(links: &[LinkSpec], way: &[u32], place: usize, tunnels: &[Tunnel]) -> u32 {
    let nodes: Vec<usize> = way
        .first()
        .map(|&first| links[first as usize].from)
        .into_iter()
        .chain(way.iter().map(|&link| links[link as usize].to))
        .collect();
    let at = |node| nodes.iter().position(|&n| n == node);
    tunnels
        .iter()
        .filter_map(|tunnel| {
            let inside = at(tunnel.from)?..at(tunnel.to)?;
            inside.contains(&place).then_some(tunnel.header)
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use skywave_lab::scenario::NoFiles;

    use super::*;

    const TWO_HOPS: &str = r#"
[[link]]
name = "wired"
between = ["A", "G"]
rate = "10Mbps"
delay = "5ms"

[[link]]
name = "radio"
between = ["G", "B"]
rate = "1Mbps"
delay = "20ms"
loss = { forward = { iid = 0.1 } }

[[flow]]
name = "bulk"
from = "A"
to = "B"
transport = "reno"
traffic = "ftp"

[run]
duration = "5s"
seeds = [4, 5]
"#;

    fn path(text: &str, flow: Option<&str>, point: usize) -> Result<Path, PathError> {
        let scenario = Scenario::parse("test", text, &NoFiles).unwrap();
        of(
            &scenario,
            Choice {
                flow,
                seed: 4,
                point,
                overhead: 28,
            },
        )
    }

    #[test]
    fn a_flow_goes_by_its_links_and_comes_back_by_theirs() {
        let path = path(TWO_HOPS, None, 1).unwrap();
        assert_eq!(path.links(0), "wired, radio");
        assert_eq!(path.links(1), "radio.reverse, wired.reverse");
        assert_eq!(path.config.seed, 4);
        assert_eq!(path.config.hops[1].link.loss.len(), 1);
        assert!(path.notes.is_empty(), "{:?}", path.notes);
    }

    #[test]
    fn a_tunnel_lengthens_packets_where_it_is() {
        let text = TWO_HOPS.replace(
            "traffic = ",
            "tunnel = { from = \"G\", to = \"B\", header = 20 }\ntraffic = ",
        );
        let path = path(&text, None, 1).unwrap();
        let extra = |direction: usize| path.config.routes[direction].iter().map(|s| s.extra);
        assert_eq!(extra(0).collect::<Vec<_>>(), [0, 20]);
        assert_eq!(extra(1).collect::<Vec<_>>(), [0, 0]);
    }

    #[test]
    fn a_path_through_a_radio_network_is_refused() {
        let text = TWO_HOPS.replace(
            "[[flow]]",
            "[radio]\nstandard = \"802.11g\"\n[[station]]\nnode = \"B\"\nat = [\"0m\", \"0m\"]\n\
             [[station]]\nnode = \"C\"\nat = [\"9m\", \"0m\"]\n\n[[flow]]",
        );
        assert_eq!(path(&text, None, 1).unwrap().links(0), "wired, radio");
        let text = text.replace("to = \"B\"", "to = \"C\"");
        assert!(matches!(path(&text, None, 1), Err(PathError::Radio(_))));
    }

    #[test]
    fn what_does_not_hold_is_said() {
        let two = format!(
            "{TWO_HOPS}\n[sweep]\n\"link.radio.rate\" = [\"1Mbps\", \"2Mbps\"]\n"
        )
        .replace("delay = \"20ms\"", "delay = \"20ms\"\nblackouts = { start = \"1s\", duration = \"2s\" }")
        .replace(
            "[run]",
            "[[flow]]\nname = \"cross\"\nfrom = \"A\"\nto = \"G\"\ntransport = \"udp\"\ntraffic = { cbr = { rate = \"1Mbps\", packet = \"1000B\" } }\n[run]",
        );
        assert!(matches!(
            path(&two, None, 1),
            Err(PathError::Several { count: 2, .. })
        ));
        assert!(matches!(
            path(&two, Some("bluk"), 1),
            Err(PathError::NoFlow(..))
        ));
        for point in [0, 3] {
            let refused = path(&two, Some("bulk"), point);
            let told = refused.unwrap_err().to_string();
            let lines: Vec<&str> = told.lines().collect();
            assert!(lines[0].starts_with("--point is from 1 to 2"), "{told}");
            assert_eq!(lines[1], "  1: link.radio.rate = 1Mbps");
            assert_eq!(lines[2..], ["  2: link.radio.rate = 2Mbps"]);
        }
        let path = path(&two, Some("bulk"), 2).unwrap();
        assert_eq!(path.notes.len(), 3, "{:?}", path.notes);
        assert!(
            path.notes[0].contains("link.radio.rate = 2Mbps"),
            "{}",
            path.notes[0]
        );
    }
}
