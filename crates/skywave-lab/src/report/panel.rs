//! The numbers behind one plot and its table: series of samples over a common horizontal axis.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::caption::{Caption, axis_name, series_name};
use super::observe::observe;
use super::points::{Labelled, PointLabel};
use super::study::{Study, StudyPoint};
use super::summary;
use super::words::Words;
use crate::experiment::Results;
use crate::experiment::stats::{Average, Estimate, Paired, paired_difference, paired_gain};
use crate::scenario::{Plot, PlotAxis, PlotKind};
use skywave_sim::outcome::Unit;

/// Most series that single flows make; beyond, the copies of a flow are pooled.
const MAX_FLOW_SERIES: usize = 8;

/// Most series of a plot; nobody tells more of them apart.
const MAX_SERIES: usize = 500;

/// Facet of a plot that is one of several alike: the swept parameters that neither its axis nor its series show, as
/// pairs of the parameter in words and its fixed value in this plot.
pub type Facet = Vec<(String, String)>;

/// Panel: the numbers and words of one plot and its table, as series of samples over a common horizontal axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Kind of plot that shows the numbers.
    pub kind: PlotKind,
    /// Whether the horizontal axis is time in bins, of which there may be very many.
    pub over_time: bool,
    /// Heading of the plot: the scenario's own, or else one made of the labels of the axes.
    pub title: String,
    /// Whether the scenario's file asks for no heading above the plot.
    pub untitled: bool,
    /// Heading in a few words, from which the name of the plot's file is made: `goodput against loss rate`.
    pub name: String,
    /// Values of the swept parameters that neither the axis nor the series show; empty if there are none.
    pub facet: Facet,
    /// Name for people of the measured quantity: `Goodput`.
    pub y_label: String,
    /// Name that the scenario's file gives to the vertical axis; `None` if it gives none.
    pub y_given: Option<String>,
    /// Unit of the measured quantity.
    pub y_unit: Unit,
    /// Whether the quantity is the time until an event, which may not happen before the end of a run.
    pub until: bool,
    /// Whether the vertical axis is logarithmic.
    pub y_log: bool,
    /// Horizontal axis of the plot, with the places at which there are samples.
    pub x: XAxis,
    /// Property by which the series are told apart, in words: `transport`, `flow`, `seed`; empty for a single
    /// series.
    pub by: String,
    /// Series of samples, in the order of the legend.
    pub series: Vec<PanelSeries>,
}

/// Horizontal axis of a panel (a plot and its table).
#[derive(Clone, Debug, PartialEq)]
pub struct XAxis {
    /// Name of the axis: a swept parameter in words, `time`, `seed`, or for a distribution the measured quantity.
    pub label: String,
    /// Name of the axis without the name of the link or flow whose parameter it is, for the head of a table's column.
    pub brief: String,
    /// Name that the scenario's file gives to the axis; `None` if it gives none.
    pub given: Option<String>,
    /// Unit of each [`XValue::number`], without prefix (`s`, `bit/s`, `B`, …); `None` if they have none, as seeds, for
    /// names, and for a distribution, whose unit is [`Panel::y_unit`].
    pub unit: Option<&'static str>,
    /// Whether the axis is logarithmic.
    pub log: bool,
    /// Places on the axis at which there may be samples, ascending if they are numbers.
    pub values: Vec<XValue>,
}

/// Place on the horizontal axis of a panel: a value of a swept parameter, a time, or a number.
#[derive(Clone, Debug, PartialEq)]
pub struct XValue {
    /// Value as written in the scenario's file; the number in digits where the file has none, as for a time or a seed.
    pub label: String,
    /// Name of the value for people: a short form, or the one that the scenario's file gives.
    pub name: String,
    /// Value as a number, in SI units; `None` if the value is a name.
    pub number: Option<f64>,
}

impl XValue {
    /// Place on the axis for a plain number in SI units, whose text is also its label and name.
    pub fn number(number: f64) -> Self {
        let label = number.to_string();
        Self {
            name: label.clone(),
            label,
            number: Some(number),
        }
    }
}

