//! The part of the model that describes a transport: presets, slots, parameters.

use serde::Deserialize;

use crate::model::member::{CongestionModel, DetectionModel, RecoveryModel, TimeoutModel};
use crate::model::number::Count;
use crate::model::units::{Period, Window};
use crate::model::wtcp::WtcpModel;
use crate::read::spanned::Spanned;

/// A transport protocol.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(transform = crate::model::schema::unwrap_kinds))]
pub(crate) enum TransportModel {
    /// A preset's name, "wtcp" or "udp".
    #[serde(rename = "$scalar")]
    Preset(String),
    /// A preset with other members in some slots, or WTCP with other parameters.
    #[serde(rename = "$table")]
    Composed(Box<ComposedModel>),
}

/// A preset with other members in some slots, or WTCP with other parameters.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// Defaults of a known stack.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ProfileModel {
    /// ns-2.35's one-way agents.
    Ns2,
    /// 4.3BSD descendants.
    Bsd,
    /// The standards of today.
    Rfc,
}

/// How a connection begins.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum HandshakeModel {
    /// Both ends are connected from the start.
    None,
    /// SYN, SYN-ACK, ACK.
    ThreeWay,
}

/// Settings that a profile gives, one by one.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// Routers may mark data instead of dropping it, and the sender answers as to a loss; needs queues with
    /// `ecn = true`.
    pub(crate) ecn: Option<bool>,
    /// Whose rules a sender with ECN follows where RFC 3168 and ns-2 differ.
    pub(crate) ecn_rules: Option<EcnRulesModel>,
    /// Links and stations tell of data that a channel lost, and the sender does not cut its window for
    /// that (explicit loss notification).
    pub(crate) eln: Option<bool>,
    /// The receiver tells the window law of contention and of congestion warnings on the way of the data.
    pub(crate) hints: Option<bool>,
    /// What sets the pace at which segments leave; default "off".
    pub(crate) pacing: Option<PacingModel>,
    /// NewReno restarts the timer on the first partial ACK only.
    pub(crate) impatient: Option<bool>,
    /// No second fast retransmit below the highest sequence number sent at the first.
    pub(crate) avoid_repeated_recovery: Option<bool>,
    /// How an ACK counts towards growth.
    pub(crate) counting: Option<CountingModel>,
    /// Initial sequence number; default 0.
    pub(crate) iss: Option<u32>,
}

/// What sets the pace at which segments leave.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum PacingModel {
    /// Nothing, unless the window law names a rate.
    Off,
    /// The window, once in a round trip, as in Linux.
    Window,
}

/// What a sender with ECN does where RFC 3168 and ns-2 differ.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum EcnRulesModel {
    /// As the RFC says.
    Rfc3168,
    /// As ns-2.35's one-way agents do.
    Ns2,
}

/// How the RTT estimator counts.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ArithmeticModel {
    /// Nanoseconds.
    Exact,
    /// Whole ticks in fixed point.
    Ticks,
}

/// How an ACK counts towards growth.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CountingModel {
    /// Each ACK once.
    Acks,
    /// Bytes, at most so many segments an ACK.
    Bytes(Count),
}
