//! The numbers behind one plot and its table: series of samples over a common horizontal axis.

use std::collections::BTreeSet;

use super::caption::{Caption, axis_name, series_name};
use super::observe::observe;
use super::points::{Labelled, PointLabel};
use super::study::{Study, StudyPoint};
use super::summary;
use super::words::Words;
use crate::experiment::Results;
use crate::experiment::columns::Unit;
use crate::experiment::stats::{Estimate, paired_difference, paired_gain};
use crate::scenario::{Plot, PlotAxis, PlotKind};

/// Most series that single flows make; beyond, the copies of a flow are pooled.
const MAX_FLOW_SERIES: usize = 8;

/// Paths in words with their values.
pub type Facet = Vec<(String, String)>;

/// One plot's numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// How it is drawn.
    pub kind: PlotKind,
    /// It shows bins of time, of which there may be many.
    pub over_time: bool,
    /// The heading: the scenario's own, or else one made of the labels of the axes.
    pub title: String,
    /// The file wants no heading above the plot.
    pub untitled: bool,
    /// The same in a few words, for the name of a file: `goodput against loss rate`.
    pub name: String,
    /// The point of the sweep in the paths that are neither on the axis nor series.
    pub facet: Facet,
    /// What is measured, for people: `Goodput`.
    pub y_label: String,
    /// Name that the file gives to the vertical axis, if it gives one.
    pub y_given: Option<String>,
    /// Its unit.
    pub y_unit: Unit,
    /// Logarithmic vertical axis.
    pub y_log: bool,
    /// The horizontal axis.
    pub x: XAxis,
    /// What the series are told apart by, in words: `transport`, `flow`, `seed`; empty for a single one.
    pub by: String,
    /// The series.
    pub series: Vec<PanelSeries>,
}

/// The horizontal axis of a panel.
#[derive(Clone, Debug, PartialEq)]
pub struct XAxis {
    /// A swept path in words, `time` or `seed`.
    pub label: String,
    /// The same without the link or flow that it belongs to, for the head of a column.
    pub brief: String,
    /// Name that the file gives to the axis, if it gives one.
    pub given: Option<String>,
    /// Unit of the numbers, when they have one.
    pub unit: Option<&'static str>,
    /// Logarithmic.
    pub log: bool,
    /// The values, ascending if they are numbers.
    pub values: Vec<XValue>,
}

/// A place on the horizontal axis.
#[derive(Clone, Debug, PartialEq)]
pub struct XValue {
    /// As written in the scenario.
    pub label: String,
    /// For people: in short, or as the file calls it.
    pub name: String,
    /// As a number, in SI units; `None` for a name.
    pub number: Option<f64>,
}

impl XValue {
    /// A place that is no more than a number.
    pub fn number(number: f64) -> Self {
        let label = number.to_string();
        Self {
            name: label.clone(),
            label,
            number: Some(number),
        }
    }
}

/// One series of a panel.
#[derive(Clone, Debug, PartialEq)]
pub struct PanelSeries {
    /// The value that it stands for; empty for a single series.
    pub label: String,
    /// Its name for people: in short, or as the file calls it; numbers and flags say what they are of.
    pub name: String,
    /// For each place on the axis, one sample a seed (or more than one, as many of each seed), in SI units.
    pub samples: Vec<Vec<Option<f64>>>,
}

impl PanelSeries {
    /// Mean and interval at a place of the axis.
    pub fn estimate(&self, x: usize) -> Option<Estimate> {
        Estimate::of(&self.values(x))
    }

    /// The samples at a place of the axis that are there.
    pub fn values(&self, x: usize) -> Vec<f64> {
        let samples = self.samples.get(x).map_or(&[][..], Vec::as_slice);
        samples.iter().copied().flatten().collect()
    }

    /// The samples at a place of the axis that are there, ascending.
    pub fn sorted(&self, x: usize) -> Vec<f64> {
        let mut values = self.values(x);
        values.sort_by(f64::total_cmp);
        values
    }

    /// Difference to another series at a place of the axis, seed by seed.
    pub fn difference(&self, other: &Self, x: usize) -> Option<Estimate> {
        paired_difference(self.samples.get(x)?, other.samples.get(x)?)
    }

