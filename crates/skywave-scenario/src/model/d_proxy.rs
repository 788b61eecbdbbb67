//! The part of the model that describes the two agents of D-Proxy.

use serde::Deserialize;

use crate::model::number::Positive;
use crate::model::units::{Duration, Period, Size};
use crate::read::spanned::Spanned;

/// D-Proxy.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(transform = crate::model::schema::unwrap_kinds))]
pub(crate) enum DProxyModel {
    #[serde(rename = "$scalar")]
    Preset(DProxyPresetModel),
    #[serde(rename = "$table")]
    Settings(DProxySettingsModel),
}

/// The name for no agents.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum DProxyPresetModel {
    /// No agents.
    None,
}

/// Settings of D-Proxy. It looks at flows whose data pass `at` and then `to`, and whose ACKs pass them in the opposite
/// order. Either may be an end of a flow.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct DProxySettingsModel {
    /// Node of the agent after the lossy hop, with no other agent.
    pub(crate) to: Spanned<String>,
    /// Bytes on the wire of a connection that the agent before the hop keeps; default "128 KiB".
    pub(crate) cache: Option<Size>,
    /// The agent before the hop is part of the queue that follows, whose drops are left to the sender to repair; default
    /// false.
    pub(crate) in_queue: Option<bool>,
    /// Bytes on the wire of a connection that the agent after the hop holds; default "128 KiB".
    pub(crate) buffer: Option<Size>,
    /// Longest time for which it holds a segment; default "1s".
    pub(crate) hold: Option<Period>,
    /// When it asks again for what does not come; default `{}`.
    pub(crate) retry: Option<RetryModel>,
}

/// When D-Proxy asks again; each time for the same bytes doubles it.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct RetryModel {
    /// Smoothed round trips between the two agents after which it asks again; default 2.
    pub(crate) rtts: Option<Positive>,
    /// Shortest time until it asks again; below 1 ms it counts as 1 ms; default "50ms".
    pub(crate) min: Option<Duration>,
}