/// One series of a plot: its name, and its samples along the horizontal axis.
#[derive(Clone, Debug, PartialEq)]
pub struct PanelSeries {
    /// Value that distinguishes the series from the other series of the plot, as written in the scenario; empty for a
    /// single series.
    pub label: String,
    /// Name of the series for people: the one that the scenario's `[report]` gives to its value, or else a short form.
    /// A number or flag without a given name follows that of its parameter: `loss rate 0.01`.
    pub name: String,
    /// Samples at each place on the horizontal axis, by the index of the place in [`XAxis::values`]; a place without
    /// samples is left out.
    pub samples: BTreeMap<usize, Samples>,
}

/// Samples of one series at one place of the horizontal axis, in SI units, in the order of the seeds: one sample for
/// each seed, or an equal number for each; some may be missing. Memory is taken only from the first sample to the last
/// that is not missing: where the axis has a place for each of a million seeds, each place has one sample.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Samples {
    first: usize,
    values: Vec<Option<f64>>,
    /// How many numbers there would be if each run had one.
    runs: usize,
}

impl Samples {
    /// Samples that are not missing, in the order of the seeds; the time until an event is infinite if the event did
    /// not happen before the end of the run.
    pub fn values(&self) -> impl Iterator<Item = f64> + '_ {
        self.values.iter().copied().flatten()
    }

    /// Puts a sample of a run that has been made, if `ran`, in its place.
    fn put(&mut self, at: usize, value: Option<f64>, ran: bool) {
        self.runs += usize::from(ran);
        if value.is_none() && !self.range().contains(&at) {
            return;
        }
        if self.values.is_empty() {
            self.first = at;
        }
        if at < self.first {
            let before = std::iter::repeat_n(None, self.first - at);
            self.values.splice(..0, before);
            self.first = at;
        }
        let at = at - self.first;
        if at >= self.values.len() {
            self.values.resize(at + 1, None);
        }
        self.values[at] = value;
    }

    fn range(&self) -> Range<usize> {
        self.first..self.first + self.values.len()
    }

    /// Samples of both series that have the same seeds.
    fn both<'a>(&'a self, other: &'a Self) -> Paired<'a> {
        let (a, b) = (self.range(), other.range());
        let (from, to) = (a.start.max(b.start), a.end.min(b.end));
        let part = |samples: &'a Self| {
            let from = from.checked_sub(samples.first)?;
            samples.values.get(from..to.checked_sub(samples.first)?)
        };
        (part(self).unwrap_or(&[]), part(other).unwrap_or(&[]))
    }
}

impl PanelSeries {
    /// Mean of the samples at axis index `x` with its 95 % interval; `None` without samples, or when a sample is
    /// infinite.
    pub fn estimate(&self, x: usize) -> Option<Estimate> {
        Estimate::of(&self.values(x))
    }

    /// Mean and median of the samples at axis index `x`.
    pub fn average(&self, x: usize) -> Average {
        let runs = self.samples.get(&x).map_or(0, |samples| samples.runs);
        Average::of(&self.values(x), runs)
    }

    /// Samples at axis index `x`, in SI units and the order of the seeds; missing ones are left out. The time until an
    /// event is infinite if the event did not happen before the end of the run.
    pub fn values(&self, x: usize) -> Vec<f64> {
        let samples = self.samples.get(&x).into_iter();
        samples.flat_map(Samples::values).collect()
    }

    /// Samples at axis index `x`, in SI units, ascending; missing ones are left out. The time until an event is
    /// infinite if the event did not happen before the end of the run.
    pub fn sorted(&self, x: usize) -> Vec<f64> {
        let mut values = self.values(x);
        values.sort_by(f64::total_cmp);
        values
    }

    /// Mean of this series minus the mean of `other` at axis index `x`, in SI units, paired by seed; `None` if no seed
    /// has a sample in both, or a sample is infinite.
    pub fn difference(&self, other: &Self, x: usize) -> Option<Estimate> {
        let (ours, theirs) = self.both(x, other, x)?;
        paired_difference(ours, theirs)
    }

