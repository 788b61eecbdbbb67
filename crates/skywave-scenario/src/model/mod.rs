//! The scenario file as typed data: what may be written, with the schema for editors.
//!
//! Optional keys stay `None` here; their defaults are applied where the model is lowered.

pub(crate) mod agent;
pub(crate) mod aodv;
pub(crate) mod contention;
pub(crate) mod flow;
pub(crate) mod member;
pub(crate) mod number;
pub(crate) mod quantity;
pub(crate) mod radio;
pub(crate) mod recovery;
#[cfg(feature = "schema")]
pub(crate) mod schema;
pub(crate) mod station;
pub(crate) mod tcp;
pub(crate) mod units;
pub(crate) mod wtcp;

use serde::Deserialize;

use crate::model::agent::AgentModel;
use crate::model::contention::ContentionModel;
use crate::model::flow::FlowModel;
use crate::model::number::{Count, Positive, Probability};
use crate::model::radio::RadioModel;
use crate::model::recovery::{ArqModel, FecModel};
use crate::model::station::StationModel;
use crate::model::units::{Bytes, Duration, Level, Limit, Period, Rate, Size};
use crate::read::spanned::Spanned;
use crate::report::ReportModel;

/// A Skywave scenario: a network, flows over it, and how to run them.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    /// What the scenario shows, in one line.
    pub(crate) title: Option<String>,
    /// More about it.
    pub(crate) description: Option<String>,
    /// The links; nodes exist by being named here, or by `[[station]]`.
    #[serde(default)]
    pub(crate) link: Vec<Spanned<LinkModel>>,
    /// A radio network that some nodes are stations of.
    pub(crate) radio: Option<Spanned<RadioModel>>,
    /// The stations of the radio network.
    #[serde(default)]
    pub(crate) station: Vec<Spanned<StationModel>>,
    /// The flows.
    pub(crate) flow: Vec<Spanned<FlowModel>>,
    /// Agents at nodes that flows pass.
    #[serde(default)]
    pub(crate) agent: Vec<Spanned<AgentModel>>,
    /// How long to run, and how often.
    pub(crate) run: RunModel,
    /// Fields to vary: path → values. All combinations are run, the last key varying fastest.
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
    /// What to show of the results.
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
#[derive(Clone, Copy, Debug, Deserialize)]
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
    /// Pareto with this mean and shape.
    Pareto(ParetoModel<Q>),
}

/// Pareto's parameters.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "Pareto_{Q}"))]
pub(crate) struct ParetoModel<Q> {
    /// Mean.
    pub(crate) mean: Q,
    /// Shape, above 1.
    pub(crate) shape: f64,
}

/// A link between two nodes: two directions with the same properties, unless said otherwise.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct LinkModel {
    /// Name, unique; default "A-B". The other direction is called "NAME.reverse".
    pub(crate) name: Option<Spanned<String>>,
    /// A named link, whose keys this one has where it does not say otherwise.
    #[expect(
        dead_code,
        reason = "applied to the tree before decoding; here for the schema"
    )]
    pub(crate) preset: Option<LinkPresetModel>,
    /// Make this many copies, named NAME.1 to NAME.n; `#` in a node's name is the copy's number.
    pub(crate) count: Option<Spanned<Count>>,
    /// The two nodes; the forward direction is from the first to the second.
    pub(crate) between: Spanned<(String, String)>,
    /// Leave out the reverse direction.
    #[serde(default)]
    pub(crate) one_way: bool,
    /// Constant rate.
    pub(crate) rate: Option<Spanned<Rate>>,
    /// Recorded opportunities instead of a rate: a mahimahi trace, relative to this file.
    pub(crate) trace: Option<Spanned<String>>,
    /// The trace to take when `trace` is not there.
    pub(crate) trace_else: Option<Spanned<String>>,
    /// Rate of the reverse direction.
    pub(crate) reverse_rate: Option<Spanned<Rate>>,
    /// Properties of the reverse direction that differ.
    pub(crate) reverse: Option<Spanned<ReverseModel>>,
    /// Propagation delay; needed unless a preset has one; a distribution is drawn once a seed.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Spanned<Dist<Duration>>>"))]
    pub(crate) delay: Spanned<Dist<Duration>>,
    /// Random addition to the delay of each packet, or "none"; keeps order.
    pub(crate) jitter: Option<Spanned<JitterModel>>,
    /// The queue before the transmitter; default 50 packets, tail drop.
    pub(crate) queue: Option<Spanned<QueueModel>>,
    /// Channel losses, by direction.
    pub(crate) loss: Option<Spanned<LossModel>>,
    /// Whether a lost packet has used the link ("tail") or not ("head", the default).
    pub(crate) loss_at: Option<LossAtModel>,
    /// Times without any transmission.
    pub(crate) blackouts: Option<Spanned<OneOrMany<Spanned<BlackoutModel>>>>,
    /// Probability that a packet arrives damaged.
    pub(crate) corruption: Option<Probability>,
    /// Probability that a packet arrives twice.
    pub(crate) duplication: Option<Probability>,
    /// Packets that later ones overtake.
    pub(crate) reordering: Option<ReorderingModel>,
    /// Retransmission by the link: "none", "tcp-dcr" or its settings; losses happen at the tail.
    pub(crate) arq: Option<Spanned<ArqModel>>,
    /// Forward error correction: "none" or its settings.
    pub(crate) fec: Option<FecModel>,
    /// Other stations contend for the channel: "none", "cdpd" or its settings.
    pub(crate) contention: Option<Spanned<ContentionModel>>,
}

