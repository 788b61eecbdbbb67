//! The measured quantities, by the names that plots and tables use, and where each can be shown.

use skywave_sim::outcome::{Column, FLOW, LINK, STATION};

use crate::read::fault::Fault;
use crate::read::names::unknown;
use crate::read::spanned::Spanned;

/// A measured number of a flow, link or station: its name in scenario files, and its field in the results of a run.
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

/// Number of columns that have a meaning of their own, and so a name here; they come first.
const fn described<T>(columns: &[Column<T>]) -> usize {
    let mut number = 0;
    while number < columns.len() && !columns[number].about.is_empty() {
        number += 1;
    }
    number
}

/// The first columns of a table.
const fn first<T, const NUMBER: usize>(columns: &[Column<T>]) -> [Metric; NUMBER] {
    let mut metrics = [metric("", "", ""); NUMBER];
    let mut at = 0;
    while at < NUMBER {
        let column = &columns[at];
        metrics[at] = metric(column.short, column.name, column.about);
        at += 1;
    }
    metrics
}

/// Measures of a flow that plots and tables may show.
pub const FLOW_METRICS: &[Metric] = &first::<_, { described(FLOW) }>(FLOW);

/// Measures of a link that plots may show.
pub const LINK_METRICS: &[Metric] = &first::<_, { described(LINK) }>(LINK);

/// Measures of a station of a radio network that plots may show.
pub const STATION_METRICS: &[Metric] = &first::<_, { described(STATION) }>(STATION);

/// Goodput, the measure that most plots show: of a flow over the measured window, and in bins of time.
pub const GOODPUT: Metric = FLOW_METRICS[0];

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

/// Measures that are counted in bins of time with `run.bins`.
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
    Err(name
        .fault(format!(
            "`{}` is measured of {}",
            name.value,
            join(|m| m.of, " and of ")
        ))
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

    /// Measure that `y` of a plot may name.
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