    /// Relative gain of the mean at axis index `x` over the mean at index `reference`, paired by seed: 0.1 is 10 %
    /// more. `None` if no seed has a sample at both indices, a sample is infinite, or the reference's mean is not above
    /// zero.
    pub fn gain_along(&self, x: usize, reference: usize) -> Option<Estimate> {
        let (ours, theirs) = self.both(x, self, reference)?;
        paired_gain(ours, theirs)
    }

    /// Relative gain of this series' mean over the mean of `other` at axis index `x`, paired by seed: 0.1 is 10 % more.
    /// `None` if no seed has a sample in both, a sample is infinite, or the mean of `other` is not above zero.
    pub fn gain(&self, other: &Self, x: usize) -> Option<Estimate> {
        let (ours, theirs) = self.both(x, other, x)?;
        paired_gain(ours, theirs)
    }

    /// The samples at a place of the axis and those of a series at a place, of the same seeds.
    fn both<'a>(&'a self, x: usize, other: &'a Self, at: usize) -> Option<Paired<'a>> {
        Some(self.samples.get(&x)?.both(other.samples.get(&at)?))
    }
}

impl Panel {
    /// Largest absolute value among the means of the plot, or the medians where there is no mean, in SI units: the
    /// unit's prefix is chosen by it.
    pub fn largest(&self) -> f64 {
        let places = 0..self.x.values.len();
        let middles = self
            .series
            .iter()
            .flat_map(|s| places.clone().filter_map(|x| s.average(x).middle()));
        middles.map(f64::abs).fold(0.0, f64::max)
    }

    /// Whether every place on the horizontal axis is a number.
    pub fn is_numeric(&self) -> bool {
        self.x.values.iter().all(|v| v.number.is_some())
    }

    /// Heading of the plot, followed by the values of its facet if there are several like plots.
    pub fn full_title(&self) -> String {
        match self.facet_label() {
            facet if facet.is_empty() => self.title.clone(),
            facet => format!("{}, {facet}", self.title),
        }
    }

    /// Text of the facet (which of several like plots this is) for people: `duration = 480s, …`; empty for the only
    /// plot.
    pub fn facet_label(&self) -> String {
        let parts = self
            .facet
            .iter()
            .map(|(path, value)| format!("{path} = {value}"));
        parts.collect::<Vec<_>>().join(", ")
    }
}

/// Makes the panels of a study: the plots that its scenario asks for, or else goodput over the sweep, with one panel
/// for each combination of swept values that neither the axis nor the series show. Plots over time are
/// among them if they show goodput in bins of time, not if they show recorded series.
pub fn panels(study: &Study, results: &Results) -> Vec<Panel> {
    let sketches = sketches(study);
    sketches
        .iter()
        .map(|sketch| sketch.panel(study, results))
        .collect()
}

/// A panel before anything is measured: there may be many, and each has numbers of all runs.
pub(super) struct Sketch {
    plot: Plot,
    facet: Facet,
    points: Vec<usize>,
}

impl Sketch {
    /// The panel with its numbers.
    pub(super) fn panel(&self, study: &Study, results: &Results) -> Panel {
        self.measured(study, results, true)
    }

    /// The panel without any: with all its words, and its series and places.
    pub(super) fn outline(&self, study: &Study, results: &Results) -> Panel {
        self.measured(study, results, false)
    }

