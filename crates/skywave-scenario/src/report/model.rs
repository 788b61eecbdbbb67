//! `[report]` as it is written, and its checks.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::metric::{Measured, OF_FLOWS, OF_LINKS, OF_STATIONS, OVER_TIME, TABLE, binned, find};
use super::{Metric, Plot, PlotAxis, PlotKind, Report, Sample};
use crate::read::fault::Fault;
use crate::read::names::unknown;
use crate::read::spanned::Spanned;

/// Plots and table of the results.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct ReportModel {
    /// The plots; default goodput over the number that is swept most finely.
    #[serde(default)]
    plot: Vec<PlotModel>,
    /// Columns of the table of flows, which has a row for each point and flow; default goodput, RTT, 95th percentile
    /// of the delay, retransmissions, timeouts, and drops by queues and channels.
    #[serde(default)]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Vec<super::metric::schema::FlowMeasure>")
    )]
    table: Vec<Spanned<String>>,
    /// Names of swept values and of flows in all plots, as in { cerl = "TCP CERL" }; default as written,
    /// compositions in short.
    #[serde(default)]
    names: BTreeMap<String, Spanned<String>>,
}

/// A plot: `y` against `x`, with one line for each value of `by`. docs/figures.md has examples.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct PlotModel {
    /// How the plot is drawn; default "line".
    kind: Option<KindModel>,
    /// The horizontal axis: a swept path, "seed", or for lines "time" (which needs `series` or, for goodput, `bins`
    /// in `[run]`). Of a CDF it is the measure that is shown.
    x: Spanned<String>,
    /// The vertical axis: a measure. A CDF has none; default none.
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Option<super::metric::schema::Measure>")
    )]
    y: Option<Spanned<String>>,
    /// Sample of a CDF or of a box: a run, a flow or a transfer; default "run".
    sample: Option<Spanned<SampleModel>>,
    /// One line for each value of this: a swept path, "flow" or "seed"; default one line.
    by: Option<Spanned<String>>,
    /// Scale of the horizontal axis; default "linear".
    x_scale: Option<ScaleModel>,
    /// Scale of the vertical axis; default "linear".
    y_scale: Option<ScaleModel>,
    /// Heading; "" for none; default what is on the axes.
    title: Option<String>,
    /// Words at the horizontal axis, before the unit; "" for none; default what is swept or measured.
    x_label: Option<String>,
    /// Words at the vertical axis, before the unit; "" for none; default what is measured.
    y_label: Option<String>,
    /// Names of values of `x` and `by` in this plot, as in { cerl = "TCP CERL" }; default those of
    /// `[report]`.
    #[serde(default)]
    names: BTreeMap<String, Spanned<String>>,
    /// Flow that the plot is of; default all flows.
    flow: Option<Spanned<String>>,
    /// Link that the plot is of: the measure that is shown (`y`, of a CDF `x`) is then one of links, or over time a
    /// series of this link ("queue"); default none.
    link: Option<Spanned<String>>,
    /// Station that the plot is of: the measure that is shown (`y`, of a CDF `x`) is then one of stations. No series
    /// over time is of a station; default none.
    station: Option<Spanned<String>>,
}

/// How a plot is drawn.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
enum KindModel {
    /// Means with their 95% intervals.
    Line,
    /// The share of samples that are at most `x`.
    Cdf,
    /// Median, quartiles, least and largest sample.
    Box,
}

/// Sample of a distribution: a run, a flow or a transfer.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
enum SampleModel {
    /// Each run, with its flows pooled.
    Run,
    /// Each flow of each run.
    Flow,
    /// Each transfer of each run, with `requests` in `[run]`: the measure is "request_time".
    Request,
}

/// The scale of an axis.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
enum ScaleModel {
    /// Equal distances for equal differences.
    Linear,
    /// Equal distances for equal ratios.
    Log,
}

/// Names that a report may refer to.
pub(crate) struct Names {
    pub(crate) params: Vec<String>,
    pub(crate) flows: Vec<String>,
    pub(crate) links: Vec<String>,
    pub(crate) stations: Vec<String>,
    /// For each swept path its values: as written, and in short.
    pub(crate) values: BTreeMap<String, BTreeMap<String, String>>,
    /// Time series are recorded.
    pub(crate) series: bool,
    /// Delivered bytes are counted in bins of time.
    pub(crate) bins: bool,
    /// Each transfer is kept by itself.
    pub(crate) requests: bool,
    /// The flows that make transfers one after another.
    pub(crate) requesting: BTreeSet<String>,
}

