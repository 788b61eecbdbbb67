//! The numbers behind one plot and its table: series of samples over a common horizontal axis.

use std::collections::BTreeSet;

use skywave_sim::outcome::Outcome;

use super::points::{Labelled, PointLabel};
use super::study::{Study, StudyPoint};
use super::summary;
use crate::experiment::Results;
use crate::experiment::columns::Unit;
use crate::experiment::stats::{Estimate, paired_difference, paired_gain};
use crate::scenario::{Plot, PlotAxis};

/// Most series that single flows make; beyond, the copies of a flow are pooled.
const MAX_FLOW_SERIES: usize = 8;

/// Paths with their values as written.
pub type Facet = Vec<(String, String)>;

/// One plot's numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Heading.
    pub title: String,
    /// The point of the sweep in the paths that are neither on the axis nor series, as written.
    pub facet: Facet,
    /// What is measured, for people: `Goodput`.
    pub y_label: String,
    /// Its unit.
    pub y_unit: Unit,
    /// Logarithmic vertical axis.
    pub y_log: bool,
    /// The horizontal axis.
    pub x: XAxis,
    /// What the series are told apart by: a swept path, `flow`, `seed`; empty for a single one.
    pub by: String,
    /// The series.
    pub series: Vec<PanelSeries>,
}

/// The horizontal axis of a panel.
#[derive(Clone, Debug, PartialEq)]
pub struct XAxis {
    /// A swept path, or `seed`.
    pub label: String,
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
    /// As a number, in SI units; `None` for a name.
    pub number: Option<f64>,
}

/// One series of a panel.
#[derive(Clone, Debug, PartialEq)]
pub struct PanelSeries {
    /// The value that it stands for; empty for a single series.
    pub label: String,
    /// For each place on the axis, one sample a seed, in SI units.
    pub samples: Vec<Vec<Option<f64>>>,
}

impl PanelSeries {
    /// Mean and interval at a place of the axis.
    pub fn estimate(&self, x: usize) -> Option<Estimate> {
        let samples: Vec<f64> = self.samples.get(x)?.iter().copied().flatten().collect();
        Estimate::of(&samples)
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

    /// The name of a series for people: numbers and yes or no say what they are of.
    pub fn series_label(&self, series: &PanelSeries) -> String {
        let value = &series.label;
        let is_word = value.parse::<bool>().is_err()
            && !value.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '.');
        if is_word || self.by.is_empty() {
            return value.clone();
        }
        let name = self.by.rsplit('.').next().unwrap_or(&self.by);
        format!("{name} {value}")
    }

    /// The facet for people: `run.duration = 480s, …`; empty when there is only one.
    pub fn facet_label(&self) -> String {
        let parts = self
            .facet
            .iter()
            .map(|(path, value)| format!("{path} = {value}"));
        parts.collect::<Vec<_>>().join(", ")
    }
}

/// The panels of a study: the plots that its scenario asks for, or else goodput over the sweep, one
/// panel for each combination of what is neither on the axis nor a series. Plots over time are not
/// among them.
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
        .filter(|p| p.x != PlotAxis::Time)
        .flat_map(|p| facets(study, results, p))
        .collect()
}