    /// The panel, with the numbers of the runs if they are wanted.
    fn measured(&self, study: &Study, results: &Results, wanted: bool) -> Panel {
        let (plot, points, words) = (&self.plot, &self.points, &Words::of(study));
        let flows = match plot.by {
            Some(PlotAxis::Flow) => series_flows(study, plot, results, points),
            _ => Vec::new(),
        };
        let mut places: Labelled<XValue> = Labelled::default();
        let mut series: Labelled<XValue> = Labelled::default();
        // (place, series, slot, seed, value, whether there was a run); a label's index is its order of first appearance.
        let mut samples: Vec<(usize, usize, usize, usize, Option<f64>, bool)> = Vec::new();
        for &point in points {
            let label = PointLabel {
                point: &study.points[point],
                seeds: &results.seeds,
                names: &plot.names,
            };
            let x_of = label.places(&plot.x);
            let by_of = plot.by.as_ref().map(|axis| label.places(axis));
            for seed in 0..results.seeds.len() {
                let run = wanted.then(|| results.get(point, seed)).flatten();
                let x = x_of(seed);
                let mut add = |by: XValue, only: Option<&String>| {
                    let at = series.index(&by.label.clone(), || by);
                    if at >= MAX_SERIES {
                        return;
                    }
                    let ran = run.is_some();
                    let mut put = |x: XValue, slot, value| {
                        let place = places.index(&x.label.clone(), || x);
                        samples.push((place, at, slot, seed, value, ran));
                    };
                    match &run {
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
        let mut series = series.into_values();
        let found = series.len();
        series.truncate(MAX_SERIES);
        let mut all: Vec<PanelSeries> = series
            .into_iter()
            .map(|value| PanelSeries {
                name: series_name(words, plot, &value),
                label: value.label,
                samples: BTreeMap::new(),
            })
            .collect();
        let mut column = vec![0; order.len()];
        for (to, &from) in order.iter().enumerate() {
            column[from] = to;
        }
        for (place, at, slot, seed, value, ran) in samples {
            let samples = all[at].samples.entry(column[place]).or_default();
            samples.put(seed * slots + slot, value, ran);
        }
        let measured = summary::describe(study, plot, points);
        let x = XAxis {
            label: axis_name(words, &plot.x, &measured.label),
            brief: match &plot.x {
                PlotAxis::Param(path) => words.brief(path),
                axis => axis_name(words, axis, &measured.label),
            },
            given: plot.x_label.clone(),
            unit: match &plot.x {
                PlotAxis::Time => Some("s"),
                PlotAxis::Param(path) => points.iter().find_map(|&p| {
                    let value = study.points[p].param(path)?;
                    Some(value.quantity.as_ref()?.unit)
                }),
                _ => None,
            },
            log: plot.x_log,
            values: places.into_sorted(&order),
        };
        let by = plot.by.as_ref().map(|by| axis_name(words, by, ""));
        let mut by = by.unwrap_or_default();
        if found > MAX_SERIES {
            by = format!("{by} (the first {MAX_SERIES} of {found})");
        }
        let caption = Caption::of(plot, &measured.label, &x, &by);
        Panel {
            kind: plot.kind,
            over_time: plot.is_binned(),
            title: caption.title,
            untitled: plot.title.as_deref() == Some(""),
            name: caption.name,
            facet: self.facet.clone(),
            y_label: measured.label,
            y_given: plot.y_label.clone(),
            y_unit: measured.unit,
            until: measured.until,
            y_log: plot.y_log,
            x,
            by,
            series: all,
        }
    }
}

/// The panels of [`panels`], to be measured one by one.
pub(super) fn sketches(study: &Study) -> Vec<Sketch> {
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
        .flat_map(|p| facets(study, p))
        .collect()
}

/// One panel a facet, in the order in which facets first appear.
fn facets(study: &Study, plot: &Plot) -> Vec<Sketch> {
    let free = free_paths(study, plot);
    let words = Words::of(study);
    let facet_of = |point: &StudyPoint| -> Facet {
        let values = free
            .iter()
            .filter_map(|path| Some((words.path(path), point.param(path)?.short())));
        values.collect()
    };
    let mut facets: Labelled<Sketch> = Labelled::default();
    for (index, point) in study.points.iter().enumerate() {
        let facet = facet_of(point);
        let key = format!("{facet:?}");
        let sketch = facets.entry(&key, || Sketch {
            plot: plot.clone(),
            facet,
            points: Vec::new(),
        });
        sketch.points.push(index);
    }
    facets.into_values()
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

/// The series of a plot whose series are flows: each flow, or each group of copies when there are
/// many.
fn series_flows(study: &Study, plot: &Plot, results: &Results, points: &[usize]) -> Vec<String> {
    let mut names: Labelled<String> = Labelled::default();
    let mut groups: Labelled<String> = Labelled::default();
    for &point in points {
        for run in results.at(point).flatten() {
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
