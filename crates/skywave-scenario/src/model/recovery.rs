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
    /// None at all.
    None,
    /// That of TCP-DCR's simulations: all defaults.
    TcpDcr,
}

/// Settings of retransmission.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct ArqSettingsModel {
    /// Time from the end of a failed transmission until the packet is back at the head of the
    /// queue; default twice the link's delay.
    pub(crate) round_trip: Option<Period>,
    /// Most retransmissions of a packet; default without limit.
    pub(crate) retries: Option<Count>,
    /// Deliver in order: packets wait at the far side for those before them; default false.
    pub(crate) in_order: Option<bool>,
    /// Whether loss models act on retransmissions too; default true.
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
    /// None at all.
    None,
}

/// Settings of forward error correction.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct FecSettingsModel {
    /// Code rate: packets take 1/rate of their bytes on the air.
    pub(crate) rate: CodeRate,
    /// Probability that a corrupted transmission is repaired.
    pub(crate) repair: Probability,
}
