//! Scenario files: TOML text → checked scenario → a simulation for each sweep point and seed.
//!
//! A file goes through six passes, each with the places of everything in hand, so that every
//! mistake, also one in a swept value, is shown where it stands:
//! 1. `read::tree`: TOML to a tree with spans;
//! 2. `sweep` or `search`: the overrides of a point are set into a copy of the tree;
//! 3. `read::preset`: links get the keys of their presets;
//! 4. `read::de`: the tree to the typed `model` by serde; `model::units` reads quantities;
//! 5. `lower`: the model to a [`Spec`], with the checks that need more than one key;
//! 6. `report`: what is to be shown, against the names that exist.
//!
//! Nothing here reads a disk, draws or runs: whoever calls brings the files ([`Files`]).
//!
//! All points are lowered when the file is loaded: what loads, runs.
//!
//! Drawn error messages (`pretty`) and the JSON schema (`schema`) are features. A program that only checks a file
//! needs this crate alone: it builds in seconds, also for WebAssembly.
//!
//! Stable from 1.0 on: the keys of scenario files, [`Scenario`] with its loaders, and [`Files`]. What else is public may change with any
//! version.

mod lower;
mod model;
mod read;
mod report;
mod review;
mod search;
mod sweep;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use skywave_core::quic;
use skywave_sim::Spec;

use lower::{Context, Template};
use read::error::Source;
use read::fault::Fault;
use read::files::{self, Shelf};
use read::tree::{Entry, Node};
use read::{de, preset, tree};

pub use lower::channel::MAX_BLACKOUTS;
pub use lower::custom::{CustomMembers, NameTaken};
pub use model::quantity::Quantity;
pub use read::document::Document;
pub use read::error::ScenarioError;
pub use read::files::{Bundle, Files, MAX_FILE, MAX_SCENARIO, NoFiles, Unreadable};
pub use read::names::nearest;
pub use read::spanned::Spanned;
pub use report::{
    BINNED, FLOW_METRICS, GOODPUT, LINK_METRICS, Metric, Plot, PlotAxis, PlotKind, Report, SERIES,
    STATION_METRICS, Sample,
};

use sweep::settings::settings;

pub use search::decimal::Decimal;
pub use search::key::{Key, Setting};
pub use search::space::Space;
pub use sweep::MAX_RUNS;
pub use sweep::notation::transport_name;
pub use sweep::param::{ParamValue, Written};

/// Links, stations and flows of all points together that fit in memory with room to spare.
const MAX_ENTITIES: usize = 2_000_000;

/// A transport other than TCP that flows of a scenario may have: WTCP, or a preset of QUIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OtherTransport {
    /// Name in scenario files: `wtcp`, or that of a preset of QUIC.
    pub name: &'static str,
    /// Description in one line.
    pub summary: &'static str,
    /// Sources that describe the transport, such as `RFC 9000, RFC 9002` or the authors and year of a paper.
    pub source: &'static str,
}

/// Transports other than TCP that can be compared with TCP: WTCP, then the presets of QUIC.
pub const OTHER_TRANSPORTS: &[OtherTransport] = &OTHERS;

const WTCP: OtherTransport = OtherTransport {
    name: "wtcp",
    summary: "rate control at the receiver, no timers, survives blackouts",
    source: "Sinha, Nandagopal, Venkitaraman, Sivakumar, Bharghavan 2002",
};

/// WTCP, then the presets of QUIC.
const OTHERS: [OtherTransport; 1 + quic::PRESETS.len()] = {
    let mut all = [WTCP; 1 + quic::PRESETS.len()];
    let mut index = 0;
    while index < quic::PRESETS.len() {
        let preset = &quic::PRESETS[index];
        index += 1;
        all[index] = OtherTransport {
            name: preset.name,
            summary: preset.summary,
            source: preset.source,
        };
    }
    all
};