/// Named links.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LinkPresetModel {
    /// A cell of CDPD, from the base station to a mobile host.
    Cdpd,
}

/// What differs in the reverse direction of a link.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct ReverseModel {
    /// Constant rate.
    pub(crate) rate: Option<Spanned<Rate>>,
    /// Recorded opportunities instead of a rate.
    pub(crate) trace: Option<Spanned<String>>,
    /// The trace to take when `trace` is not there.
    pub(crate) trace_else: Option<Spanned<String>>,
    /// Propagation delay.
    pub(crate) delay: Option<Spanned<Dist<Duration>>>,
    /// Random addition to the delay.
    pub(crate) jitter: Option<Spanned<JitterModel>>,
    /// The queue.
    pub(crate) queue: Option<Spanned<QueueModel>>,
    /// Where a channel loss happens.
    pub(crate) loss_at: Option<LossAtModel>,
    /// Times without any transmission.
    pub(crate) blackouts: Option<Spanned<OneOrMany<Spanned<BlackoutModel>>>>,
    /// Probability that a packet arrives damaged.
    pub(crate) corruption: Option<Probability>,
    /// Probability that a packet arrives twice.
    pub(crate) duplication: Option<Probability>,
    /// Packets that later ones overtake.
    pub(crate) reordering: Option<ReorderingModel>,
    /// Retransmission by the link: "none", "tcp-dcr" or its settings; losses happen at the tail.
    pub(crate) arq: Option<Spanned<ArqModel>>,
    /// Forward error correction: "none" or its settings.
    pub(crate) fec: Option<FecModel>,
    /// Other stations contend for the channel: "none", "cdpd" or its settings.
    pub(crate) contention: Option<Spanned<ContentionModel>>,
}

/// Random addition to a delay.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum JitterModel {
    /// None at all.
    None,
    /// Uniform between two bounds.
    Uniform(Duration, Duration),
    /// Exponential with this mean.
    Exponential(Duration),
}

/// A queue discipline.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum QueueModel {
    /// Tail drop at this limit.
    Droptail(Limit),
    /// Random early detection.
    Red(RedModel),
}

