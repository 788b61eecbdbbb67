//! The part of the model that describes a transport: presets, slots, parameters.

use schemars::JsonSchema;
use serde::Deserialize;

use super::model::{allow_names, unwrap_kinds};
use super::model_wtcp::WtcpModel;
use super::number::{Count, Positive, Probability};
use super::spanned::Spanned;
use super::units::{Period, Window};

/// A transport protocol.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(transform = unwrap_kinds)]
pub(crate) enum TransportModel {
    /// A preset's name, "wtcp" or "udp".
    #[serde(rename = "$scalar")]
    Preset(String),
    /// A preset with other members in some slots, or WTCP with other parameters.
    #[serde(rename = "$table")]
    Composed(Box<ComposedModel>),
}

/// A preset with other members in some slots, or WTCP with other parameters.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ComposedModel {
    /// What to start from; default "reno".
    pub(crate) preset: Option<Spanned<String>>,
    /// When a segment counts as lost.
    pub(crate) detection: Option<DetectionModel>,
    /// What is sent after a loss, until it is repaired.
    pub(crate) recovery: Option<RecoveryModel>,
    /// How the window grows and shrinks.
    pub(crate) congestion: Option<CongestionModel>,
    /// What the retransmission timer does on expiry.
    pub(crate) timeout: Option<TimeoutModel>,
    /// WTCP with these parameters, instead of TCP.
    pub(crate) wtcp: Option<Spanned<WtcpModel>>,
}

/// Members of the `detection` slot.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(transform = allow_names)]
pub(crate) enum DetectionModel {
    /// So many duplicate ACKs; by name alone three.
    Dupacks(DupacksModel),
    /// As many duplicate ACKs as the segments in flight could cause, or so many; by name alone three.
    Sifest(DupacksModel),
    /// Three duplicate ACKs or Vegas' fine-grained timer.
    Vegas(NoParameters),
    /// TCP-DCR: one round trip after the first duplicate ACK.
    Dcr(DcrModel),
    /// Three duplicate ACKs, or fewer when so many cannot come.
    EarlyRetransmit(NoParameters),
    /// TCP-NCR: about a window's worth of duplicate ACKs (RFC 4653).
    Ncr(NcrModel),
    /// Time since something sent later arrived, and tail loss probes (RFC 8985).
    Rack(NoParameters),
    /// A member of the calling program's own.
    #[serde(rename = "$name")]
    #[schemars(skip)]
    Custom(Spanned<String>),
}

/// The number of duplicate ACKs.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[schemars(transform = unwrap_kinds)]
pub(crate) enum DupacksModel {
    #[serde(rename = "$scalar")]
    Number(Count),
    #[serde(rename = "$table")]
    Default(NoParameters),
}

/// TCP-DCR's delay.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DcrModel {
    /// Delay in smoothed round trips; default 1.
    pub(crate) tau: Option<Positive>,
    /// How the delay is kept; default "timer".
    pub(crate) by: Option<DcrByModel>,
    /// Tick of the timer's clock; default an exact clock.
    pub(crate) tick: Option<Spanned<Period>>,
}

/// How TCP-DCR keeps its delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum DcrByModel {
    /// By a timer.
    Timer,
    /// By a number of duplicate ACKs.
    Dupacks,
}

/// TCP-NCR's variant.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NcrModel {
    /// What is sent while it waits; default "careful".
    pub(crate) transmit: Option<NcrTransmitModel>,
}

/// What TCP-NCR sends while it waits.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum NcrTransmitModel {
    /// A new segment for every two that arrive.
    Careful,
    /// A new segment for each one that arrives.
    Aggressive,
}

/// A member without parameters.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoParameters {}

/// Members of the `recovery` slot.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RecoveryModel {
    /// Slow start from the lost segment.
    Tahoe,
    /// Fast recovery that ends with the first new ACK.
    Reno,
    /// Fast recovery that repairs a hole a round trip.
    NewReno,
    /// Selective repair by a scoreboard.
    Sack,
    /// SACK with the rate reduced in proportion to what arrives.
    Prr,
    /// SACK with the pipe accounting of ns-2's Sack1.
    Sack1,
}

/// Members of the `congestion` slot.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(transform = allow_names)]
pub(crate) enum CongestionModel {
    /// RFC 5681.
    Reno(NoParameters),
    /// Brakmo 1994.
    Vegas(VegasModel),
    /// Fu and Liew 2003.
    Veno(VenoModel),
    /// Casetti 2002, or Westwood+.
    Westwood(WestwoodModel),
    /// RFC 9438.
    Cubic(CubicModel),
    /// El-Ocla 2008.
    Cerl(CerlModel),
    /// Reno with three quarters left after a fast retransmit.
    ThreeQuarter(NoParameters),
    /// A member of the calling program's own.
    #[serde(rename = "$name")]
    #[schemars(skip)]
    Custom(Spanned<String>),
}

/// Vegas' thresholds in segments.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VegasModel {
    /// Grow below; default 1.
    pub(crate) alpha: Option<Positive>,
    /// Shrink above; default 3.
    pub(crate) beta: Option<Positive>,
    /// Leave slow start above; default 1.
    pub(crate) gamma: Option<Positive>,
}

