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
    /// Nobody else contends.
    None,
    /// The uplink of a cell of CDPD: all defaults.
    Cdpd,
}

/// Contention for the channel of one direction. The defaults are those of "cdpd".
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct ContentionSettingsModel {
    /// Length of a slot; default "3.125ms", 60 bits at 19.2 kb/s, as on CDPD.
    pub(crate) slot: Option<Period>,
    /// First window in slots: an attempt comes after 0 to `window` − 1 of them; default 16.
    pub(crate) window: Option<Spanned<Count>>,
    /// Largest window, at least `window`. The window doubles with each failure up to this; default 256.
    pub(crate) max_window: Option<Spanned<Count>>,
    /// Probability that an attempt fails; default 0.4.
    pub(crate) failure: Option<BelowOne>,
    /// Mean of the exponential time for which another station then has the channel; default "1s".
    pub(crate) hold: Option<Duration>,
    /// A station that has the channel sends all that is queued by then; otherwise it contends for each packet;
    /// default true.
    pub(crate) capture: Option<bool>,
}
