//! The part of the model that describes who contends for a link.

use serde::Deserialize;

use crate::model::number::{BelowOne, Count};
use crate::model::units::{Duration, Period};
use crate::read::spanned::Spanned;

/// Stations that contend for a link.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(transform = crate::model::schema::unwrap_kinds))]
pub(crate) enum ContentionModel {
    #[serde(rename = "$scalar")]
    Preset(ContentionPresetModel),
    #[serde(rename = "$table")]
    Settings(ContentionSettingsModel),
}

/// Named contentions.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ContentionPresetModel {
    /// None at all.
    None,
    /// The uplink of a cell of CDPD: all defaults.
    Cdpd,
}

/// Settings of a contention.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct ContentionSettingsModel {
    /// Length of a slot; default "3.125ms", 60 bits at 19.2 kb/s.
    pub(crate) slot: Option<Period>,
    /// The first window in slots: an attempt comes after 0 to `window` − 1 of them; default 16.
    pub(crate) window: Option<Spanned<Count>>,
    /// The largest window, to which it doubles with each failure; default 256.
    pub(crate) max_window: Option<Spanned<Count>>,
    /// Probability that an attempt fails; default 0.4.
    pub(crate) failure: Option<BelowOne>,
    /// Mean time for which another station has the channel then; default "1s".
    pub(crate) hold: Option<Duration>,
    /// Once it has the channel, a station sends all that is queued; default true.
    pub(crate) capture: Option<bool>,
}
