//! `[report]`: which plots and columns a scenario asks for.

use serde::Deserialize;

use crate::read::fault::Fault;
use crate::read::names::unknown;
use crate::read::spanned::Spanned;

/// What to show of the results.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Plots, in order.
    pub plots: Vec<Plot>,
    /// Columns of the table of flows; empty for the default ones.
    pub table: Vec<Metric>,
}

/// One plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// Horizontal axis.
    pub x: PlotAxis,
    /// Vertical axis.
    pub y: Metric,
    /// One series a value of this axis; `None` for a single series.
    pub by: Option<PlotAxis>,
    /// Logarithmic horizontal axis.
    pub x_log: bool,
    /// Logarithmic vertical axis.
    pub y_log: bool,
    /// Heading, when given.
    pub title: Option<String>,
    /// Only this flow (or all copies of it).
    pub flow: Option<String>,
    /// Only this link; `y` is then one of [`LINK_METRICS`].
    pub link: Option<String>,
    /// Only this station (or all copies of it); `y` is then one of [`STATION_METRICS`].
    pub station: Option<String>,
}

/// What a plot's axis runs over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlotAxis {
    /// A swept path, as written in `[sweep]`.
    Param(String),
    /// The replications.
    Seed,
    /// Time within a run; `y` is then one of [`SERIES`].
    Time,
    /// The flows of a run.
    Flow,
}

/// A measured number: its name in scenarios, and its field in the outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// Name in scenario files.
    pub name: &'static str,
    /// Field of `FlowOutcome`, `LinkOutcome` or `StationOutcome`, or quantity of a `Series`.
    pub field: &'static str,
}

const fn metric(name: &'static str, field: &'static str) -> Metric {
    Metric { name, field }
}

/// What is measured of a flow.
pub const FLOW_METRICS: &[Metric] = &[
    metric("goodput", "goodput_bps"),
    metric("throughput", "throughput_bps"),
    metric("delivered", "delivered_bytes"),
    metric("sent", "sent_packets"),
    metric("retransmits", "retransmits"),
    metric("timeouts", "timeouts"),
    metric("fast_retransmits", "fast_retransmits"),
    metric("window_cuts", "window_cuts"),
    metric("ecn_responses", "ecn_responses"),
    metric("queue_drops", "queue_drops"),
    metric("channel_drops", "channel_drops"),
    metric("rtt_mean", "rtt_mean_s"),
    metric("rtt_min", "rtt_min_s"),
    metric("cwnd_mean", "cwnd_mean"),
    metric("delay_p50", "delay_p50_s"),
    metric("delay_p95", "delay_p95_s"),
    metric("delay_p99", "delay_p99_s"),
    metric("completion", "completion_s"),
    metric("early_drops", "early_drops"),
    metric("blackout_drops", "blackout_drops"),
    metric("corrupt_drops", "corrupt_drops"),
    metric("no_route_drops", "no_route_drops"),
    metric("spurious_retransmits", "spurious_retransmits"),
    metric("share_handshake", "share_handshake"),
    metric("share_cwnd", "share_cwnd"),
    metric("share_rwnd", "share_rwnd"),
    metric("share_application", "share_application"),
    metric("share_recovery", "share_recovery"),
    metric("share_pacing", "share_pacing"),
    metric("share_timeout", "share_timeout"),
    metric("received", "received_packets"),
    metric("timeouts_dupacks_0", "timeouts_dupacks_0"),
    metric("timeouts_dupacks_1", "timeouts_dupacks_1"),
    metric("timeouts_dupacks_2", "timeouts_dupacks_2"),
    metric("timeouts_dupacks_3", "timeouts_dupacks_3"),
    metric("failed_dupacks_0", "failed_dupacks_0"),
    metric("failed_dupacks_1", "failed_dupacks_1"),
    metric("failed_dupacks_2", "failed_dupacks_2"),
    metric("small_cwnd_timeouts", "small_cwnd_timeouts"),
    metric("small_cwnd_fast_retransmits", "small_cwnd_fast_retransmits"),
    metric("share_small_cwnd", "share_small_cwnd"),
    metric("multi_loss_windows", "multi_loss_windows"),
    metric("multi_loss_timeouts", "multi_loss_timeouts"),
    metric("ack_gaps", "ack_gaps"),
    metric("ack_gaps_total", "ack_gaps_s"),
    metric("probes", "probes"),
    metric("blackouts", "blackouts"),
    metric("blackout_time", "blackout_s"),
    metric("rate_halvings", "rate_halvings"),
    metric("srtt_mean", "srtt_mean_s"),
    metric("rttvar_mean", "rttvar_mean_s"),
    metric("retx_arrival_mean", "retx_arrival_mean_s"),
    metric("arrival_p10", "arrival_p10_s"),
    metric("arrival_p50", "arrival_p50_s"),
    metric("arrival_p90", "arrival_p90_s"),
    metric("local_retransmits", "local_retransmits"),
    metric("suppressed_dupacks", "suppressed_dupacks"),
];

