//! The part of the model that describes a flow and its application.

use serde::Deserialize;
use skywave_core::tcp::{Handshake, Profile};

use crate::model::clock::ClockModel;
use crate::model::member::AckingModel;
use crate::model::named::NamedModel;
use crate::model::number::{Copies, Count, Probability};
use crate::model::proxy::ProxyModel;
use crate::model::tcp::{TcpModel, TransportModel};
use crate::model::units::{Bytes, Duration, HeaderBytes, Period, Rate, Size, Window};
use crate::model::{Dist, OneOrMany};
use crate::read::spanned::Spanned;

/// Data from one node to another. UDP and QUIC refuse the keys that are of TCP only; WTCP ignores them, so that a sweep
/// over `transport` may have TCP and WTCP in it.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct FlowModel {
    /// Name, unique; default "flow1", "flow2", … by place in the file.
    pub(crate) name: Option<Spanned<String>>,
    /// Make this many copies, named NAME.1 to NAME.n; `#` in a node's name becomes the number of the copy; of 0 there is
    /// no such flow, until a sweep or a search says otherwise; default one flow under its own name.
    pub(crate) count: Option<Spanned<Copies>>,
    /// Node that sends the data.
    pub(crate) from: Spanned<String>,
    /// Node that receives the data. ACKs travel back over the reverse links. Routes have the fewest hops.
    pub(crate) to: Spanned<String>,
    /// Nodes that the data pass, in order; between them the fewest hops, and no node twice; default none.
    pub(crate) via: Option<Spanned<Vec<Spanned<String>>>>,
    /// Nodes that the ACKs pass on their way back, in order; default none.
    pub(crate) reverse_via: Option<Spanned<Vec<Spanned<String>>>>,
    /// Stretches on which packets travel inside others; default none.
    pub(crate) tunnel: Option<OneOrMany<Spanned<TunnelModel>>>,
    /// A node that ends the connection of the source and begins another one to the destination; default "none".
    pub(crate) proxy: Option<Spanned<ProxyModel>>,
    /// The receiver sees disconnections coming, the blackouts of links on its way, and freezes the sender for them;
    /// default "none".
    pub(crate) freeze: Option<Spanned<FreezeModel>>,
    /// The transport protocol: the name of a preset (docs/mechanisms/README.md explains them, `skywave
    /// variants` lists them), "wtcp", "udp", or a composition; default "reno".
    pub(crate) transport: Option<Spanned<TransportModel>>,
    /// The stack whose defaults to take. Of TCP only; default "rfc".
    pub(crate) profile: Option<Spanned<NamedModel<Profile>>>,
    /// Payload bytes of a full segment. UDP refuses it; default 1460, WTCP 1423, QUIC 1435.
    pub(crate) mss: Option<Spanned<Bytes>>,
    /// Bytes of headers on the wire; default 40, UDP 28, WTCP and QUIC 28 below their own headers.
    pub(crate) header: Option<Spanned<HeaderBytes>>,
    /// The receiver's buffer, and so the largest window that it advertises. UDP refuses it; default 1 MiB.
    pub(crate) rwnd: Option<Spanned<Window>>,
    /// When the receiver acknowledges. Of TCP only; default by profile: rfc and bsd "delayed", ns2 "every".
    pub(crate) acking: Option<Spanned<AckingModel>>,
    /// How the connection begins. Of TCP and QUIC only; default "three-way".
    pub(crate) handshake: Option<Spanned<NamedModel<Handshake>>>,
    /// How the clocks of both ends show the time where one-way delays are measured. Of TCP and QUIC only, without
    /// `proxy`, `freeze` and `l2clamp`; default exact clocks.
    pub(crate) clock: Option<Spanned<ClockModel>>,
    /// Close the connection with FIN. Of TCP only; default by profile: rfc and bsd true, ns2 false.
    pub(crate) fin: Option<Spanned<bool>>,
    /// The MAC of the last hop acknowledges for TCP's receiver, where that hop is of the radio network
    /// (docs/mechanisms/l2clamp.md). Of TCP only; default false.
    pub(crate) l2clamp: Option<Spanned<bool>>,
    /// Single settings of the profile. Of TCP only; default none.
    pub(crate) tcp: Option<Spanned<TcpModel>>,
    /// Traffic of the application: how much it sends, and when; default "ftp".
    pub(crate) traffic: Option<Spanned<TrafficModel>>,
    /// When it starts. A distribution is drawn once a seed and flow; default "0s".
    pub(crate) start: Option<Spanned<Dist<Duration>>>,
    /// Each copy that `count` makes starts this much later than the one before; default "0s".
    pub(crate) start_step: Option<Spanned<Duration>>,
    /// When the application stops. A distribution is drawn once a seed and flow; default the end of the run.
    pub(crate) stop: Option<Spanned<Dist<Duration>>>,
}

