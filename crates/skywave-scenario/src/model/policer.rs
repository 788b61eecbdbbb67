//! The part of the model that describes policers.

use serde::Deserialize;

use crate::model::units::{Rate, Size};

/// A policer.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(transform = crate::model::schema::unwrap_kinds))]
pub(crate) enum PolicerModel {
    #[serde(rename = "$scalar")]
    Preset(PolicerPresetModel),
    #[serde(rename = "$table")]
    Settings(PolicerSettingsModel),
}

/// The name for no policer.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum PolicerPresetModel {
    /// No policer.
    None,
}

/// A token bucket (RFC 2697 section 3, the committed bucket alone).
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct PolicerSettingsModel {
    /// What may pass in the long run.
    pub(crate) rate: Rate,
    /// What may pass at once after a rest; larger packets never pass.
    pub(crate) burst: Size,
}
