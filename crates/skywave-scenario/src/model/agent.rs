//! The part of the model that describes agents.

use serde::Deserialize;

use crate::model::number::{Count, Positive};
use crate::model::units::{Duration, Packets};
use crate::read::spanned::Spanned;

/// A machine at a node in the middle of paths, which looks into the TCP packets that pass.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct AgentModel {
    /// Name in paths of `[sweep]`; default its node.
    #[expect(dead_code, reason = "paths take it off the tree; here for the schema")]
    pub(crate) name: Option<String>,
    /// Its node.
    pub(crate) at: Spanned<String>,
    /// Snoop: repairs losses behind it by itself; "none", "wtcp", "original" or its settings.
    pub(crate) snoop: Spanned<SnoopModel>,
}

/// Snoop.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(transform = crate::model::schema::unwrap_kinds))]
pub(crate) enum SnoopModel {
    #[serde(rename = "$scalar")]
    Preset(SnoopPresetModel),
    #[serde(rename = "$table")]
    Settings(SnoopSettingsModel),
}

/// Named settings of Snoop.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SnoopPresetModel {
    /// No agent.
    None,
    /// As in WTCP's simulations: all defaults.
    Wtcp,
    /// As Balakrishnan et al. (1995) have it: above the queue, with a timer of its own.
    Original,
}

/// Settings of Snoop.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct SnoopSettingsModel {
    /// Duplicate ACKs at which it sends a segment again; default 1.
    pub(crate) dupacks: Option<Count>,
    /// Most segments that it keeps of a connection; default without limit.
    pub(crate) cache: Option<Packets>,
    /// It is part of the queue behind it, whose drops are the sender's to repair; default true.
    pub(crate) in_queue: Option<bool>,
    /// Also send again what nothing comes back for: "none" or when; default "none".
    pub(crate) timeout: Option<SnoopTimeoutModel>,
}

/// Snoop's own timer.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(transform = crate::model::schema::unwrap_kinds))]
pub(crate) enum SnoopTimeoutModel {
    #[serde(rename = "$scalar")]
    Preset(SnoopTimeoutPresetModel),
    #[serde(rename = "$table")]
    Settings(SnoopTimeoutSettingsModel),
}

/// The name for no timer.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SnoopTimeoutPresetModel {
    /// None at all.
    None,
}

/// When Snoop's own timer expires.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct SnoopTimeoutSettingsModel {
    /// After so many smoothed round trips between the agent and the receiver; default 2.
    pub(crate) rtts: Option<Positive>,
    /// And at least after this; default "200ms".
    pub(crate) min: Option<Duration>,
}
