//! `[report]`: which plots and columns a scenario asks for.

mod metric;
mod model;

use std::collections::BTreeMap;

pub use metric::{BINNED, FLOW_METRICS, GOODPUT, LINK_METRICS, Metric, SERIES, STATION_METRICS};
pub(crate) use model::{Names, ReportModel};

/// Plots and table of a scenario's results that its `[report]` asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Plots, in the order of the file.
    pub plots: Vec<Plot>,
    /// Columns of the table of flows; empty for the default columns.
    pub table: Vec<Metric>,
}

/// A plot of a scenario's results, as its `[report]` asks for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// Kind of the plot: how it is drawn.
    pub kind: PlotKind,
    /// Unit that gives one sample to a plot of a distribution (CDF, boxes); plots of lines pool the flows of a run
    /// instead.
    pub sample: Sample,
    /// Quantity along the horizontal axis.
    pub x: PlotAxis,
    /// Measure shown: on the vertical axis, or on the horizontal one of a [`PlotKind::Cdf`].
    pub y: Metric,
    /// Quantity, such as a swept key, each value of which has a series of its own in the plot; `None` for a single
    /// series.
    pub by: Option<PlotAxis>,
    /// Whether the horizontal axis is logarithmic.
    pub x_log: bool,
    /// Whether the vertical axis is logarithmic.
    pub y_log: bool,
    /// Heading of the plot; `None` for a default one, an empty text for none at all.
    pub title: Option<String>,
    /// Label of the horizontal axis; `None` for a default one, an empty text for none at all.
    pub x_label: Option<String>,
    /// Label of the vertical axis; `None` for a default one, an empty text for none at all.
    pub y_label: Option<String>,
    /// Names to show for values of axes and series, by the value as written in the file or as
    /// [`ParamValue::short`](crate::ParamValue::short) gives it.
    pub names: BTreeMap<String, String>,
    /// Name of the only flow to show, with all copies of it; `None` for all flows.
    pub flow: Option<String>,
    /// Name of the only link to show, or of a `[[link]]` for both directions and all copies of it together; `y` is then
    /// one of [`LINK_METRICS`], or over time one of [`SERIES`]. `None` if the plot is not of a link.
    pub link: Option<String>,
    /// Name of the only station to show, with all copies of it; `y` is then one of [`STATION_METRICS`]. `None` if the
    /// plot is not of a station.
    pub station: Option<String>,
}

impl Plot {
    /// Plot of lines, `y` against `x`, with all other properties at their defaults.
    pub fn new(x: PlotAxis, y: Metric) -> Self {
        Self {
            kind: PlotKind::Line,
            sample: Sample::Run,
            x,
            y,
            by: None,
            x_log: false,
            y_log: false,
            title: None,
            x_label: None,
            y_label: None,
            names: BTreeMap::new(),
            flow: None,
            link: None,
            station: None,
        }
    }

    /// Whether the plot shows goodput in bins of time ([`BINNED`]) rather than a recorded series.
    pub fn is_binned(&self) -> bool {
        self.x == PlotAxis::Time && BINNED.contains(&self.y)
    }
}

/// Kind of a plot: how it is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlotKind {
    /// Means with intervals, joined by lines where the axis has numbers.
    #[default]
    Line,
    /// The empirical cumulative distribution: which share of the samples is at most `x`.
    Cdf,
    /// Boxes from the first to the third quartile with a line at the median, whiskers to the least
    /// and the largest sample.
    Box,
}

/// Unit that gives one sample to a plot of a distribution: a run, a flow or a transfer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sample {
    /// A run; its flows are pooled.
    #[default]
    Run,
    /// Each flow of each run.
    Flow,
    /// Each request of each flow of each run: a transfer of a workload, of which a flow may have many or none.
    Request,
}

/// The quantity along a plot's axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlotAxis {
    /// A swept key, as written in `[sweep]`, such as `link.air.rate`.
    Param(String),
    /// Replications of a point, by their seeds.
    Seed,
    /// Time within a run; `y` is then one of [`SERIES`] or [`BINNED`].
    Time,
    /// The measured quantity itself ([`Plot::y`]), for a [`PlotKind::Cdf`].
    Measure,
    /// The flows of a run.
    Flow,
}