    /// Relative gain at a place of the axis over another place, seed by seed.
    pub fn gain_along(&self, x: usize, reference: usize) -> Option<Estimate> {
        paired_gain(self.samples.get(x)?, self.samples.get(reference)?)
    }

    /// Relative gain over another series at a place of the axis, seed by seed.
    pub fn gain(&self, other: &Self, x: usize) -> Option<Estimate> {
        paired_gain(self.samples.get(x)?, other.samples.get(x)?)
    }
}

impl Panel {
    /// The largest mean, for the choice of the unit.
    pub fn largest(&self) -> f64 {
        let places = 0..self.x.values.len();
        let means = self
            .series
            .iter()
            .flat_map(|s| places.clone().filter_map(|x| s.estimate(x)))
            .map(|e| e.mean.abs());
        means.fold(0.0, f64::max)
    }

    /// Whether every place on the axis is a number.
    pub fn is_numeric(&self) -> bool {
        self.x.values.iter().all(|v| v.number.is_some())
    }

    /// The heading with the facet, if there are several.
    pub fn full_title(&self) -> String {
        match self.facet_label() {
            facet if facet.is_empty() => self.title.clone(),
            facet => format!("{}, {facet}", self.title),
        }
    }

    /// The facet for people: `duration = 480s, …`; empty when there is only one.
    pub fn facet_label(&self) -> String {
        let parts = self
            .facet
            .iter()
            .map(|(path, value)| format!("{path} = {value}"));
        parts.collect::<Vec<_>>().join(", ")
    }
}

/// The panels of a study: the plots that its scenario asks for, or else goodput over the sweep, one
/// panel for each combination of what is neither on the axis nor a series. Plots of recorded time series
/// are not among them.
pub fn panels(study: &Study, results: &Results) -> Vec<Panel> {
    let asked = &study.report.plots;
    let default;
    let plots = if asked.is_empty() {
        default = summary::default_plot(study);
        default.as_slice()
    } else {
        asked.as_slice()
    };
    plots
        .iter()
        .filter(|p| p.x != PlotAxis::Time || p.is_binned())
        .flat_map(|p| facets(study, results, p))
        .collect()
}

/// One panel a facet, in the order in which facets first appear.
fn facets(study: &Study, results: &Results, plot: &Plot) -> Vec<Panel> {
    let free = free_paths(study, plot);
    let words = Words::of(study);
    let facet_of = |point: &StudyPoint| -> Facet {
        let values = free
            .iter()
            .filter_map(|path| Some((words.path(path), point.param(path)?.short())));
        values.collect()
    };
    let mut facets: Labelled<(Facet, Vec<usize>)> = Labelled::default();
    for (index, point) in study.points.iter().enumerate() {
        let facet = facet_of(point);
        let key = format!("{facet:?}");
        let (_, points) = facets.entry(&key, || (facet, Vec::new()));
        points.push(index);
    }
    facets
        .into_values()
        .into_iter()
        .map(|(facet, points)| panel(study, results, words, plot, facet, &points))
        .collect()
}

/// Swept paths that vary while axis and series stand still. A path that is linked to one of them
/// varies only with it, and makes no facets.
fn free_paths(study: &Study, plot: &Plot) -> Vec<String> {
    let shown = |point: &StudyPoint| {
        let value = |axis: &PlotAxis| match axis {
            PlotAxis::Param(path) => point.param(path).map(ToString::to_string),
            _ => None,
        };
        (value(&plot.x), plot.by.as_ref().and_then(value))
    };
    study
        .paths()
        .filter(|path| {
            let with: BTreeSet<_> = study
                .points
                .iter()
                .map(|p| (shown(p), p.param(path).map(ToString::to_string)))
                .collect();
            let without: BTreeSet<_> = study.points.iter().map(shown).collect();
            with.len() > without.len()
        })
        .map(str::to_owned)
        .collect()
}

