//! The measured quantities, by the names that plots and tables use, and where each can be shown.

mod flow;

pub use flow::FLOW_METRICS;

use crate::read::fault::Fault;
use crate::read::names::unknown;
use crate::read::spanned::Spanned;

/// A measured number: its name in scenarios, and its field in the outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// Name in scenario files.
    pub name: &'static str,
    /// Field of `FlowOutcome`, `LinkOutcome` or `StationOutcome`, or quantity of a `Series`.
    pub field: &'static str,
    /// Meaning and unit, in a sentence: the reference and editors show it.
    pub about: &'static str,
}

const fn metric(name: &'static str, field: &'static str, about: &'static str) -> Metric {
    Metric { name, field, about }
}

/// What most plots show: of a flow over the window, and in bins of time.
pub const GOODPUT: Metric = metric(
    "goodput",
    "goodput_bps",
    "Payload that reached the application in order, each byte once, in bit/s.",
);

/// The quantities measured of a link.
pub const LINK_METRICS: &[Metric] = &[
    metric(
        "utilisation",
        "utilisation",
        "Share of the time in which the link transmitted; of a trace the share of its opportunities that were used.",
    ),
    metric(
        "queue_mean",
        "queue_mean_packets",
        "Time average of the queue, in packets, without the one in transmission.",
    ),
    metric("offered", "offered", "Packets that were offered."),
    metric(
        "drop_rate",
        "drop_rate",
        "`queue_drops` per packet offered.",
    ),
    metric(
        "queue_above_half",
        "queue_above_half",
        "Share of the time in which more than half of a limit in packets waited; with `details`, not for links with `arq`.",
    ),
    metric(
        "ecn_marks",
        "ecn_marks",
        "Packets that the queue marked instead of dropping them early (ECN).",
    ),
    metric(
        "queue_drops",
        "queue_drops",
        "Packets that the queue dropped.",
    ),
    metric(
        "channel_drops",
        "channel_drops",
        "Packets that the channel's loss models lost.",
    ),
    metric(
        "blackout_drops",
        "blackout_drops",
        "Packets that were lost in blackouts.",
    ),
    metric("corrupted", "corrupted", "Packets that were damaged."),
    metric(
        "link_retransmits",
        "link_retransmits",
        "Transmissions after a packet's first, with `arq`.",
    ),
    metric(
        "given_up",
        "given_up",
        "Packets that the link gave up, with `arq`; in `channel_drops`, or in `blackout_drops` if the last transmission ended in a blackout.",
    ),
    metric(
        "mean_transmissions",
        "mean_transmissions",
        "Mean number of transmissions of a packet, with `arq`.",
    ),
    metric(
        "fec_repairs",
        "fec_repairs",
        "Corrupted transmissions that the code repaired, with `fec`.",
    ),
];

/// The quantities measured of a station of a radio network.
pub const STATION_METRICS: &[Metric] = &[
    metric(
        "attempts",
        "attempts",
        "Data frames that were put on the air, each attempt counted.",
    ),
    metric("requests", "requests", "RTS that were put on the air."),
    metric(
        "unanswered",
        "unanswered",
        "Those of both that nobody answered.",
    ),
    metric(
        "unanswered_share",
        "unanswered_share",
        "The same as a share of both.",
    ),
    metric(
        "acknowledged",
        "acknowledged",
        "Packets that were acknowledged.",
    ),
    metric("given_up", "given_up", "Packets that were given up."),
    metric(
        "queue_drops",
        "queue_drops",
        "Packets that the MAC's queue dropped, full or early.",
    ),
    metric(
        "queue_time_mean",
        "queue_time_mean_s",
        "Mean time that packets were in the MAC's queue before they came to its head, in s.",
    ),
    metric(
        "contention_mean",
        "contention_mean_s",
        "Mean time that an acknowledged packet was at the head of the queue, in s.",
    ),
];

/// Quantities recorded over time with `run.series = true`.
pub const SERIES: &[Metric] = &[
    metric("cwnd", "cwnd", "Congestion window, in segments."),
    metric("ssthresh", "ssthresh", "Slow start threshold, in segments."),
    metric("rate", "rate", "Rate of WTCP, in bit/s of full packets."),
    metric("rtt", "rtt", "RTT samples, in s."),
    metric("srtt", "srtt", "Smoothed RTT, in s."),
    metric("rto", "rto", "Retransmission timeout, in s."),
    metric("acked", "acked", "Acknowledged bytes."),
    metric("queue", "queue", "Queue of a link, in packets."),
];