/// What is measured of a link.
pub const LINK_METRICS: &[Metric] = &[
    metric("utilisation", "utilisation"),
    metric("queue_mean", "queue_mean_packets"),
    metric("offered", "offered"),
    metric("drop_rate", "drop_rate"),
    metric("queue_above_half", "queue_above_half"),
    metric("ecn_marks", "ecn_marks"),
    metric("queue_drops", "queue_drops"),
    metric("channel_drops", "channel_drops"),
    metric("blackout_drops", "blackout_drops"),
    metric("corrupted", "corrupted"),
    metric("link_retransmits", "link_retransmits"),
    metric("given_up", "given_up"),
    metric("mean_transmissions", "mean_transmissions"),
    metric("fec_repairs", "fec_repairs"),
];

/// What is measured of a station of a radio network.
pub const STATION_METRICS: &[Metric] = &[
    metric("attempts", "attempts"),
    metric("requests", "requests"),
    metric("unanswered", "unanswered"),
    metric("unanswered_share", "unanswered_share"),
    metric("acknowledged", "acknowledged"),
    metric("given_up", "given_up"),
    metric("queue_drops", "queue_drops"),
    metric("contention_mean", "contention_mean_s"),
];

/// Quantities recorded over time with `run.series = true`.
pub const SERIES: &[Metric] = &[
    metric("cwnd", "cwnd"),
    metric("ssthresh", "ssthresh"),
    metric("rate", "rate"),
    metric("rtt", "rtt"),
    metric("srtt", "srtt"),
    metric("rto", "rto"),
    metric("acked", "acked"),
    metric("queue", "queue"),
];

/// What to show of the results.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct ReportModel {
    /// Plots.
    #[serde(default)]
    plot: Vec<PlotModel>,
    /// Columns of the table.
    #[serde(default)]
    table: Vec<Spanned<String>>,
}

/// A plot: `y` against `x`, one line for each value of `by`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct PlotModel {
    /// A swept path, "seed", or "time" (needs `run.series = true`).
    x: Spanned<String>,
    /// A measured number: "goodput", "retransmits", …
    y: Spanned<String>,
    /// One line for each value of a swept path, or for each "flow".
    by: Option<Spanned<String>>,
    /// Default "linear".
    x_scale: Option<ScaleModel>,
    /// Default "linear".
    y_scale: Option<ScaleModel>,
    /// Heading.
    title: Option<String>,
    /// Only this flow.
    flow: Option<Spanned<String>>,
    /// Only this link; `y` is then measured of the link.
    link: Option<Spanned<String>>,
    /// Only this station; `y` is then measured of the station.
    station: Option<Spanned<String>>,
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

/// What a report may refer to.
pub(crate) struct Names {
    pub(crate) params: Vec<String>,
    pub(crate) flows: Vec<String>,
    pub(crate) links: Vec<String>,
    pub(crate) stations: Vec<String>,
    pub(crate) series: bool,
}