/// Random early detection.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct RedModel {
    /// Capacity; thresholds have its unit.
    pub(crate) limit: Limit,
    /// Average from which packets are dropped; default a quarter of the limit.
    pub(crate) min: Option<Level>,
    /// Average from which all, or a rising share, is dropped; default three quarters.
    pub(crate) max: Option<Level>,
    /// Drop probability at `max`; default 0.1.
    pub(crate) max_p: Option<Probability>,
    /// Weight of a sample in the average; default 0.002.
    pub(crate) weight: Option<Probability>,
    /// Raise the probability to 1 between `max` and twice that; default false.
    pub(crate) gentle: Option<bool>,
    /// Space drops evenly (ns-2's `wait_`); default true.
    pub(crate) wait: Option<bool>,
    /// Typical packet in bytes; default 500, as in ns-2.
    pub(crate) mean_packet: Option<Bytes>,
    /// Mark packets of ECN-capable flows instead of dropping them early; default false.
    pub(crate) ecn: Option<bool>,
    /// Mark as long as the drop probability that the average asks for is below this, and drop from there
    /// on; default 0.1, as in ns-2.
    pub(crate) mark_p: Option<Positive>,
}

/// Channel losses of the two directions.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct LossModel {
    /// From the first node to the second.
    pub(crate) forward: Option<OneOrMany<ChannelModel>>,
    /// Back.
    pub(crate) reverse: Option<Spanned<OneOrMany<ChannelModel>>>,
}

/// A channel loss model.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ChannelModel {
    /// Each packet with this probability.
    Iid(Probability),
    /// Exponential gaps counted in packets; the loss rate.
    Exponential(Probability),
    /// Exponential gaps counted in bytes; the mean gap.
    ExponentialBytes(Size),
    /// Two states, stepped once a packet.
    GilbertElliott(GilbertElliottModel),
    /// Two states with exponential stays.
    GilbertElliottTime(GilbertElliottTimeModel),
    /// Every so many packets.
    Periodic(PeriodicModel),
    /// Exactly these packets, from 1.
    Packets(Vec<Count>),
}

/// The per-packet two-state channel.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct GilbertElliottModel {
    /// P(good → bad) at each packet.
    pub(crate) to_bad: Probability,
    /// P(bad → good) at each packet.
    pub(crate) to_good: Probability,
    /// Loss probability in the good state; default 0.
    pub(crate) loss_good: Option<Probability>,
    /// Loss probability in the bad state; default 1.
    pub(crate) loss_bad: Option<Probability>,
}

/// The two-state channel in time.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct GilbertElliottTimeModel {
    /// Mean stay in the good state.
    pub(crate) good: Period,
    /// Mean stay in the bad state.
    pub(crate) bad: Period,
    /// Loss probability in the good state; default 0.
    pub(crate) loss_good: Option<Probability>,
    /// Loss probability in the bad state; default 1.
    pub(crate) loss_bad: Option<Probability>,
}

/// Losses at a fixed distance.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct PeriodicModel {
    /// Distance in packets.
    pub(crate) every: Count,
    /// Number of the first lost packet, from 1; default `every`.
    pub(crate) first: Option<Count>,
}

/// Where a channel loss happens.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LossAtModel {
    /// Before the queue: a lost packet uses no capacity.
    Head,
    /// After the transmission: a lost packet has used its share.
    Tail,
}

/// A time without transmission, once or again and again.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct BlackoutModel {
    /// When it begins; with `every` the first one, default one period after the start of the run.
    pub(crate) start: Option<Duration>,
    /// How long it lasts.
    pub(crate) duration: Period,
    /// Repeat with this period until the run ends.
    pub(crate) every: Option<Period>,
}

/// Reordering by an extra delay.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct ReorderingModel {
    /// Probability that a packet is delayed.
    pub(crate) probability: Probability,
    /// Its extra delay.
    pub(crate) delay: Duration,
}

/// How long to run, and how often.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct RunModel {
    /// When the run ends.
    pub(crate) duration: Spanned<Period>,
    /// Number of replications (seeds 1 to n), or the seeds; default 1.
    pub(crate) seeds: Option<Spanned<SeedsModel>>,
    /// Start and end of what is measured; default the whole run.
    pub(crate) measure: Option<Spanned<(Duration, Duration)>>,
    /// Record time series; default false.
    #[serde(default)]
    pub(crate) series: bool,
    /// Also measure what costs time on every packet: arrivals of segments, how full queues are;
    /// default false.
    #[serde(default)]
    pub(crate) details: bool,
    /// Count delivered bytes in bins of this length, from the start of the run.
    pub(crate) bins: Option<Spanned<Period>>,
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