/// Veno's threshold.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VenoModel {
    /// Backlog in segments from which a loss is congestive; default 3.
    pub(crate) backlog: Option<Positive>,
}

/// Which Westwood.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WestwoodModel {
    /// One bandwidth sample a round trip; default false.
    pub(crate) plus: Option<bool>,
    /// Time constant of the filter; default 500 ms.
    pub(crate) tau: Option<Period>,
}

/// CUBIC's constants.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CubicModel {
    /// Scaling constant; default 0.4.
    pub(crate) c: Option<Positive>,
    /// Decrease factor; default 0.7.
    pub(crate) beta: Option<Probability>,
    /// Give up part of the share to new flows; default true.
    pub(crate) fast_convergence: Option<bool>,
}

/// CERL's constants.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CerlModel {
    /// Share of the largest queue seen from which a loss is congestive; default 0.55.
    pub(crate) a: Option<Probability>,
    /// One reduction a window of data; default true, CERL2 false.
    pub(crate) once_per_window: Option<bool>,
}

/// Members of the `timeout` slot.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(transform = allow_names)]
pub(crate) enum TimeoutModel {
    /// Restart with one segment and go back N.
    Standard(NoParameters),
    /// Restart with half of what is outstanding.
    HalfWindow(NoParameters),
    /// Wait once more first.
    Extended(ExtendedModel),
}

/// How the extended timer waits.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExtendedModel {
    /// The timer at the first expiry on a connection, in RTOs; default 1.5.
    pub(crate) first: Option<Positive>,
    /// The same at later ones; default 2.
    pub(crate) later: Option<Positive>,
    /// Send the oldest segment again as well; default false.
    pub(crate) retransmit: Option<bool>,
}

/// Defaults of a known stack.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ProfileModel {
    /// ns-2.35's one-way agents.
    Ns2,
    /// 4.3BSD descendants.
    Bsd,
    /// The standards of today.
    Rfc,
}

/// When the receiver acknowledges.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(transform = allow_names)]
pub(crate) enum AckingModel {
    /// Every segment.
    Every(NoParameters),
    /// Delayed ACKs.
    Delayed(DelayedModel),
}

/// Delayed ACKs.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DelayedModel {
    /// Segments an ACK; default 2.
    pub(crate) every: Option<Count>,
    /// Longest delay; default 200 ms.
    pub(crate) timeout: Option<Period>,
}

/// How a connection begins.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum HandshakeModel {
    /// Both ends are connected from the start.
    None,
    /// SYN, SYN-ACK, ACK.
    ThreeWay,
}

/// Settings that a profile gives, one by one.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TcpModel {
    /// First congestion window.
    pub(crate) initial_window: Option<Window>,
    /// Window with which slow start begins again after a timeout, and after Tahoe's fast retransmit;
    /// default one segment.
    pub(crate) loss_window: Option<Window>,
    /// First slow start threshold; default the receiver's window.
    pub(crate) initial_ssthresh: Option<Window>,
    /// The congestion window grows no further than this; default no cap.
    pub(crate) max_cwnd: Option<Window>,
    /// Begin again with the initial window after an idle time of more than the RTO (RFC 5681 section
    /// 4.1).
    pub(crate) restart_after_idle: Option<bool>,
    /// Keep the slow start threshold in whole segments.
    pub(crate) whole_ssthresh: Option<bool>,
    /// Smallest RTO.
    pub(crate) min_rto: Option<Period>,
    /// Largest RTO.
    pub(crate) max_rto: Option<Period>,
    /// RTO before the first sample.
    pub(crate) initial_rto: Option<Period>,
    /// Tick of the timer's clock.
    pub(crate) tick: Option<Period>,
    /// How the RTT estimator counts.
    pub(crate) arithmetic: Option<ArithmeticModel>,
    /// New data on the first two duplicate ACKs.
    pub(crate) limited_transmit: Option<bool>,
    /// Timestamps: an RTT sample with every ACK.
    pub(crate) timestamps: Option<bool>,
    /// The receiver reports blocks that it holds.
    pub(crate) sack: Option<Spanned<bool>>,
    /// The receiver reports duplicates.
    pub(crate) dsack: Option<bool>,
    /// NewReno restarts the timer on the first partial ACK only.
    pub(crate) impatient: Option<bool>,
    /// No second fast retransmit below the highest sequence number sent at the first.
    pub(crate) avoid_repeated_recovery: Option<bool>,
    /// How an ACK counts towards growth.
    pub(crate) counting: Option<CountingModel>,
    /// Initial sequence number; default 0.
    pub(crate) iss: Option<u32>,
}

/// How the RTT estimator counts.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ArithmeticModel {
    /// Nanoseconds.
    Exact,
    /// Whole ticks in fixed point.
    Ticks,
}

/// How an ACK counts towards growth.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CountingModel {
    /// Each ACK once.
    Acks,
    /// Bytes, at most so many segments an ACK.
    Bytes(Count),
}