impl ReportModel {
    /// Checks all names.
    pub(crate) fn lower(&self, names: &Names) -> Result<Report, Fault> {
        let values = names.values.values();
        let all = values.flat_map(|of_path| of_path.iter().flat_map(|(w, short)| [w, short]));
        let shared = checked(&self.names, all.chain(&names.flows).map(String::as_str))?;
        let lower = |model: &PlotModel| {
            let mut plot = model.lower(names)?;
            for (value, name) in &shared {
                let own = plot.names.entry(value.clone());
                own.or_insert_with(|| name.clone());
            }
            let given = |value: &str| model.names.get(value).or_else(|| self.names.get(value));
            for axis in [Some(&plot.x), plot.by.as_ref()].into_iter().flatten() {
                check_distinct(&names.values_of(axis), &given)?;
            }
            Ok(plot)
        };
        Ok(Report {
            plots: self.plot.iter().map(lower).collect::<Result<_, _>>()?,
            table: self
                .table
                .iter()
                .map(|name| find(name, &TABLE))
                .collect::<Result<_, _>>()?,
        })
    }
}

impl PlotModel {
    fn lower(&self, names: &Names) -> Result<Plot, Fault> {
        let kind = match self.kind {
            None | Some(KindModel::Line) => PlotKind::Line,
            Some(KindModel::Cdf) => PlotKind::Cdf,
            Some(KindModel::Box) => PlotKind::Box,
        };
        let (x, y) = match kind {
            PlotKind::Cdf => (PlotAxis::Measure, self.measure_of_cdf()?),
            PlotKind::Box => {
                let x = axis(&self.x, names, &["seed"])?;
                let y = self.measure(&x, names)?;
                (x, y)
            }
            PlotKind::Line => {
                let x = axis(&self.x, names, &["seed", "time"])?;
                let y = self.measure(&x, names)?;
                (x, y)
            }
        };
        let by = match &self.by {
            Some(by) => Some(axis(by, names, &["flow", "seed"])?),
            None => None,
        };
        if by.as_ref() == Some(&x) {
            let span = self.by.as_ref().map_or(0..0, |b| b.span.clone());
            return Err(Fault::new(span, "`by` is the same as `x`")
                .label("each line would be a single point"));
        }
        let is_log = |s: Option<ScaleModel>| s == Some(ScaleModel::Log);
        Ok(Plot {
            kind,
            sample: self.sample(kind, y, names)?,
            names: self.names(&x, by.as_ref(), names)?,
            x,
            y,
            by,
            x_log: is_log(self.x_scale),
            y_log: is_log(self.y_scale),
            title: self.title.clone(),
            x_label: self.x_label.clone(),
            y_label: self.y_label.clone(),
            flow: named(self.flow.as_ref(), "flow", &names.flows)?,
            link: named(self.link.as_ref(), "link", &names.links)?,
            station: named(self.station.as_ref(), "station", &names.stations)?,
        })
    }

    /// Measures that this plot may show, unless it is one over time.
    fn measured(&self) -> Result<&'static Measured, Fault> {
        match (&self.link, &self.station) {
            (Some(_), Some(station)) => Err(station
                .fault("a plot is of a link or of a station")
                .label("there is a `link` too")),
            (Some(_), None) => Ok(&OF_LINKS),
            (None, Some(_)) => Ok(&OF_STATIONS),
            (None, None) => Ok(&OF_FLOWS),
        }
    }

    /// Measure that is shown against `x`.
    fn measure(&self, x: &PlotAxis, names: &Names) -> Result<Metric, Fault> {
        let measured = self.measured()?;
        let Some(y) = &self.y else {
            return Err(self
                .x
                .fault("this plot has no `y`")
                .label("nothing to show against it")
                .help("for example, y = \"goodput\""));
        };
        if *x != PlotAxis::Time {
            return find(y, measured);
        }
        if let Some(station) = &self.station {
            return Err(station
                .fault("a plot over time is of flows or a link")
                .label("of stations nothing is recorded over time"));
        }
        if let (Some(metric), None) = (binned(&y.value), &self.link) {
            if !names.bins {
                return Err(y
                    .fault("goodput over time needs bins")
                    .label("delivered bytes are not counted over time")
                    .help("set the width of the bins in [run]: bins = \"1s\""));
            }
            return Ok(metric);
        }
        if !names.series {
            return Err(self
                .x
                .fault("a plot over time needs time series")
                .label("time series are off")
                .help("set `series = true` in [run], or give `skywave run` the option --series"));
        }
        find(y, &OVER_TIME)
    }

    /// Measure that the distribution is of.
    fn measure_of_cdf(&self) -> Result<Metric, Fault> {
        if let Some(y) = &self.y {
            return Err(y.fault("a CDF has no `y`")
                .label("the vertical axis is the share of samples")
                .help("what is measured stands on the horizontal axis: kind = \"cdf\", x = \"goodput\""));
        }
        find(&self.x, self.measured()?)
    }

    /// Sample of a distribution of `measure`; only flows and their transfers can be taken one by one.
    fn sample(&self, kind: PlotKind, measure: Metric, names: &Names) -> Result<Sample, Fault> {
        let Some(sample) = &self.sample else {
            return Ok(Sample::Run);
        };
        let fault = |message| sample.fault(message);
        if kind == PlotKind::Line {
            return Err(fault("a plot of lines has no `sample`")
                .label("this is for kind = \"cdf\" and kind = \"box\""));
        }
        match sample.value {
            SampleModel::Run => Ok(Sample::Run),
            SampleModel::Flow | SampleModel::Request
                if self.link.is_some() || self.station.is_some() =>
            {
                Err(fault("this plot is not of flows")
                    .label("there is a `link` or a `station` in it"))
            }
            SampleModel::Flow => Ok(Sample::Flow),
            SampleModel::Request if measure.name != "request_time" => {
                let measured = self.y.as_ref().unwrap_or(&self.x);
                Err(measured
                    .fault("single transfers have no measure but their time")
                    .label("`request_time` is expected, as sample = \"request\" is set"))
            }
            SampleModel::Request if !self.is_of_requests(names) => {
                Err(fault("there are no transfers in this plot")
                    .label("no flow of it has traffic = { requests = … }, or over UDP only"))
            }
            SampleModel::Request if !names.requests => Err(fault("single transfers are not kept")
                .label("only their number, mean and percentiles are")
                .help("set in [run]: requests = true")),
            SampleModel::Request => Ok(Sample::Request),
        }
    }

    /// Whether a flow of this plot makes transfers.
    fn is_of_requests(&self, names: &Names) -> bool {
        match &self.flow {
            Some(flow) => names.requesting.contains(&flow.value),
            None => !names.requesting.is_empty(),
        }
    }

    /// The names, each of a value that the plot shows.
    fn names(
        &self,
        x: &PlotAxis,
        by: Option<&PlotAxis>,
        names: &Names,
    ) -> Result<BTreeMap<String, String>, Fault> {
        let axes = [Some(x), by].into_iter().flatten();
        let known = axes.flat_map(|axis| names.values_of(axis));
        checked(
            &self.names,
            known.flat_map(|(written, short)| [written, short]),
        )
    }
}