/// A scenario file, read and checked.
#[derive(Clone, Debug)]
pub struct Scenario {
    name: String,
    title: String,
    description: Option<String>,
    text: Arc<str>,
    seeds: Vec<u64>,
    params: Vec<String>,
    reaches: Vec<(String, String)>,
    points: Vec<Point>,
    report: Report,
    traces: Vec<PathBuf>,
    warnings: Vec<ScenarioError>,
}

/// Point of a scenario: one combination of the values that its `[sweep]` goes through.
#[derive(Clone, Debug)]
pub struct Point {
    /// Swept keys (`link.air.rate`), each with its value at this point, in the file's order.
    pub params: Vec<(String, ParamValue)>,
    template: Template,
}

impl Scenario {
    /// Reads and checks a scenario from `text`. `name` is its short name and what messages call its file; traces and
    /// movements that it names are in `files`. The error has all mistakes of the file that can be found in one go.
    pub fn parse(name: &str, text: &str, files: &dyn Files) -> Result<Self, ScenarioError> {
        Self::parse_with(name, name, text, files, &CustomMembers::default())
    }

    /// Reads and checks a scenario called `name` from `text`; messages call its file `file`. Traces and movements that
    /// it names are in `files`, and it may also name the congestion controls and loss detectors in `custom`. The error
    /// has all mistakes of the file that can be found in one go.
    pub fn parse_with(
        name: &str,
        file: &str,
        text: &str,
        files: &dyn Files,
        custom: &CustomMembers,
    ) -> Result<Self, ScenarioError> {
        Self::parse_as(name, file, text, files, custom, Recorded::AsSpecified)
    }

    /// Reads a scenario as [`Scenario::parse_with`] does, for a caller that has time series recorded whatever the file
    /// says: plots of time series that the file asks for are then no mistake. Goodput over time still needs `run.bins`.
    pub fn parse_recorded(
        name: &str,
        file: &str,
        text: &str,
        files: &dyn Files,
        custom: &CustomMembers,
    ) -> Result<Self, ScenarioError> {
        Self::parse_as(name, file, text, files, custom, Recorded::Always)
    }

    fn parse_as(
        name: &str,
        file: &str,
        text: &str,
        files: &dyn Files,
        custom: &CustomMembers,
        recorded: Recorded,
    ) -> Result<Self, ScenarioError> {
        check_name(name)?;
        let source = Source {
            name: file.into(),
            text: text.into(),
        };
        let context = || Context {
            files: Shelf::new(files),
            custom,
        };
        read(name, &source, &context(), recorded).map_err(|first| {
            let all = review::all(&source.text, &context(), recorded);
            first.into_error_with(all, &source)
        })
    }

    /// Short name of the scenario, as given to [`Scenario::parse`]: for a file, the file's name without the extension.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Title of the scenario, in a line; its short name when the file has none.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Longer description of the scenario; `None` if the file has none.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// Text of the scenario file, as it was read.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Key paths of all fields that the file sets or sweeps, as a sweep writes them (`link.air.rate`), in the file's
    /// order.
    pub fn settings(&self) -> Vec<String> {
        // A text that was read once can be read again.
        tree::parse(&self.text).map_or_else(|_| Vec::new(), |tree| settings(&tree))
    }

    /// Seeds of the replications: each point is simulated once with each of them.
    pub fn seeds(&self) -> &[u64] {
        &self.seeds
    }

    /// Doubles the number of replications: adds as many seeds as there are, counted on from the largest one.
    pub fn double_seeds(&mut self) {
        let largest = self.seeds.iter().copied().max().unwrap_or_default();
        let more = (1..).take(self.seeds.len());
        let more: Vec<u64> = more.map(|n| largest.saturating_add(n)).collect();
        self.seeds.extend(more);
    }

    /// Swept keys, as `[sweep]` writes them (`link.air.rate`), in the file's order.
    pub fn params(&self) -> &[String] {
        &self.params
    }

