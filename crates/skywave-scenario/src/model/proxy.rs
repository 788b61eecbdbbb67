//! The part of the model that describes the proxy of a flow.

use serde::Deserialize;
use skywave_core::proxy::{EndToEnd, Paced, Spaced};

use crate::model::OneOrMany;
use crate::model::number::Count;
use crate::model::optional::TableModel;
use crate::model::tcp::TransportModel;
use crate::model::units::{Period, Window};
use crate::read::spanned::Spanned;

/// Whether a proxy splits a flow, and how: docs/mechanisms/split.md.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(transform = crate::model::schema::unwrap_kinds))]
pub(crate) enum ProxyModel {
    #[serde(rename = "$scalar")]
    Preset(ProxyPresetModel),
    #[serde(rename = "$table")]
    Settings(Box<ProxySettingsModel>),
}

/// The name for no proxy.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ProxyPresetModel {
    /// No proxy: one connection from end to end.
    None,
}

/// A proxy, which ends the connection of the source at its node and begins another one to the destination. Both are
/// of TCP, with all keys of the flow, and always shake hands and close with FIN. The halves are flows of their own:
/// of a flow NAME they are NAME.near and NAME.far, and plots of the flow NAME are of the latter.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct ProxySettingsModel {
    /// Node of the proxy, between the ends of the flow; where the way goes through the radio network, any station.
    pub(crate) at: Spanned<String>,
    /// Data that it holds at most; default "64 KiB".
    pub(crate) buffer: Option<Spanned<Window>>,
    /// The transport of the half to the destination, a preset or a composition of TCP; default the flow's own.
    pub(crate) transport: Option<Spanned<TransportModel>>,
    /// Policy towards the source; default "plain".
    pub(crate) towards_source: Option<TowardsSourceModel>,
    /// When it hands on what it has got; default "at-once".
    pub(crate) towards_destination: Option<TowardsDestinationModel>,
    /// When it fails: it forgets what it holds, and does nothing any more; default never.
    pub(crate) fails_at: Option<Period>,
    /// When the destination moves to the cells of other nodes, in order of time, and the proxy after it. Of a flow NAME, the
    /// flows NAME.state, NAME.state2 and so on carry the proxy's state; default never.
    pub(crate) hand_overs: Option<OneOrMany<Spanned<HandOverModel>>>,
}

/// The destination leaves the cell of the node where the proxy is, and the proxy follows it to another node.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct HandOverModel {
    /// When the destination leaves, after the start of the flow. If the hand-over before is not done by then, this one
    /// begins when it is.
    pub(crate) at: Spanned<Period>,
    /// The other node, neither an end of the flow nor where the proxy is by then.
    pub(crate) to: Spanned<String>,
}

/// Policy of a proxy towards the source.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(transform = crate::model::schema::unwrap_kinds))]
pub(crate) enum TowardsSourceModel {
    #[serde(rename = "$scalar")]
    Preset(TowardsSourcePresetModel),
    #[serde(rename = "$table")]
    Settings(TowardsSourceSettingsModel),
}

/// Policies without parameters.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum TowardsSourcePresetModel {
    /// The proxy acknowledges what it has got, and grants the room that it has (I-TCP).
    Plain,
    /// M-TCP, with all defaults: the same as `{ end-to-end = {} }`.
    MTcp,
}

/// Policies with parameters, one of them.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum TowardsSourceSettingsModel {
    /// As "plain", and no window above this many segments: intentional flow control, which has 2.
    Window(Count),
    /// The proxy acknowledges what the destination has acknowledged, but for the last byte, and closes the window while
    /// the destination does not answer; the destination announces itself at the end of each blackout on its way (M-TCP).
    EndToEnd(Spanned<TableModel<EndToEnd>>),
}

/// When a proxy hands on what it has got.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(transform = crate::model::schema::unwrap_kinds))]
pub(crate) enum TowardsDestinationModel {
    #[serde(rename = "$scalar")]
    Preset(TowardsDestinationPresetModel),
    #[serde(rename = "$table")]
    Settings(TowardsDestinationSettingsModel),
}

/// Policies without parameters, or with all defaults.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum TowardsDestinationPresetModel {
    /// As soon as it has come in order.
    AtOnce,
    /// Adaptive rate control: the same as `{ spaced = {} }`.
    AdaptiveRate,
    /// PEP pacing: the same as `{ paced = {} }`.
    PepPacing,
}

/// Policies with parameters, one of them.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum TowardsDestinationSettingsModel {
    /// A segment at a time, spaced by the gaps between arrivals: adaptive rate control.
    Spaced(Spanned<TableModel<Spaced>>),
    /// A segment at a time, at the mean rate of arrival, of what comes in lumps: PEP pacing.
    Paced(Spanned<TableModel<Paced>>),
}
