//! The scenario file as typed data: what may be written, with the schema for editors.
//!
//! Optional keys stay `None` here; their defaults are applied where the model is lowered.

pub(crate) mod agent;
pub(crate) mod clock;
pub(crate) mod d_proxy;
pub(crate) mod flow;
pub(crate) mod home;
pub(crate) mod member;
pub(crate) mod named;
pub(crate) mod number;
pub(crate) mod optional;
pub(crate) mod proxy;
pub(crate) mod quantity;
pub(crate) mod queue;
pub(crate) mod quic;
pub(crate) mod radio;
pub(crate) mod reverse;
#[cfg(feature = "schema")]
pub(crate) mod schema;
pub(crate) mod station;
pub(crate) mod steps;
pub(crate) mod tcp;
pub(crate) mod units;
pub(crate) mod value;

use serde::Deserialize;
use skywave_core::link::LossAt;

use crate::model::agent::AgentModel;
use crate::model::flow::FlowModel;
use crate::model::member::{ChannelModel, QueueModel};
use crate::model::named::NamedModel;
use crate::model::number::{Count, Probability};
use crate::model::optional::{
    ArqModel, ContentionModel, FecModel, PolicerModel, ReorderingModel, ShaperModel,
};
use crate::model::radio::RadioModel;
use crate::model::station::StationModel;
use crate::model::steps::StepsModel;
use crate::model::units::{Duration, Packets, Period, Rate};
use crate::read::spanned::Spanned;
use crate::report::ReportModel;

/// A Skywave scenario: a network, flows over it, and how to run them.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    /// One line that says what the scenario shows; default the name of the file.
    pub(crate) title: Option<String>,
    /// More about it; default none.
    pub(crate) description: Option<String>,
    /// The links. A node exists because a link or a station names it; default none.
    #[serde(default)]
    pub(crate) link: Vec<Spanned<LinkModel>>,
    /// The reverse direction of each link.
    #[serde(skip)]
    pub(crate) back: Vec<LinkModel>,
    /// A radio network that some nodes are stations of; default none.
    pub(crate) radio: Option<Spanned<RadioModel>>,
    /// The stations of the radio network; default none.
    #[serde(default)]
    pub(crate) station: Vec<Spanned<StationModel>>,
    /// The flows.
    pub(crate) flow: Vec<Spanned<FlowModel>>,
    /// Agents at nodes that flows pass; default none.
    #[serde(default)]
    pub(crate) agent: Vec<Spanned<AgentModel>>,
    /// How long to simulate, and how often.
    pub(crate) run: RunModel,
    /// Paths to vary, each with the list of its values. Every combination is simulated; the last key varies
    /// fastest; default one simulation of the file as it is.
    #[serde(default)]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Option<std::collections::BTreeMap<String, Vec<serde_json::Value>>>")
    )]
    #[expect(
        dead_code,
        reason = "taken off the tree before decoding; here for the schema"
    )]
    pub(crate) sweep: serde::de::IgnoredAny,
    /// Paths that a search for the worst one varies, each with its range: docs/worst.md#a-space-of-your-own; default none.
    #[serde(default)]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Option<std::collections::BTreeMap<String, serde_json::Value>>")
    )]
    #[expect(
        dead_code,
        reason = "taken off the tree before decoding; here for the schema"
    )]
    pub(crate) search: serde::de::IgnoredAny,
    /// Plots and table of the results; default the default table and plot.
    #[expect(dead_code, reason = "decoded on its own; here for the schema")]
    pub(crate) report: Option<ReportModel>,
}

/// One value or several.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "OneOrMany_{T}", transform = crate::model::schema::unwrap_kinds))]
pub(crate) enum OneOrMany<T> {
    #[serde(rename = "$table")]
    One(T),
    #[serde(rename = "$array")]
    Many(Vec<T>),
}

impl<T> OneOrMany<T> {
    pub(crate) fn as_slice(&self) -> &[T] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Many(many) => many,
        }
    }
}

