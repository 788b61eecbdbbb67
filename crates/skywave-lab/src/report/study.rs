//! Part of a scenario that reports need: the question that was asked.

use super::topology::Topology;
use crate::scenario::{ParamValue, Point, Report, Scenario};

/// Part of a scenario that reports need: names and text, the points of the sweep, plots and tables.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Study {
    /// Name of the scenario, which is also the name of its file and its run directory.
    pub name: String,
    /// Title, which says in one line what the scenario shows.
    pub title: String,
    /// Description of the scenario beyond its title.
    pub description: Option<String>,
    /// Text of the scenario's file.
    pub text: String,
    /// Points of the sweep, in the order of the results.
    pub points: Vec<StudyPoint>,
    /// Plots and tables to show.
    pub report: Report,
}

/// Point of the sweep of a scenario: the values of the swept parameters, and the labels of the flows, links and
/// stations at this point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StudyPoint {
    /// Swept parameters, as paths of keys in the scenario's file (such as `link.radio.delay`), with their values; the
    /// same parameters in the same order at every point.
    pub params: Vec<(String, ParamValue)>,
    /// Labels of the flows, in the order of the outcome.
    pub flows: Vec<FlowLabel>,
    /// For each link, in the order of the outcome, the name of the scenario's `[[link]]` that it is made from.
    pub links: Vec<String>,
    /// For each radio station, in the order of the outcome, the name of the scenario's `[[station]]` that it is made
    /// from.
    pub stations: Vec<String>,
    /// Length of a run, seconds.
    pub duration_s: f64,
    /// Radio network at the start of the run with the first seed; `None` if the scenario has none.
    pub radio: Option<Topology>,
}

/// Labels of a flow of a run, besides its own name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlowLabel {
    /// Name of the flow's transport: a preset's, and after it what `transport` sets besides, as in
    /// `cerl recovery=sack`; other keys of the flow, such as `tcp`, do not show in it.
    pub transport: String,
    /// Name of the scenario's `[[flow]]` that this flow is a copy of; the flow's own name if it has no copies. For the
    /// half before a proxy `.near` follows, for a flow that carries a proxy's state `.state`.
    pub group: String,
    /// Whether the flow only serves another flow, so that its data do not arrive at a destination: they end at a proxy,
    /// from which another flow continues, or carry the state of a proxy.
    pub inner: bool,
}

impl Study {
    /// Iterator over the swept parameters of the scenario, as paths of keys in its file, such as `link.radio.delay`.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let params = self.points.first().map(|p| p.params.as_slice());
        params.unwrap_or_default().iter().map(|(p, _)| p.as_str())
    }
}

impl From<&Scenario> for Study {
    fn from(scenario: &Scenario) -> Self {
        let points = scenario.points().iter();
        let seed = scenario.seeds().first().copied().unwrap_or(1);
        Self {
            name: scenario.name().to_owned(),
            title: scenario.title().to_owned(),
            description: scenario.description().map(str::to_owned),
            text: scenario.text().to_owned(),
            points: points.map(|point| StudyPoint::of(point, seed)).collect(),
            report: scenario.report().clone(),
        }
    }
}

impl StudyPoint {
    fn of(point: &Point, seed: u64) -> Self {
        let flow = |i| {
            Some(FlowLabel {
                transport: point.transport_label(i)?.to_owned(),
                group: point.flow_group(i)?.to_owned(),
                inner: point.is_inner_flow(i)?,
            })
        };
        let link = |i| point.link_group(i).map(str::to_owned);
        let station = |i| point.station_group(i).map(str::to_owned);
        let spec = point.spec(seed);
        Self {
            params: point.params.clone(),
            flows: (0..).map_while(flow).collect(),
            links: (0..).map_while(link).collect(),
            stations: (0..).map_while(station).collect(),
            duration_s: spec.duration.as_secs_f64(),
            radio: point.station_group(0).and_then(|_| Topology::of(&spec)),
        }
    }

    /// Whether the data of flow `index` arrive at a destination.
    pub(super) fn arrives(&self, index: usize) -> bool {
        self.flows.get(index).is_none_or(|flow| !flow.inner)
    }

    /// Value at this point of the swept parameter `path` (such as `link.radio.delay`); `None` if it is not swept.
    pub fn param(&self, path: &str) -> Option<&ParamValue> {
        self.params.iter().find(|(p, _)| p == path).map(|(_, v)| v)
    }
}