impl Names {
    /// The values of an axis that may be named: as written, and in short.
    fn values_of(&self, axis: &PlotAxis) -> Vec<(&str, &str)> {
        match axis {
            PlotAxis::Param(path) => {
                let values = self.values.get(path).into_iter().flatten();
                values
                    .map(|(w, short)| (w.as_str(), short.as_str()))
                    .collect()
            }
            PlotAxis::Flow => self
                .flows
                .iter()
                .map(|f| (f.as_str(), f.as_str()))
                .collect(),
            PlotAxis::Seed | PlotAxis::Time | PlotAxis::Measure => Vec::new(),
        }
    }
}

/// Refuses a name, from `given`, that another value of the axis has too.
fn check_distinct<'a>(
    values: &[(&'a str, &'a str)],
    given: &dyn Fn(&str) -> Option<&'a Spanned<String>>,
) -> Result<(), Fault> {
    let mut seen: BTreeMap<&str, Option<&Spanned<String>>> = BTreeMap::new();
    for &(written, short) in values {
        let own = given(written).or_else(|| given(short));
        let name = own.map_or(short, |own| own.value.as_str());
        // Values that are alike in short are not told apart by names that nobody gave.
        if let Some(other) = seen.insert(name, own)
            && let Some(given) = own.or(other)
        {
            return Err(given
                .fault(format!("two values of this plot have the name `{name}`"))
                .label("nobody could tell them apart"));
        }
    }
    Ok(())
}

/// Names by what they stand for, each of a `known` value.
fn checked<'a>(
    names: &BTreeMap<String, Spanned<String>>,
    known: impl Iterator<Item = &'a str>,
) -> Result<BTreeMap<String, String>, Fault> {
    let known: BTreeSet<&str> = known.collect();
    let mut all = BTreeMap::new();
    for (value, name) in names {
        if !known.contains(value.as_str()) {
            let known: Vec<&str> = known.into_iter().collect();
            return Err(unknown("value", value, &known)
                .at(&name.span)
                .add_help("a name is for a value of an axis or a series, written as in [sweep]"));
        }
        all.insert(value.clone(), name.value.clone());
    }
    Ok(all)
}

fn axis(name: &Spanned<String>, names: &Names, special: &[&str]) -> Result<PlotAxis, Fault> {
    if names.params.contains(&name.value) {
        return Ok(PlotAxis::Param(name.value.clone()));
    }
    match name.value.as_str() {
        "seed" if special.contains(&"seed") => Ok(PlotAxis::Seed),
        "time" if special.contains(&"time") => Ok(PlotAxis::Time),
        "flow" if special.contains(&"flow") => Ok(PlotAxis::Flow),
        _ => {
            let swept = names.params.iter().map(String::as_str);
            let known: Vec<&str> = swept.chain(special.iter().copied()).collect();
            Err(unknown("axis", &name.value, &known)
                .at(&name.span)
                .add_help("an axis is a path that [sweep] varies"))
        }
    }
}

fn named(
    name: Option<&Spanned<String>>,
    what: &str,
    known: &[String],
) -> Result<Option<String>, Fault> {
    match name {
        None => Ok(None),
        Some(name) if known.contains(&name.value) => Ok(Some(name.value.clone())),
        Some(name) => Err(unknown(what, &name.value, known).at(&name.span)),
    }
}
