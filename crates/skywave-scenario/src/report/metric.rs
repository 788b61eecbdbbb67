//! The measured quantities, by the names that plots and tables use, and where each can be shown.

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

/// The quantities measured of a flow.
pub const FLOW_METRICS: &[Metric] = &[
    GOODPUT,
    metric(
        "throughput",
        "throughput_bps",
        "Bits on the wire that reached the receiver, headers and duplicates too, in bit/s.",
    ),
    metric(
        "delivered",
        "delivered_bytes",
        "Payload that reached the application in order, each byte once, in bytes.",
    ),
    metric(
        "sent",
        "sent_packets",
        "Packets that the data sender sent: retransmissions, those that open or close a connection and probes of a closed window are included, WTCP's probes are in `probes` instead. With `duplicated` and `local_retransmits` these are `received`, `queue_drops`, `channel_drops`, `no_route_drops` and `under_way`.",
    ),
    metric(
        "retransmits",
        "retransmits",
        "Data packets that were sent again.",
    ),
    metric(
        "timeouts",
        "timeouts",
        "Expiries of the retransmission timer; of QUIC probe timeouts.",
    ),
    metric(
        "fast_retransmits",
        "fast_retransmits",
        "Fast retransmits; of QUIC recovery periods that losses began.",
    ),
    metric(
        "window_cuts",
        "window_cuts",
        "Reductions of the congestion window, by a fast retransmit, a mark or a timeout.",
    ),
    metric(
        "ecn_responses",
        "ecn_responses",
        "Those of `window_cuts` that answered a router's mark (ECN).",
    ),
    metric(
        "queue_drops",
        "queue_drops",
        "Packets of the data sender that queues dropped, full or early, on any link; in a radio network those that found no room in a MAC, an IP layer or the buffer of a routing protocol.",
    ),
    metric(
        "channel_drops",
        "channel_drops",
        "Data packets that channels lost: errors, blackouts, damage, and frames that the MAC gave up.",
    ),
    metric("rtt_mean", "rtt_mean_s", "Mean of the RTT samples, in s."),
    metric("rtt_min", "rtt_min_s", "Smallest RTT sample, in s."),
    metric(
        "cwnd_mean",
        "cwnd_mean",
        "Time average of the congestion window, in segments. UDP and WTCP have none.",
    ),
    metric(
        "delay_p50",
        "delay_p50_s",
        "Median time from a segment's first transmission to its delivery in order, in s.",
    ),
    metric("delay_p95", "delay_p95_s", "95th percentile of the same."),
    metric("delay_p99", "delay_p99_s", "99th percentile of the same."),
    metric(
        "completion",
        "completion_s",
        "Time from the start until the last byte was acknowledged, in s, over the whole run, for an application that closed and of which all arrived. Where not all runs have one, tables say of how many and their median, and there is no mean.",
    ),
    metric(
        "unfinished",
        "unfinished",
        "1 for an application that closed and of which not all has arrived by the end of the run, so that there is no completion time; else 0.",
    ),
    metric(
        "requests_done",
        "requests_done",
        "Transfers that have arrived whole, of an application that makes one after another (`requests`).",
    ),
    metric(
        "request_time",
        "request_time_mean_s",
        "Mean time from when a transfer of `requests` is handed over until its last byte has reached the application, in s. UDP has none.",
    ),
    metric(
        "request_time_p50",
        "request_time_p50_s",
        "Median of the same.",
    ),
    metric(
        "request_time_p95",
        "request_time_p95_s",
        "95th percentile of the same.",
    ),
    metric(
        "request_time_p99",
        "request_time_p99_s",
        "99th percentile of the same.",
    ),
    metric(
        "datagrams_lost",
        "datagrams_lost",
        "Share of a UDP flow's datagrams that were lost, in queues, on channels or without a route. Other transports have none.",
    ),
    metric(
        "early_drops",
        "early_drops",
        "Those of `queue_drops` that a queue dropped although there was room (RED, CoDel, PIE, DualPI2), or a policer.",
    ),
    metric(
        "blackout_drops",
        "blackout_drops",
        "Those of `channel_drops` that were lost in blackouts.",
    ),
    metric(
        "corrupt_drops",
        "corrupt_drops",
        "Those of `channel_drops` that were damaged.",
    ),
    metric(
        "no_route_drops",
        "no_route_drops",
        "Data packets that routing in a radio network had no way for, or that came to a host that their connection had left, or not reached, in a hand-over; in no other count.",
    ),
    metric(
        "spurious_retransmits",
        "spurious_retransmits",
        "Segments that were sent again although no copy had been lost since they were last sent: early timeouts, lost ACKs, going back N over what had arrived, rescue retransmissions.",
    ),
    metric(
        "share_handshake",
        "share_handshake",
        "Share of the time in which the sender waits for the answer to its SYN. This and the next six add up to 1: docs/scenarios.md#why-a-flow-was-slow.",
    ),
    metric(
        "share_cwnd",
        "share_cwnd",
        "Share in which the sender has filled the congestion window, also in slow start after a timeout.",
    ),
    metric(
        "share_rwnd",
        "share_rwnd",
        "Share in which the sender has filled the receiver's window, also when both windows are full.",
    ),
    metric(
        "share_application",
        "share_application",
        "Share in which the sender has sent everything that was written; what is on its way may not have arrived.",
    ),
    metric(
        "share_recovery",
        "share_recovery",
        "Share in which the sender is in fast recovery, whatever else is full.",
    ),
    metric(
        "share_pacing",
        "share_pacing",
        "Share in which the sender has room in both windows, and waits for its next turn to send.",
    ),
    metric(
        "share_timeout",
        "share_timeout",
        "Share in which the sender was silent until the retransmission timer expired: from the last segment sent or heard to the expiry.",
    ),
    metric(
        "received",
        "received_packets",
        "Packets of the data sender that reached the receiver whole, duplicates included.",
    ),
    metric(
        "duplicated",
        "duplicated_packets",
        "Second copies of such packets that links or a radio network made.",
    ),
    metric(
        "under_way",
        "under_way_packets",
        "Such packets that are under way at the end of the measured time, less those that were at its beginning.",
    ),
    metric(
        "timeouts_dupacks_0",
        "timeouts_dupacks_0",
        "Those of `timeouts` at which the sender held no duplicate ACK.",
    ),
    metric(
        "timeouts_dupacks_1",
        "timeouts_dupacks_1",
        "Those with one duplicate ACK.",
    ),
    metric(
        "timeouts_dupacks_2",
        "timeouts_dupacks_2",
        "Those with two duplicate ACKs.",
    ),
    metric(
        "timeouts_dupacks_3",
        "timeouts_dupacks_3",
        "Those with three duplicate ACKs or more.",
    ),
    metric(
        "failed_dupacks_0",
        "failed_dupacks_0",
        "Those of `timeouts_dupacks_0` with one segment outstanding: all but the lost one had been answered.",
    ),
    metric(
        "failed_dupacks_1",
        "failed_dupacks_1",
        "Those of `timeouts_dupacks_1` with two segments outstanding.",
    ),
    metric(
        "failed_dupacks_2",
        "failed_dupacks_2",
        "Those of `timeouts_dupacks_2` with three segments outstanding.",
    ),
    metric(
        "small_cwnd_timeouts",
        "small_cwnd_timeouts",
        "Timeouts at a congestion window of three segments or less, where three duplicate ACKs cannot come.",
    ),
    metric(
        "small_cwnd_fast_retransmits",
        "small_cwnd_fast_retransmits",
        "Fast retransmits at such a window.",
    ),
    metric(
        "share_small_cwnd",
        "share_small_cwnd",
        "Share of the time with such a window.",
    ),
    metric(
        "multi_loss_windows",
        "multi_loss_windows",
        "Windows in which several segments were lost before the first of these was sent again.",
    ),
    metric(
        "multi_loss_timeouts",
        "multi_loss_timeouts",
        "Those of them in which the retransmission timer found a loss.",
    ),
    metric(
        "lost_repairs",
        "lost_repairs",
        "Fast retransmissions that were lost in their turn: sent again before a timeout, and lost.",
    ),
    metric(
        "lost_repair_timeouts",
        "lost_repair_timeouts",
        "Those of them that the retransmission timer found: timeouts caused by a lost retransmission.",
    ),
    metric(
        "ack_gaps",
        "ack_gaps",
        "Times of more than a second between ACKs of new data, also without data to send.",
    ),
    metric(
        "ack_gaps_total",
        "ack_gaps_s",
        "Total length of these times, in s.",
    ),
    metric("probes", "probes", "Probes that a WTCP sender sent."),
    metric(
        "blackouts",
        "blackouts",
        "Blackouts that a WTCP sender noticed.",
    ),
    metric(
        "blackout_time",
        "blackout_s",
        "Time in these blackouts, in s.",
    ),
    metric(
        "rate_halvings",
        "rate_halvings",
        "Losses that a WTCP receiver took for congestion. Each halves the rate.",
    ),
    metric(
        "srtt_mean",
        "srtt_mean_s",
        "Mean of the smoothed RTT after each sample, in s.",
    ),
    metric(
        "rttvar_mean",
        "rttvar_mean_s",
        "Mean of the mean deviation of the RTT after each sample, in s.",
    ),
    metric(
        "retx_arrival_mean",
        "retx_arrival_mean_s",
        "Mean time from a segment's first transmission to its arrival, of those that were lost and sent again, in s; with `details`.",
    ),
    metric(
        "arrival_p10",
        "arrival_p10_s",
        "10th percentile of the time from a segment's first transmission to its arrival, in order or not, of those that arrived at the first transmission, in s; with `details`.",
    ),
    metric(
        "arrival_p50",
        "arrival_p50_s",
        "Median of the same; with `details`.",
    ),
    metric(
        "arrival_p90",
        "arrival_p90_s",
        "90th percentile of the same; with `details`.",
    ),
    metric(
        "local_retransmits",
        "local_retransmits",
        "Segments that an agent sent again; in `received`, not in `sent` or `retransmits`.",
    ),
    metric(
        "suppressed_dupacks",
        "suppressed_dupacks",
        "Duplicate ACKs that an agent kept from the sender.",
    ),
];

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