    /// Swept keys with a `*`, each with words for what the `*` stands for in this scenario.
    pub fn reaches(&self) -> &[(String, String)] {
        &self.reaches
    }

    /// Points of the scenario: all combinations of the swept values, or a single one without parameters when nothing is
    /// swept.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// Whether the file asks for time series of any of its runs.
    pub fn records_series(&self) -> bool {
        self.points.iter().any(Point::records_series)
    }

    /// Number of simulations: points times seeds.
    pub fn runs(&self) -> usize {
        self.points.len() * self.seeds.len()
    }

    /// Plots and table of results that the file's `[report]` asks for.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The report of this scenario that `text`, the keys of a `[report]` table, asks for. Plots of time series are
    /// always accepted, as results may have series that the file does not ask for; goodput over time needs `run.bins`.
    pub fn report_from(&self, text: &str) -> Result<Report, ScenarioError> {
        let source = Source {
            name: "report".into(),
            text: text.into(),
        };
        files::check_size(text)
            .and_then(|()| tree::parse(text))
            .and_then(|tree| report_of(&tree, &self.params, &self.points, Recorded::Always))
            .map_err(|fault| fault.into_error(&source))
    }

    /// Warnings about the scenario: settings that can be run, but are probably not meant.
    pub fn warnings(&self) -> &[ScenarioError] {
        &self.warnings
    }

    /// Trace and movement files that the scenario uses, each as [`Files::place`] names it (such as by its path on the
    /// disk), for a record of what a result depends on.
    pub fn traces(&self) -> &[PathBuf] {
        &self.traces
    }
}

impl Point {
    /// Specification of the simulation of this point with `seed`: always the same for the same seed.
    pub fn spec(&self, seed: u64) -> Spec {
        self.template.spec(seed)
    }

    /// Whether the file asks for time series of this point's runs.
    pub fn records_series(&self) -> bool {
        self.template.series()
    }

    /// Name of link `index` of this point's [`Spec`]; `None` if there is no such link.
    pub fn link_name(&self, index: usize) -> Option<&str> {
        self.template.link_name(index)
    }

    /// Value of the swept key `path` at this point; `None` if the file does not sweep it.
    pub fn param(&self, path: &str) -> Option<&ParamValue> {
        let found = self.params.iter().find(|(p, _)| p == path);
        found.map(|(_, value)| value)
    }

    /// Name of the transport of flow `index` of this point's [`Spec`]: a preset's name, and after it what the flow's
    /// `transport` sets besides, as in `cerl recovery=sack`; the flow's other keys, such as `tcp`, do not show in it.
    /// `None` if there is no such flow.
    pub fn transport_label(&self, index: usize) -> Option<&str> {
        let flow = self.template.flows.get(index)?;
        Some(&flow.transport)
    }

    /// Name of the `[[flow]]` from which flow `index` of this point's [`Spec`] comes, without a copy's number; `.near`
    /// follows for the half before a proxy, `.state` for a flow that carries a proxy's state. `None` if there is no
    /// such flow.
    pub fn flow_group(&self, index: usize) -> Option<&str> {
        let flow = self.template.flows.get(index)?;
        Some(&flow.group)
    }

    /// Whether flow `index` of this point's [`Spec`] is an inner part of a split flow: its data end at a proxy, or are
    /// a proxy's state, and do not arrive at the destination. `None` if there is no such flow.
    pub fn is_inner_flow(&self, index: usize) -> Option<bool> {
        let flow = self.template.flows.get(index)?;
        Some(flow.inner)
    }

    /// Name of the `[[link]]` from which link `index` of this point's [`Spec`] comes; `None` if there is no such link.
    pub fn link_group(&self, index: usize) -> Option<&str> {
        self.template.links.get(index).map(String::as_str)
    }

    /// Name of the `[[station]]` from which station `index` of this point's [`Spec`] comes; `None` if there is no such
    /// station.
    pub fn station_group(&self, index: usize) -> Option<&str> {
        self.template.stations.get(index).map(String::as_str)
    }
}