/// A value, or a distribution to draw it from.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", schemars(rename = "Dist_{Q}", transform = crate::model::schema::unwrap_kinds))]
pub(crate) enum Dist<Q> {
    #[serde(rename = "$scalar")]
    Constant(Q),
    /// Uniform between two bounds.
    Uniform(Q, Q),
    /// Exponential with this mean.
    Exponential(Q),
    /// Pareto with this mean and this shape.
    Pareto(ParetoModel<Q>),
    /// Lognormal with this mean and this standard deviation of the logarithm.
    Lognormal(LognormalModel<Q>),
    /// Measured: values, each with the share of all that are at most so large. Neither falls, the last share is 1, and
    /// it is linear between two of them.
    Empirical(Vec<Spanned<(Q, Probability)>>),
}

/// Pareto's parameters.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "Pareto_{Q}"))]
pub(crate) struct ParetoModel<Q> {
    /// Mean of the distribution.
    pub(crate) mean: Q,
    /// Shape of the distribution, above 1.
    pub(crate) shape: f64,
}

/// A lognormal distribution's parameters.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "Lognormal_{Q}"))]
pub(crate) struct LognormalModel<Q> {
    /// Mean of the distribution.
    pub(crate) mean: Q,
    /// Standard deviation of the logarithm, from 0 to 10.
    pub(crate) sigma: f64,
}

/// A link between two nodes: two directions with the same properties, unless `reverse` says otherwise.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct LinkModel {
    /// Name, unique; its random streams are named after it. The reverse direction is called "NAME.reverse";
    /// default "A-B", after the two nodes.
    pub(crate) name: Option<Spanned<String>>,
    /// A named link. It gives every key that this link does not set itself (in `reverse`, each key on its own):
    /// docs/links.md; default none.
    #[expect(
        dead_code,
        reason = "applied to the tree before decoding; here for the schema"
    )]
    pub(crate) preset: Option<LinkPresetModel>,
    /// Make this many copies, named NAME.1 to NAME.n; `#` in a node's name becomes the number of the copy;
    /// default one link under its own name.
    pub(crate) count: Option<Spanned<Count>>,
    /// The two nodes. The forward direction goes from the first to the second.
    pub(crate) between: Spanned<(String, String)>,
    /// Leave out the reverse direction; default false.
    #[serde(default)]
    pub(crate) one_way: bool,
    /// Constant rate. A direction has this or a `trace`; default none.
    pub(crate) rate: Option<Spanned<Rate>>,
    /// Recorded opportunities to send, in mahimahi's format, or seconds and Mbit/s in two columns (Pensieve's), in
    /// place of a rate. The path is relative to this file, which may have 1 GiB; the recording repeats for ever;
    /// default none.
    pub(crate) trace: Option<Spanned<String>>,
    /// The trace to take if the file of `trace` does not exist; default none.
    pub(crate) trace_else: Option<Spanned<String>>,
    /// Rate of the reverse direction; default `rate`, or the trace.
    pub(crate) reverse_rate: Option<Spanned<Rate>>,
    /// Properties of the reverse direction that differ; default none.
    #[cfg_attr(feature = "schema", schemars(with = "Option<reverse::ReverseModel>"))]
    pub(crate) reverse: Option<Spanned<serde::de::IgnoredAny>>,
    /// Keys that a reverse direction has as its link.
    #[serde(skip)]
    pub(crate) inherited: Vec<String>,
    /// Propagation delay. A distribution is drawn once a seed; default that of the `preset`, and needed without one.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Spanned<Dist<Duration>>>"))]
    pub(crate) delay: Spanned<Dist<Duration>>,
    /// Random addition to the delay of each packet. Packets keep their order; default "none".
    pub(crate) jitter: Option<Spanned<JitterModel>>,
    /// Rate and delay change in steps: docs/links.md#steps; default "none".
    pub(crate) steps: Option<Spanned<StepsModel>>,
    /// Packets above a rate and a burst are dropped before they come to the queue; default "none".
    pub(crate) policer: Option<Spanned<PolicerModel>>,
    /// Packets above a rate and a burst wait before their transmission, and so do those behind them in the queue.
    /// Only with a constant rate; default "none".
    pub(crate) shaper: Option<Spanned<ShaperModel>>,
    /// The queue before the transmitter; default { droptail = "50 packets" }.
    pub(crate) queue: Option<Spanned<QueueModel>>,
    /// Packets that the device takes from the queue ahead of their transmission, as the transmit ring of a
    /// network card does; `codel`, `fq-codel`, `pie` and `dualpi2` do not see them any more; default none.
    pub(crate) ring: Option<Spanned<Packets>>,
    /// Losses of the channel, by direction; default none.
    pub(crate) loss: Option<Spanned<LossModel>>,
    /// Where a channel loss happens, and so whether a lost packet has used the link. "head" contradicts `arq`;
    /// default "head", with `arq` "tail".
    pub(crate) loss_at: Option<NamedModel<LossAt>>,
    /// Times without any transmission; default none.
    pub(crate) blackouts: Option<Spanned<OneOrMany<Spanned<BlackoutModel>>>>,
    /// Probability that a packet arrives damaged. The link does not notice this, so that `arq` does not repair
    /// it; default 0.
    pub(crate) corruption: Option<Probability>,
    /// Probability that a packet arrives twice; default 0.
    pub(crate) duplication: Option<Probability>,
    /// Packets that are delayed, so that later ones overtake them; default none.
    pub(crate) reordering: Option<Spanned<ReorderingModel>>,
    /// The link retransmits what it loses: docs/scenarios.md#repair-by-the-link; default "none".
    pub(crate) arq: Option<Spanned<ArqModel>>,
    /// The link sends packets with redundancy (forward error correction): docs/scenarios.md#repair-by-the-link;
    /// default "none".
    pub(crate) fec: Option<Spanned<FecModel>>,
    /// Other stations contend for the channel: docs/scenarios.md#contention. Not together with `arq`, nor with
    /// a trace; default "none".
    pub(crate) contention: Option<Spanned<ContentionModel>>,
}

