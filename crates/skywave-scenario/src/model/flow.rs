//! The part of the model that describes a flow and its application.

use serde::Deserialize;

use crate::model::member::AckingModel;
use crate::model::number::{Count, Probability};
use crate::model::tcp::{HandshakeModel, ProfileModel, TcpModel, TransportModel};
use crate::model::units::{Bytes, Duration, HeaderBytes, Period, Rate, Size, Window};
use crate::model::{Dist, OneOrMany};
use crate::read::spanned::Spanned;

/// Data from one node to another.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct FlowModel {
    /// Name, unique; default "flow1", "flow2", … by place in the file.
    pub(crate) name: Option<Spanned<String>>,
    /// Make this many copies, named NAME.1 to NAME.n; `#` in a node's name is the copy's number.
    pub(crate) count: Option<Spanned<Count>>,
    /// Node that sends data.
    pub(crate) from: Spanned<String>,
    /// Node that receives it.
    pub(crate) to: Spanned<String>,
    /// Nodes that data pass on their way, in order; between them the fewest hops.
    pub(crate) via: Option<Spanned<Vec<Spanned<String>>>>,
    /// Nodes that ACKs pass on their way back; default the fewest hops.
    pub(crate) reverse_via: Option<Spanned<Vec<Spanned<String>>>>,
    /// Stretches on which packets have a header more.
    pub(crate) tunnel: Option<OneOrMany<Spanned<TunnelModel>>>,
    /// A preset's name, "wtcp", "udp", or a composition; default "reno".
    pub(crate) transport: Option<Spanned<TransportModel>>,
    /// Whose defaults to take; default "rfc".
    pub(crate) profile: Option<Spanned<ProfileModel>>,
    /// Payload bytes of a full segment; default 1460, WTCP 1423.
    pub(crate) mss: Option<Spanned<Bytes>>,
    /// Header bytes on the wire; default 40 (TCP) or 28 (UDP, and below WTCP).
    pub(crate) header: Option<Spanned<HeaderBytes>>,
    /// The receiver's window; default 1 MiB.
    pub(crate) rwnd: Option<Spanned<Window>>,
    /// When the receiver acknowledges; default by profile.
    pub(crate) acking: Option<Spanned<AckingModel>>,
    /// How the connection begins; default by profile.
    pub(crate) handshake: Option<Spanned<HandshakeModel>>,
    /// Close with FIN; default by profile.
    pub(crate) fin: Option<Spanned<bool>>,
    /// More of the sender's and receiver's settings.
    pub(crate) tcp: Option<Spanned<TcpModel>>,
    /// What the application does; default "ftp".
    pub(crate) traffic: Option<Spanned<TrafficModel>>,
    /// When it starts; a distribution is drawn once a seed; default "0s".
    pub(crate) start: Option<Spanned<Dist<Duration>>>,
    /// Each further copy that `count` makes starts so much later than the one before; default "0s".
    pub(crate) start_step: Option<Spanned<Duration>>,
    /// When the application stops; default the end of the run.
    pub(crate) stop: Option<Spanned<Dist<Duration>>>,
}

/// A stretch on which packets travel inside others.
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

/// What an application does.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum TrafficModel {
    /// Data without end.
    Ftp,
    /// So much data, then close.
    Bytes(Size),
    /// Packets at constant intervals.
    Cbr(CbrModel),
    /// Constant-rate bursts with pauses.
    #[serde(rename = "on_off")]
    OnOff(OnOffModel),
    /// Transfers at random intervals on one connection.
    Requests(RequestsModel),
}

/// Packets at constant intervals.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct CbrModel {
    /// Payload rate.
    pub(crate) rate: Rate,
    /// Payload bytes a packet.
    pub(crate) packet: Bytes,
    /// Draw each interval within ± this share of itself; default 0.
    pub(crate) jitter: Option<Probability>,
}

/// Constant-rate bursts with pauses.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct OnOffModel {
    /// Payload rate while on.
    pub(crate) rate: Rate,
    /// Payload bytes a packet.
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
    /// Size of a transfer; this or `segments`.
    pub(crate) size: Option<Spanned<Dist<Window>>>,
    /// Size of a transfer in whole segments: uniform between two numbers, both included.
    pub(crate) segments: Option<Spanned<(Count, Count)>>,
    /// The pause between transfers.
    pub(crate) think: Spanned<Dist<Duration>>,
    /// Count the pause from the "end" (default) or the "start" of the transfer before.
    pub(crate) pause_from: Option<PauseFromModel>,
}

/// Where a pause starts.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum PauseFromModel {
    /// At the end of the transfer before.
    End,
    /// At the start of the transfer before.
    Start,
}