fn panel(
    study: &Study,
    results: &Results,
    words: Words,
    plot: &Plot,
    facet: Facet,
    points: &[usize],
) -> Panel {
    let flows = series_flows(study, plot, results, points);
    let mut places: Labelled<XValue> = Labelled::default();
    let mut series: Labelled<XValue> = Labelled::default();
    // (place, series, slot, seed, value); a label's index is its order of first appearance.
    let mut samples: Vec<(usize, usize, usize, usize, Option<f64>)> = Vec::new();
    for &point in points {
        let label = PointLabel {
            point: &study.points[point],
            seeds: &results.seeds,
            names: &plot.names,
        };
        let x_of = label.places(&plot.x);
        let by_of = plot.by.as_ref().map(|axis| label.places(axis));
        for seed in 0..results.seeds.len() {
            let run = results.get(point, seed);
            let x = x_of(seed);
            let mut add = |by: XValue, only: Option<&String>| {
                let at = series.index(&by.label.clone(), || by);
                let mut put = |x: XValue, slot, value| {
                    let place = places.index(&x.label.clone(), || x);
                    samples.push((place, at, slot, seed, value));
                };
                match run {
                    Some(run) => {
                        let observed = observe(&run.outcome, plot, label.point, only, &x);
                        for o in observed {
                            put(o.place, o.slot, o.value);
                        }
                    }
                    None if plot.is_binned() => {}
                    None => put(x.clone(), 0, None),
                }
            };
            match (&plot.by, &by_of) {
                (Some(PlotAxis::Flow), _) => {
                    for flow in &flows {
                        add(label.named(flow), Some(flow));
                    }
                }
                (_, Some(by_of)) => add(by_of(seed), None),
                (_, None) => add(label.named(""), None),
            }
        }
    }
    let slots = samples.iter().map(|s| s.2 + 1).max().unwrap_or(1);
    let order = places.ascending(|v| v.number);
    let mut all: Vec<PanelSeries> = series
        .into_values()
        .into_iter()
        .map(|value| PanelSeries {
            name: series_name(plot, &value),
            label: value.label,
            samples: vec![vec![None; results.seeds.len() * slots]; order.len()],
        })
        .collect();
    let mut column = vec![0; order.len()];
    for (to, &from) in order.iter().enumerate() {
        column[from] = to;
    }
    for (place, at, slot, seed, value) in samples {
        all[at].samples[column[place]][seed * slots + slot] = value;
    }
    let measured = summary::describe(study, plot, points);
    let x = XAxis {
        label: axis_name(words, &plot.x, &measured.label),
        brief: match &plot.x {
            PlotAxis::Param(path) => Words::brief(path),
            axis => axis_name(words, axis, &measured.label),
        },
        given: plot.x_label.clone(),
        unit: match plot.x {
            PlotAxis::Time => Some("s"),
            _ => points.iter().find_map(|&p| match &plot.x {
                PlotAxis::Param(path) => Some(study.points[p].param(path)?.quantity.as_ref()?.unit),
                _ => None,
            }),
        },
        log: plot.x_log,
        values: places.into_sorted(&order),
    };
    let by = plot.by.as_ref().map(|by| axis_name(words, by, ""));
    let by = by.unwrap_or_default();
    let caption = Caption::of(plot, &measured.label, &x, &by);
    Panel {
        kind: plot.kind,
        over_time: plot.is_binned(),
        title: caption.title,
        untitled: plot.title.as_deref() == Some(""),
        name: caption.name,
        facet,
        y_label: measured.label,
        y_given: plot.y_label.clone(),
        y_unit: measured.unit,
        y_log: plot.y_log,
        x,
        by,
        series: all,
    }
}

/// The series of a plot whose series are flows: each flow, or each group of copies when there are
/// many.
fn series_flows(study: &Study, plot: &Plot, results: &Results, points: &[usize]) -> Vec<String> {
    let mut names: Labelled<String> = Labelled::default();
    let mut groups: Labelled<String> = Labelled::default();
    for &point in points {
        for run in results.at(point).iter().flatten() {
            for (i, flow) in run.outcome.flows.iter().enumerate() {
                let group = study.points[point]
                    .flows
                    .get(i)
                    .map_or(&flow.name, |f| &f.group);
                if plot
                    .flow
                    .as_ref()
                    .is_none_or(|w| *w == flow.name || w == group)
                {
                    names.index(&flow.name, || flow.name.clone());
                    groups.index(group, || group.clone());
                }
            }
        }
    }
    let names = names.into_values();
    if names.len() <= MAX_FLOW_SERIES {
        names
    } else {
        groups.into_values()
    }
}