/// Named links.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LinkPresetModel {
    /// A cell of CDPD, from the base station to a mobile host, by section 2 of the WTCP paper.
    Cdpd,
    /// An ADSL line with deep buffers, from the provider to the home.
    Dsl,
    /// A satellite of a constellation in low orbits, such as Starlink, with a hand-over every 15 s, from the
    /// ground to the terminal.
    Leo,
    /// A user of an LTE cell, with HARQ and shares of a proportional-fair scheduler, from the base station to
    /// the phone.
    Lte,
    /// Wi-Fi beside an interferer that is on and off, from the access point to the host.
    Wifi,
}

/// Random addition to a delay.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum JitterModel {
    /// No addition.
    None,
    /// Uniform between two bounds.
    Uniform(Duration, Duration),
    /// Exponential with this mean.
    Exponential(Duration),
}

/// Channel losses of the two directions.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct LossModel {
    /// From the first node to the second: a model, or a list of models that all act; default none.
    pub(crate) forward: Option<OneOrMany<Spanned<ChannelModel>>>,
    /// From the second node to the first; default none.
    pub(crate) reverse: Option<Spanned<OneOrMany<Spanned<ChannelModel>>>>,
}

/// A time without transmission, once or again and again.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct BlackoutModel {
    /// When it begins, with `every` the first one. Needed without `every`; default one period after the start
    /// of the run.
    pub(crate) start: Option<Duration>,
    /// How long it lasts.
    pub(crate) duration: Period,
    /// Repeat with this period until the run ends; default once.
    pub(crate) every: Option<Period>,
}

/// How long to run, and how often.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct RunModel {
    /// When the simulation ends.
    pub(crate) duration: Spanned<Period>,
    /// The replications: n for the seeds 1 to n, or a list of seeds; default 1.
    pub(crate) seeds: Option<Spanned<SeedsModel>>,
    /// Start and end of the window that is measured; default the whole run.
    pub(crate) measure: Option<Spanned<(Duration, Duration)>>,
    /// Record the window, ssthresh, RTT, srtt, RTO, acknowledged bytes, segments and queue over time, as the
    /// option --series does; default false.
    #[serde(default)]
    pub(crate) series: bool,
    /// Also measure what costs time on every packet: the measures that say "with `details`"; default false.
    #[serde(default)]
    pub(crate) details: bool,
    /// Count the delivered bytes of each flow in bins of this length, over the whole run, into `bins.parquet`;
    /// default none.
    pub(crate) bins: Option<Spanned<Period>>,
    /// Keep each transfer of `requests` traffic by itself, into `requests.parquet` and for plots with sample = "request";
    /// default false.
    #[serde(default)]
    pub(crate) requests: bool,
}

/// The replications.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(transform = crate::model::schema::unwrap_kinds))]
pub(crate) enum SeedsModel {
    #[serde(rename = "$scalar")]
    Number(Count),
    #[serde(rename = "$array")]
    List(Vec<Spanned<u64>>),
}