/// Address (URL) of the JSON schema of scenario files: the schema's `$id`, which the first line of a scenario may name
/// for editors (`#:schema ADDRESS`).
#[cfg(feature = "schema")]
pub const SCHEMA_ADDRESS: &str =
    concat!(env!("CARGO_PKG_REPOSITORY"), "/schema/scenario.schema.json");

/// The JSON schema of scenario files, for completion in editors.
#[cfg(feature = "schema")]
pub fn json_schema() -> serde_json::Value {
    let mut schema = schemars::schema_for!(model::File).to_value();
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("$id".to_owned(), SCHEMA_ADDRESS.into());
    }
    model::schema::allow_names(&mut schema);
    schema
}

/// Refuses names that lead out of the folder of results.
fn check_name(name: &str) -> Result<(), ScenarioError> {
    let leads = |c: char| matches!(c, '/' | '\\') || c.is_control();
    if matches!(name, "" | "." | "..") || name.contains(leads) {
        return Err(ScenarioError::unnamable(name));
    }
    Ok(())
}

/// Whether a plot may show time series: as the file says, or always.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Recorded {
    /// If the file has them recorded.
    AsSpecified,
    /// In any case: the caller has them recorded.
    Always,
}

fn read(
    name: &str,
    source: &Source,
    context: &Context<'_>,
    recorded: Recorded,
) -> Result<Scenario, Fault> {
    files::check_size(&source.text)?;
    let mut tree = tree::parse(&source.text)?;
    let swept = tree.remove("sweep");
    let searched = tree.remove("search");
    let shown = tree.remove("report");
    if let Some(searched) = &searched {
        check_search(searched, swept.as_ref(), &tree, &source.text, context)?;
    }
    if swept.is_some() {
        check_base(&tree, context)?;
    }
    let axes = match &swept {
        Some(entry) => sweep::axes(&entry.node, &tree, &source.text)?,
        None => Vec::new(),
    };
    let place = swept.as_ref().map_or(0..0, |s| s.key_span.clone());
    let count = sweep::count(&axes, &place)?;

    let mut points: Vec<Point> = Vec::with_capacity(count);
    let mut head = None;
    let mut entities = 0;
    let mut doubts: Vec<Fault> = Vec::new();
    let mut unfelt = lower::unfelt::Unfelt::default();
    for index in 0..count {
        let (point_tree, params) = sweep::point(&axes, index, &tree, &source.text)?;
        let (file, template) = lower_tree(&point_tree, context)
            .map_err(|fault| at_point(fault, &params, &tree, context))?;
        entities += template.size();
        if entities > MAX_ENTITIES {
            return Err(Fault::new(place, "this sweep is too large").label(format!(
                "more than {MAX_ENTITIES} links, stations and flows in all its points"
            )));
        }
        lower::unfelt::add_new(
            &mut doubts,
            lower::doubt::all(&file, &template, &context.files),
        );
        unfelt.look(&file, &template)?;
        head.get_or_insert(file);
        points.push(Point { params, template });
    }
    // There is always a point: an empty sweep is refused, and no sweep makes one.
    let Some(head) = head else {
        return Err(Fault::new(place, "this scenario has no point"));
    };
    doubts.extend(unfelt.left());
    let seeds = lower::seeds(&head.run)?;
    if seeds.len().saturating_mul(points.len()) > sweep::MAX_RUNS {
        return Err(Fault::new(place, "this sweep is too large").label(format!(
            "{} points times {} seeds are more than {} runs",
            points.len(),
            seeds.len(),
            sweep::MAX_RUNS
        )));
    }
    let params = sweep::paths(&axes);
    let reaches = sweep::reaches(&axes);
    let report = match &shown {
        Some(entry) => report_of(&entry.node, &params, &points, recorded)?,
        None => Report::default(),
    };
    Ok(Scenario {
        name: name.to_owned(),
        title: head.title.unwrap_or_else(|| name.to_owned()),
        description: head.description,
        text: Arc::clone(&source.text),
        seeds,
        params,
        reaches,
        points,
        report,
        traces: context.files.read_traces(),
        warnings: doubts
            .into_iter()
            .map(|doubt| doubt.into_error(source).into_warning())
            .collect(),
    })
}