/// A stretch on which packets travel inside others: they are longer by the outer header between these two
/// nodes, in each direction that passes `from` before `to`.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct TunnelModel {
    /// Node that puts the packets in.
    pub(crate) from: Spanned<String>,
    /// Node that takes them out.
    pub(crate) to: Spanned<String>,
    /// Bytes of the outer header; default 20, that of IPv4 (RFC 2003).
    pub(crate) header: Option<HeaderBytes>,
}

/// Whether a receiver freezes its sender for disconnections: docs/mechanisms/freeze.md.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(transform = crate::model::schema::unwrap_kinds))]
pub(crate) enum FreezeModel {
    #[serde(rename = "$scalar")]
    Preset(FreezePresetModel),
    #[serde(rename = "$table")]
    Settings(FreezeSettingsModel),
}

/// Settings of Freeze-TCP without a table.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FreezePresetModel {
    /// No Freeze-TCP.
    None,
    /// Freeze-TCP, with all defaults: the same as `{}`.
    FreezeTcp,
}

/// Freeze-TCP's settings. The flow has whole connections, which shake hands and close with FIN.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct FreezeSettingsModel {
    /// How long before a disconnection the receiver closes its window; default "200ms".
    pub(crate) warning: Option<Period>,
}

/// Traffic of an application: how much it sends, and when.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum TrafficModel {
    /// Data without end.
    Ftp,
    /// Number of bytes after which the connection closes: the flow has a completion time.
    Bytes(Size),
    /// Packets at constant intervals.
    Cbr(CbrModel),
    /// Bursts of packets at a constant rate, with pauses.
    #[serde(rename = "on_off")]
    OnOff(OnOffModel),
    /// Transfers one after another on one connection, with pauses.
    Requests(RequestsModel),
}

/// Packets at constant intervals.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct CbrModel {
    /// Payload rate.
    pub(crate) rate: Rate,
    /// Payload bytes of a packet.
    pub(crate) packet: Bytes,
    /// Draw each interval within ± this share of itself; default 0.
    pub(crate) jitter: Option<Probability>,
}

/// Constant-rate bursts with pauses.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct OnOffModel {
    /// Payload rate during a burst.
    pub(crate) rate: Rate,
    /// Payload bytes of a packet.
    pub(crate) packet: Bytes,
    /// Length of a burst.
    pub(crate) on: Spanned<Dist<Period>>,
    /// Length of a pause.
    pub(crate) off: Spanned<Dist<Duration>>,
}

/// Transfers at random intervals on one connection.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct RequestsModel {
    /// Size of a transfer. This or `segments` is needed; default none.
    pub(crate) size: Option<Spanned<Dist<Window>>>,
    /// Size of a transfer in whole segments: uniform between two numbers, both included; default none.
    pub(crate) segments: Option<Spanned<(Count, Count)>>,
    /// The pause between transfers.
    pub(crate) think: Spanned<Dist<Duration>>,
    /// Where the pause begins, at the end or at the start of the transfer before; default "end".
    pub(crate) pause_from: Option<PauseFromModel>,
}

/// Where a pause starts.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum PauseFromModel {
    /// The next transfer waits for the last.
    End,
    /// The next transfer does not wait for the last.
    Start,
}