/// One panel a facet, in the order in which facets first appear.
fn facets(study: &Study, results: &Results, plot: &Plot) -> Vec<Panel> {
    let free = free_paths(study, plot);
    let facet_of = |point: &StudyPoint| -> Facet {
        let values = free
            .iter()
            .filter_map(|path| Some((path.clone(), point.param(path)?.to_string())));
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
        .map(|(facet, points)| panel(study, results, plot, facet, &points))
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

fn panel(study: &Study, results: &Results, plot: &Plot, facet: Facet, points: &[usize]) -> Panel {
    let flows = series_flows(study, plot, results, points);
    let mut places: Labelled<XValue> = Labelled::default();
    let mut series: Labelled<String> = Labelled::default();
    // (place, series, seed, value); a label's index is its order of first appearance.
    let mut samples: Vec<(usize, usize, usize, Option<f64>)> = Vec::new();
    for &point in points {
        let label = PointLabel {
            point: &study.points[point],
            seeds: &results.seeds,
        };
        for seed in 0..results.seeds.len() {
            let run = results.get(point, seed);
            let x = label.place(&plot.x, seed);
            let place = places.index(&x.label.clone(), || x);
            let mut add = |name: String, value: Option<f64>| {
                let at = series.index(&name.clone(), || name);
                samples.push((place, at, seed, value));
            };
            match &plot.by {
                Some(PlotAxis::Flow) => {
                    for flow in &flows {
                        let value = run.and_then(|r| {
                            summary::of_flows(&r.outcome, plot.y, |o, i| {
                                let group = study.points[point].flows.get(i).map(|f| &f.group);
                                o.name == *flow || group == Some(flow)
                            })
                        });
                        add(flow.clone(), value);
                    }
                }
                Some(axis) => add(
                    label.place(axis, seed).label,
                    run.and_then(|r| value(&r.outcome, plot, &study.points[point])),
                ),
                None => add(
                    String::new(),
                    run.and_then(|r| value(&r.outcome, plot, &study.points[point])),
                ),
            }
        }
    }
    let order = places.ascending(|v| v.number);
    let mut all: Vec<PanelSeries> = series
        .into_values()
        .into_iter()
        .map(|label| PanelSeries {
            label,
            samples: vec![vec![None; results.seeds.len()]; order.len()],
        })
        .collect();
    let mut column = vec![0; order.len()];
    for (to, &from) in order.iter().enumerate() {
        column[from] = to;
    }
    for (place, at, seed, value) in samples {
        all[at].samples[column[place]][seed] = value;
    }
    let measured = summary::describe(study, plot, points);
    let x = XAxis {
        label: axis_name(&plot.x),
        unit: points.iter().find_map(|&p| match &plot.x {
            PlotAxis::Param(path) => Some(study.points[p].param(path)?.quantity.as_ref()?.unit),
            _ => None,
        }),
        log: plot.x_log,
        values: places.into_sorted(&order),
    };
    Panel {
        title: plot.title.clone().unwrap_or_else(|| match &plot.by {
            Some(by) => format!(
                "{} against {}, by {}",
                measured.label,
                x.label,
                axis_name(by)
            ),
            None => format!("{} against {}", measured.label, x.label),
        }),
        facet,
        y_label: measured.label,
        y_unit: measured.unit,
        y_log: plot.y_log,
        x,
        by: plot.by.as_ref().map(axis_name).unwrap_or_default(),
        series: all,
    }
}

/// The value of a run in a plot that does not tell flows apart.
fn value(outcome: &Outcome, plot: &Plot, point: &StudyPoint) -> Option<f64> {
    match (&plot.link, &plot.station) {
        (Some(wanted), _) => summary::of_links(outcome, plot.y, |link, i| {
            link.name == *wanted || point.links.get(i) == Some(wanted)
        }),
        (None, Some(wanted)) => summary::of_stations(outcome, plot.y, |station, i| {
            station.name == *wanted || point.stations.get(i) == Some(wanted)
        }),
        (None, None) => summary::of_flows(outcome, plot.y, |flow, i| {
            plot.flow.as_ref().is_none_or(|wanted| {
                flow.name == *wanted || point.flows.get(i).is_some_and(|f| f.group == *wanted)
            })
        }),
    }
}

/// What makes a series when flows do: each flow, or each group of copies when there are many.
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

fn axis_name(axis: &PlotAxis) -> String {
    match axis {
        PlotAxis::Param(path) => path.clone(),
        PlotAxis::Seed => "seed".into(),
        PlotAxis::Time => "time".into(),
        PlotAxis::Flow => "flow".into(),
    }
}