impl ReportModel {
    /// Checks all names.
    pub(crate) fn lower(&self, names: &Names) -> Result<Report, Fault> {
        Ok(Report {
            plots: self
                .plot
                .iter()
                .map(|p| p.lower(names))
                .collect::<Result<_, _>>()?,
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
        let x = axis(&self.x, names, &["seed", "time"])?;
        let measured = match (&x, &self.link, &self.station) {
            (_, Some(_), Some(station)) => {
                return Err(Fault::new(
                    station.span.clone(),
                    "a plot is of a link or of a station",
                )
                .label("there is a `link` too"));
            }
            (PlotAxis::Time, ..) => &OVER_TIME,
            (_, Some(_), _) => &OF_LINKS,
            (_, _, Some(_)) => &OF_STATIONS,
            _ => &OF_FLOWS,
        };
        if x == PlotAxis::Time && !names.series {
            return Err(
                Fault::new(self.x.span.clone(), "a plot over time needs time series")
                    .label("time series are off")
                    .help("set `series = true` in [run]"),
            );
        }
        let y = find(&self.y, measured)?;
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
            x,
            y,
            by,
            x_log: is_log(self.x_scale),
            y_log: is_log(self.y_scale),
            title: self.title.clone(),
            flow: named(self.flow.as_ref(), "flow", &names.flows)?,
            link: named(self.link.as_ref(), "link", &names.links)?,
            station: named(self.station.as_ref(), "station", &names.stations)?,
        })
    }
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

/// What can be asked for at some place of a report.
struct Measured {
    /// What its numbers are called.
    what: &'static str,
    /// What they are measured of.
    of: &'static str,
    metrics: &'static [Metric],
    /// What has its numbers in a plot.
    plot: &'static str,
}

const OF_FLOWS: Measured = Measured {
    what: "measured number",
    of: "flows",
    metrics: FLOW_METRICS,
    plot: "a plot without `link`, without `station`, and not over time",
};
const TABLE: Measured = Measured {
    plot: "the table",
    ..OF_FLOWS
};
const OF_LINKS: Measured = Measured {
    what: "measured number",
    of: "links",
    metrics: LINK_METRICS,
    plot: "a plot with link = \"NAME\"",
};
const OF_STATIONS: Measured = Measured {
    what: "measured number",
    of: "stations",
    metrics: STATION_METRICS,
    plot: "a plot with station = \"NAME\"",
};
const OVER_TIME: Measured = Measured {
    what: "series",
    of: "flows over time",
    metrics: SERIES,
    plot: "a plot with x = \"time\"",
};

impl Measured {
    fn find(&self, name: &str) -> Option<Metric> {
        let mut metrics = self.metrics.iter();
        metrics.find(|m| m.name == name || m.field == name).copied()
    }
}

fn find(name: &Spanned<String>, here: &Measured) -> Result<Metric, Fault> {
    if let Some(metric) = here.find(&name.value) {
        return Ok(metric);
    }
    let others = [OF_FLOWS, OF_LINKS, OF_STATIONS, OVER_TIME];
    let homes = others.iter().filter(|m| m.find(&name.value).is_some());
    let homes: Vec<&Measured> = homes.collect();
    if homes.is_empty() {
        let known: Vec<&str> = here.metrics.iter().map(|m| m.name).collect();
        return Err(unknown(here.what, &name.value, &known)
            .at(&name.span)
            .add_help("docs/scenarios.md has all under \"What is measured\""));
    }
    let join = |part: fn(&Measured) -> &'static str, by: &str| {
        let parts: Vec<&str> = homes.iter().map(|home| part(home)).collect();
        parts.join(by)
    };
    Err(Fault::new(
        name.span.clone(),
        format!(
            "`{}` is measured of {}",
            name.value,
            join(|m| m.of, " and of ")
        ),
    )
    .label(format!("here are numbers of {}", here.of))
    .help(format!("{} can show it", join(|m| m.plot, " or "))))
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
