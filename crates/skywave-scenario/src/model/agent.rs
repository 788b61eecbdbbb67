//! The part of the model that describes agents.

use serde::Deserialize;

use crate::model::d_proxy::DProxyModel;
use crate::model::number::{Count, Positive};
use crate::model::units::{Duration, Packets};
use crate::read::spanned::Spanned;

/// A machine at a node that flows pass. It looks into the packets of each TCP flow that passes, in both
/// directions; WTCP and UDP are left alone.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct AgentModel {
    /// Name in paths of `[sweep]`; default its node.
    #[expect(dead_code, reason = "paths take it off the tree; here for the schema")]
    pub(crate) name: Option<String>,
    /// Node of the agent, which has no other. A flow must pass it. The agent needs `snoop` or `d_proxy`.
    pub(crate) at: Spanned<String>,
    /// Snoop repairs the losses of the link after it: docs/mechanisms/snoop.md; default "none".
    pub(crate) snoop: Option<Spanned<SnoopModel>>,
    /// D-Proxy repairs the losses between this node and another: docs/mechanisms/d-proxy.md; default "none".
    pub(crate) d_proxy: Option<Spanned<DProxyModel>>,
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
    /// As in WTCP's simulations: all defaults, the same as `{}`.
    Wtcp,
    /// As Balakrishnan et al. (1995) have it: `in_queue = false`, and a timer of its own.
    Original,
}

/// Settings of Snoop.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct SnoopSettingsModel {
    /// Number of duplicate ACKs at which it sends a segment again; default 1.
    pub(crate) dupacks: Option<Count>,
    /// Most segments of a connection that it keeps; further ones pass without a copy; default no limit.
    pub(crate) cache: Option<Packets>,
    /// Snoop is part of the queue that follows, whose drops are left to the sender to repair; default true.
    pub(crate) in_queue: Option<bool>,
    /// A timer of its own, which sends again what nothing comes back for; default "none".
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
    /// No timer.
    None,
}

/// When Snoop's own timer expires.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct SnoopTimeoutSettingsModel {
    /// Smoothed round trips between the agent and the receiver after which it expires; default 2.
    pub(crate) rtts: Option<Positive>,
    /// Shortest time until it expires; below 1 ms it counts as 1 ms; default "200ms".
    pub(crate) min: Option<Duration>,
}
