//! The part of the model that describes a radio network: its radios, its MAC and its routing.

use serde::Deserialize;
use skywave_core::radio::{Decoder, Preamble};

use crate::model::member::RoutingModel;
use crate::model::named::NamedModel;
use crate::model::number::{Count, Positive};
use crate::model::queue::MacQueueModel;
use crate::model::units::{
    Bytes, Decibels, Distance, Duration, Margin, Period, Power, Rate, RtsThreshold,
};
use crate::read::spanned::Spanned;

/// A radio network: 802.11 stations that share one channel. docs/mechanisms/dcf.md explains the MAC and the
/// radio.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct RadioModel {
    /// The standard of all stations.
    pub(crate) standard: StandardModel,
    /// Rate of unicast data frames, one of the standard's; default "11Mbps" with 802.11b, "24Mbps" with
    /// 802.11g.
    pub(crate) rate: Option<Spanned<Rate>>,
    /// Rate of RTS and CTS; default "1Mbps" with 802.11b, "6Mbps" with 802.11g.
    pub(crate) control_rate: Option<Spanned<Rate>>,
    /// Rate of ACKs. (ns-3's stations, and real ones, take the fastest basic rate that is not above the
    /// data's.); default `control_rate`.
    pub(crate) ack_rate: Option<Spanned<Rate>>,
    /// Rate of the ACK that stations leave time for after a frame that they did not understand (EIFS). ns-3 has
    /// "1Mbps"; default "1Mbps" with 802.11b, "6Mbps" with 802.11g.
    pub(crate) eifs_rate: Option<Spanned<Rate>>,
    /// Rate of broadcast frames; default "1Mbps" with 802.11b, "6Mbps" with 802.11g.
    pub(crate) broadcast_rate: Option<Spanned<Rate>>,
    /// A slot of the backoff: "20us", or with 802.11g also "9us"; default "20us", as in ad-hoc networks.
    pub(crate) slot: Option<Spanned<Period>>,
    /// Time after which a signal that has begun is noticed, less than a slot; default "15us", with slots of 9
    /// µs "4us".
    pub(crate) cca: Option<Spanned<Duration>>,
    /// Preamble of 802.11b's frames; default "long".
    pub(crate) preamble: Option<Spanned<NamedModel<Preamble>>>,
    /// First contention window in slots; default 31 with 802.11b, 15 with 802.11g.
    pub(crate) cw_min: Option<Spanned<Count>>,
    /// Largest contention window in slots; default 1023.
    pub(crate) cw_max: Option<Spanned<Count>>,
    /// Unicast frames that RTS and CTS go before: those that are longer than a size with their MAC header,
    /// all, or none. The size also decides which frames are long unless `retries.long_above` does, so that a
    /// sweep over `rts` alone changes the number of attempts too; default "never".
    pub(crate) rts: Option<RtsModel>,
    /// A station that hears an RTS and then nothing is free again when data would have begun. ns-2 has false;
    /// default true.
    pub(crate) nav_reset: Option<bool>,
    /// A packet that found the channel idle needs no backoff even if the channel is taken before it is sent.
    /// ns-3 has true; default false.
    pub(crate) keep_access: Option<bool>,
    /// How often frames are sent before they are given up; default 7 and 4 attempts.
    pub(crate) retries: Option<RetriesModel>,
    /// The queue of packets that wait in the MAC, without the one in service: a limit, or a discipline as at a
    /// link, with its sizes in packets or bytes; default "256kB".
    pub(crate) queue: Option<MacQueueModel>,
    /// How signals weaken with distance; default "ns2".
    pub(crate) propagation: Option<Spanned<PropagationModel>>,
    /// Reception of frames that overlap; default by `propagation`: { capture = "10dB" } with "ns2" and
    /// `two_ray`, "sinr" with "ns3" and `log_distance`, "collision" with `ranges`.
    pub(crate) reception: Option<ReceptionModel>,
    /// Signs by which a station finds the channel taken; default "signals".
    pub(crate) sensing: Option<SensingModel>,
    /// How stations find their ways: docs/mechanisms/aodv.md, docs/mechanisms/dsr.md, docs/mechanisms/dsdv.md; default
    /// "aodv".
    pub(crate) routing: Option<Spanned<RoutingModel>>,
    /// Record what every station does from one time to another, into `timelines.parquet`; at most 600 s of all
    /// stations together; default none.
    pub(crate) timeline: Option<Spanned<(Duration, Duration)>>,
}

/// A standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) enum StandardModel {
    /// DSSS and CCK, at 1, 2, 5.5 and 11 Mb/s.
    #[serde(rename = "802.11b")]
    B,
    /// ERP-OFDM, at 6 to 54 Mb/s.
    #[serde(rename = "802.11g")]
    G,
}

