//! The part of the model that describes how a link repairs errors itself.

use serde::Deserialize;

use crate::model::number::{CodeRate, Count, Probability};
use crate::model::units::Period;

/// Retransmission by the link.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(transform = crate::model::schema::unwrap_kinds))]
pub(crate) enum ArqModel {
    #[serde(rename = "$scalar")]
    Preset(ArqPresetModel),
    #[serde(rename = "$table")]
    Settings(ArqSettingsModel),
}

/// Named ways of retransmission.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ArqPresetModel {
    /// No retransmission.
    None,
    /// As in TCP-DCR's simulations: all defaults, the same as `{}`.
    TcpDcr,
}

/// Retransmission by the link.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct ArqSettingsModel {
    /// Time from the end of the failed transmission until the packet is back at the head of the queue; default
    /// twice the link's delay.
    pub(crate) round_trip: Option<Period>,
    /// Most retransmissions of a packet; then it is given up; default no limit.
    pub(crate) retries: Option<Count>,
    /// What arrives after a missing packet waits at the far side until that one is repaired or given up;
    /// default false.
    pub(crate) in_order: Option<bool>,
    /// The loss models act on retransmissions too. Blackouts always do; default true.
    pub(crate) errors_on_retransmissions: Option<bool>,
}

/// Forward error correction.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(transform = crate::model::schema::unwrap_kinds))]
pub(crate) enum FecModel {
    #[serde(rename = "$scalar")]
    Preset(FecPresetModel),
    #[serde(rename = "$table")]
    Settings(FecSettingsModel),
}

/// The name for no forward error correction.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FecPresetModel {
    /// No code.
    None,
}

/// Forward error correction.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct FecSettingsModel {
    /// Code rate: a packet takes 1/`rate` of its bytes on the air.
    pub(crate) rate: CodeRate,
    /// Probability that a transmission which the loss models corrupt is repaired, independently.
    pub(crate) repair: Probability,
}