fn lower_tree(tree: &Node, context: &Context<'_>) -> Result<(model::File, Template), Fault> {
    let mut tree = tree.clone();
    preset::apply(&mut tree);
    let file = decode(&tree)?;
    let template = lower::lower(&file, context)?;
    Ok((file, template))
}

fn decode(tree: &Node) -> Result<model::File, Fault> {
    let decoded = || {
        let mut file: model::File = de::from_node(tree)?;
        let links = tree.get("link").and_then(Node::as_array);
        let back = links.into_iter().flatten().map(model::reverse::reverse);
        file.back = back.collect::<Result<_, _>>()?;
        Ok(file)
    };
    decoded().map_err(model::home::add)
}

/// Whether the values of a search may stand where they would be set.
fn check_search(
    searched: &Entry,
    swept: Option<&Entry>,
    tree: &Node,
    text: &str,
    context: &Context<'_>,
) -> Result<(), Fault> {
    if swept.is_some() {
        let message = "a scenario has a [sweep] or a [search], not both";
        return Err(Fault::new(searched.key_span.clone(), message)
            .label("a search goes from one path of defaults"));
    }
    let keys = search::keys(&searched.node, tree, text)?;
    search::check_ends(&keys, tree, |tree| lower_tree(tree, context).map(drop))
}

/// A wrong value stays a mistake when every point replaces it. Keys that are missing, or values that
/// contradict each other, may be what the sweep is about.
fn check_base(tree: &Node, context: &Context<'_>) -> Result<(), Fault> {
    match lower_tree(tree, context) {
        Err(fault) if fault.is_inherent() => Err(fault),
        _ => Ok(()),
    }
}

/// Says which point a mistake is at, unless it is there without the sweep too.
fn at_point(
    fault: Fault,
    params: &[(String, ParamValue)],
    base: &Node,
    context: &Context<'_>,
) -> Fault {
    if params.is_empty() {
        return fault;
    }
    if let Err(before) = lower_tree(base, context)
        && before.same_as(&fault)
    {
        return fault;
    }
    let values: Vec<String> = params.iter().map(|(p, v)| format!("{p} = {v}")).collect();
    fault.add_help(&format!("this is with {}", values.join(", ")))
}

fn report_of(
    node: &Node,
    params: &[String],
    points: &[Point],
    recorded: Recorded,
) -> Result<Report, Fault> {
    let model: report::ReportModel = de::from_node(node).map_err(|f| f.at(&node.span))?;
    let mut requesting = BTreeSet::new();
    let mut flows = BTreeSet::new();
    let mut links = BTreeSet::new();
    let mut stations = BTreeSet::new();
    let mut values: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for point in points {
        for (path, value) in &point.params {
            let of_path = values.entry(path.clone()).or_default();
            let written = value.to_string();
            of_path.entry(written).or_insert_with(|| value.short());
        }
        requesting.extend(point.template.requesting_flows().map(String::from));
        flows.extend(point.template.flow_names().map(String::from));
        links.extend(point.template.link_names().map(String::from));
        stations.extend(point.template.station_names().map(String::from));
    }
    model.lower(&report::Names {
        params: params.to_vec(),
        flows: flows.into_iter().collect(),
        links: links.into_iter().collect(),
        stations: stations.into_iter().collect(),
        values,
        series: recorded == Recorded::Always || points.iter().all(|p| p.template.series()),
        bins: points.iter().all(|p| p.template.bins()),
        requests: points.iter().all(|p| p.template.requests()),
        requesting,
    })
}
