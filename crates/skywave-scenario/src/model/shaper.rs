//! The part of the model that describes shapers.

use serde::Deserialize;

use crate::model::units::{Rate, Size};

/// A shaper.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(transform = crate::model::schema::unwrap_kinds))]
pub(crate) enum ShaperModel {
    #[serde(rename = "$scalar")]
    Preset(ShaperPresetModel),
    #[serde(rename = "$table")]
    Settings(ShaperSettingsModel),
}

/// The name for no shaper.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ShaperPresetModel {
    /// No shaper.
    None,
}

/// A token bucket, for whose tokens packets wait.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct ShaperSettingsModel {
    /// What leaves in the long run.
    pub(crate) rate: Rate,
    /// What leaves at the link's own rate after a rest; larger packets wait for a full bucket and take the rest
    /// on credit.
    pub(crate) burst: Size,
}
