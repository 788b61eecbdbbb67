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
}

const fn metric(name: &'static str, field: &'static str) -> Metric {
    Metric { name, field }
}

/// The quantities measured of a flow.
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

/// The quantities measured of a link.
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

/// The quantities measured of a station of a radio network.
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

/// The quantities counted in bins of time with `run.bins`.
pub const BINNED: &[Metric] = &[metric("goodput", "goodput_bps")];

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