/// Unicast frames that RTS and CTS go before.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", schemars(transform = crate::model::schema::unwrap_kinds))]
pub(crate) enum RtsModel {
    /// All frames.
    Always,
    /// No frame.
    Never,
    /// Longer frames.
    #[serde(rename = "$name")]
    Above(RtsThreshold),
}

/// How often frames are sent before they are given up.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct RetriesModel {
    /// Most attempts of an RTS, and of a frame that is not long; default 7.
    pub(crate) short: Option<Count>,
    /// Most attempts of a long frame; default 4.
    pub(crate) long: Option<Count>,
    /// Frames that are longer than this with their MAC header are long ones; default the threshold of `rts`, as
    /// in the standard.
    pub(crate) long_above: Option<Bytes>,
}

/// How signals weaken with distance, and which of them can be received.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum PropagationModel {
    /// The radios of ns-2: two-ray ground, 250 m of reception, 550 m of carrier sense.
    Ns2,
    /// The radios of ns-3: log-distance loss with exponent 3, reception from −82 dBm, noise of −94 dBm.
    Ns3,
    /// Fixed distances.
    Ranges(RangesModel),
    /// Two-ray ground with limits of power. The defaults are those of "ns2".
    TwoRay(TwoRayModel),
    /// Log-distance loss with limits of power. The defaults are those of "ns3".
    LogDistance(LogDistanceModel),
}

/// Fixed distances.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct RangesModel {
    /// Distance within which a frame can be received.
    pub(crate) reception: Distance,
    /// Distance within which it keeps the channel busy; default `reception`.
    pub(crate) sensing: Option<Distance>,
    /// Distance within which it disturbs other frames; default `sensing`.
    pub(crate) interference: Option<Distance>,
}

/// Two-ray ground.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct TwoRayModel {
    /// Length of the wave; default "0.328m", that of 914 MHz.
    pub(crate) wavelength: Option<Distance>,
    /// Height of both antennas above the ground; default "1.5m".
    pub(crate) height: Option<Distance>,
    /// Transmitted power, and limits of what is received; default those of "ns2".
    #[serde(default)]
    pub(crate) power: PowerModel,
}

/// Log-distance loss.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct LogDistanceModel {
    /// The power of distance with which signals weaken; default 3.
    pub(crate) exponent: Option<Positive>,
    /// Distance at which the loss is known; default "1m".
    pub(crate) reference: Option<Distance>,
    /// Loss at that distance; default "46.6777dB".
    pub(crate) loss: Option<Decibels>,
    /// Transmitted power, and limits of what is received; default those of "ns3".
    #[serde(default)]
    pub(crate) power: PowerModel,
}

/// Transmitted power and limits of what is received.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct PowerModel {
    /// Transmitted power, gains of the antennas included; default "24.5dBm" with `two_ray`, "16.0206dBm" with
    /// `log_distance`.
    pub(crate) transmitted: Option<Power>,
    /// Least power with which a frame is received; default "-64.37dBm" with `two_ray`, "-82dBm" with
    /// `log_distance`.
    pub(crate) reception: Option<Power>,
    /// Least power that keeps the channel busy; default "-78.07dBm" with `two_ray`, "-62dBm" with
    /// `log_distance`.
    pub(crate) sensing: Option<Power>,
    /// Least power that disturbs other frames; default "-78.07dBm" with `two_ray`, "-101dBm" with
    /// `log_distance`.
    pub(crate) interference: Option<Power>,
    /// Noise at receivers. For reception by "sinr" it is −94 dBm where none is named, that of a receiver at
    /// room temperature; default none with `two_ray`, "-94dBm" with `log_distance`.
    pub(crate) noise: Option<Power>,
}

/// Reception of frames that overlap.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ReceptionModel {
    /// All frames that overlap are lost.
    Collision,
    /// The first frame is received if it is this much stronger than each other one.
    Capture(Margin),
    /// Bits are lost at random, by signal, noise and interference.
    Sinr(SinrModel),
}

/// Reception by signal, noise and interference.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct SinrModel {
    /// A frame is found if it is this much above noise and interference when it begins; default "4dB".
    pub(crate) preamble: Option<Decibels>,
    /// How OFDM is decoded; default "soft".
    pub(crate) decoder: Option<NamedModel<Decoder>>,
}

/// When a station finds the channel taken.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SensingModel {
    /// Each signal that is strong enough to be sensed.
    Signals,
    /// The frame that is being received, and the energy of all signals together.
    Frames(EnergyModel),
}

/// Detection of energy.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct EnergyModel {
    /// Energy from which the channel is taken; default "-62dBm".
    pub(crate) energy: Option<Power>,
}