/// What is counted in bins of time with `run.bins`.
pub const BINNED: &[Metric] = &[GOODPUT];

/// The quantities that can be asked for at some place of a report.
pub(super) struct Measured {
    /// A word for its numbers.
    what: &'static str,
    /// A word for the things that they are measured of.
    of: &'static str,
    metrics: &'static [Metric],
    /// A word for the things that have its numbers in a plot.
    plot: &'static str,
}

pub(super) const OF_FLOWS: Measured = Measured {
    what: "measured number",
    of: "flows",
    metrics: FLOW_METRICS,
    plot: "a plot without `link`, without `station`, and not over time",
};
pub(super) const TABLE: Measured = Measured {
    plot: "the table",
    ..OF_FLOWS
};
pub(super) const OF_LINKS: Measured = Measured {
    what: "measured number",
    of: "links",
    metrics: LINK_METRICS,
    plot: "a plot with link = \"NAME\"",
};
pub(super) const OF_STATIONS: Measured = Measured {
    what: "measured number",
    of: "stations",
    metrics: STATION_METRICS,
    plot: "a plot with station = \"NAME\"",
};
pub(super) const OVER_TIME: Measured = Measured {
    what: "series",
    of: "flows over time",
    metrics: SERIES,
    plot: "a plot with x = \"time\"",
};

/// The metric of that name that is counted in bins of time.
pub(super) fn binned(name: &str) -> Option<Metric> {
    named(BINNED, name)
}

/// The metric of that name, or with that field in the outcome.
fn named(metrics: &[Metric], name: &str) -> Option<Metric> {
    let mut metrics = metrics.iter();
    metrics.find(|m| m.name == name || m.field == name).copied()
}

impl Measured {
    fn find(&self, name: &str) -> Option<Metric> {
        named(self.metrics, name)
    }
}

/// The metric of that name, or why it has no place here.
pub(super) fn find(name: &Spanned<String>, here: &Measured) -> Result<Metric, Fault> {
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
            .add_help("docs/reference.md has all under \"Measures\""));
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

/// JSON schema of the names of measures, from their own descriptions.
#[cfg(feature = "schema")]
pub(super) mod schema {
    use std::borrow::Cow;

    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
    use serde_json::{Value, json};

    use super::{FLOW_METRICS, LINK_METRICS, Metric, SERIES, STATION_METRICS};

    /// Implements the schema of the names in a list.
    macro_rules! names {
        ($name:ident, $description:literal, $metrics:expr) => {
            pub(crate) struct $name;

            impl JsonSchema for $name {
                fn schema_name() -> Cow<'static, str> {
                    stringify!($name).into()
                }

                fn json_schema(_: &mut SchemaGenerator) -> Schema {
                    names($description, $metrics)
                }
            }
        };
    }

    names!(FlowMeasure, "A measure of flows.", FLOW_METRICS);
    names!(LinkMeasure, "A measure of links.", LINK_METRICS);
    names!(StationMeasure, "A measure of stations.", STATION_METRICS);
    names!(SeriesMeasure, "A quantity over time.", SERIES);

    /// What `y` of a plot may be.
    #[derive(JsonSchema)]
    #[schemars(untagged)]
    #[expect(dead_code, reason = "for the schema alone")]
    pub(crate) enum Measure {
        Flow(FlowMeasure),
        Link(LinkMeasure),
        Station(StationMeasure),
        Series(SeriesMeasure),
    }

    /// A name is that of the measure, or of its column in results.
    fn names(description: &str, metrics: &[Metric]) -> Schema {
        let mut choices: Vec<Value> = Vec::new();
        for metric in metrics {
            choices.push(json!({
                "const": metric.name,
                "description": metric.about,
                "x-column": metric.field,
            }));
        }
        let columns = metrics.iter().filter(|m| m.name != m.field);
        let columns: Vec<&str> = columns.map(|m| m.field).collect();
        if !columns.is_empty() {
            choices.push(json!({ "enum": columns }));
        }
        json_schema!({ "description": description, "anyOf": choices })
    }
}
