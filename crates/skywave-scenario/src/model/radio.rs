//! The part of the model that describes a radio network: its radios, its MAC and its routing.

use serde::Deserialize;

use crate::model::aodv::AodvModel;
use crate::model::number::{Count, Positive};
use crate::model::units::{
    Bytes, Decibels, Distance, Duration, Limit, Margin, Period, Power, Rate, RtsThreshold,
};
use crate::read::spanned::Spanned;

/// A radio network: stations that share a channel.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct RadioModel {
    /// "802.11b" or "802.11g".
    pub(crate) standard: StandardModel,
    /// Rate of unicast data frames, one of the standard's; default "11Mbps" or "24Mbps".
    pub(crate) rate: Option<Spanned<Rate>>,
    /// Rate of RTS and CTS; default the standard's lowest.
    pub(crate) control_rate: Option<Spanned<Rate>>,
    /// Rate of ACKs; default that of RTS and CTS. (ns-3's stations, and real ones, take the fastest basic rate that is
    /// not above the data's.)
    pub(crate) ack_rate: Option<Spanned<Rate>>,
    /// Rate of the ACK that stations leave time for after a frame that they did not understand (EIFS); default the
    /// standard's lowest (ns-3: "1Mbps").
    pub(crate) eifs_rate: Option<Spanned<Rate>>,
    /// Rate of broadcast frames; default the standard's lowest.
    pub(crate) broadcast_rate: Option<Spanned<Rate>>,
    /// A slot of the backoff: "20us", or in 802.11g alone "9us"; default "20us".
    pub(crate) slot: Option<Spanned<Period>>,
    /// A signal is noticed this long after it has begun; default "15us" with slots of 20 µs, "4us" with 9.
    pub(crate) cca: Option<Spanned<Duration>>,
    /// Preamble of 802.11b's frames: "long" (default) or "short".
    pub(crate) preamble: Option<Spanned<PreambleModel>>,
    /// The first contention window in slots; default 31 in 802.11b, 15 in 802.11g.
    pub(crate) cw_min: Option<Spanned<Count>>,
    /// The largest contention window; default 1023.
    pub(crate) cw_max: Option<Spanned<Count>>,
    /// Which unicast frames RTS and CTS go before: "always", "never" (default), or those longer than so
    /// many bytes.
    pub(crate) rts: Option<RtsModel>,
    /// A station that hears an RTS and then nothing is free again when data would have begun; default true (ns-2:
    /// false).
    pub(crate) nav_reset: Option<bool>,
    /// A packet that found the channel idle needs no backoff even if the channel is taken before it is sent; default
    /// false (ns-3: true).
    pub(crate) keep_access: Option<bool>,
    /// How often frames are sent before they are given up.
    pub(crate) retries: Option<RetriesModel>,
    /// Room for packets that wait in the MAC; default "256kB".
    pub(crate) queue: Option<Limit>,
    /// How signals weaken with distance: "ns2" (default), "ns3", or ranges or a model.
    pub(crate) propagation: Option<Spanned<PropagationModel>>,
    /// How frames that meet get along; the default follows `propagation`.
    pub(crate) reception: Option<ReceptionModel>,
    /// What makes a station find the channel taken; default "signals".
    pub(crate) sensing: Option<SensingModel>,
    /// How stations find their ways: "aodv" (default), its settings, or "static".
    pub(crate) routing: Option<Spanned<RoutingModel>>,
    /// Record what every station does from one time to another.
    pub(crate) timeline: Option<Spanned<(Duration, Duration)>>,
}

/// A standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) enum StandardModel {
    /// 802.11b: DSSS and CCK.
    #[serde(rename = "802.11b")]
    B,
    /// 802.11g: ERP-OFDM.
    #[serde(rename = "802.11g")]
    G,
}

/// The preamble of 802.11b's frames.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum PreambleModel {
    /// 192 µs with its header.
    Long,
    /// 96 µs.
    Short,
}

/// Which unicast frames RTS and CTS go before.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", schemars(transform = crate::model::schema::unwrap_kinds))]
pub(crate) enum RtsModel {
    /// All.
    Always,
    /// None.
    Never,
    /// Longer ones.
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
    /// Longer frames, MAC header included, are long ones; default the threshold of `rts`, as in the
    /// standard.
    pub(crate) long_above: Option<Bytes>,
}

/// How signals weaken with distance, and what they are good for.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", schemars(transform = crate::model::schema::allow_names))]
pub(crate) enum PropagationModel {
    /// The radios of ns-2: two-ray ground, 250 m of reception, 550 m of carrier sense, capture at 10 dB.
    Ns2,
    /// The radios of ns-3: log-distance loss, bit errors by signal, noise and interference.
    Ns3,
    /// Fixed distances.
    Ranges(RangesModel),
    /// Two-ray ground with limits of power; the defaults are those of "ns2".
    TwoRay(TwoRayModel),
    /// Log-distance loss with limits of power; the defaults are those of "ns3".
    LogDistance(LogDistanceModel),
}

/// Fixed distances.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct RangesModel {
    /// Within which a frame can be received.
    pub(crate) reception: Distance,
    /// Within which it keeps the channel busy; default `reception`.
    pub(crate) sensing: Option<Distance>,
    /// Within which it disturbs other frames; default `sensing`.
    pub(crate) interference: Option<Distance>,
}

/// Two-ray ground.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct TwoRayModel {
    /// Length of the wave; default "0.328m", 914 MHz.
    pub(crate) wavelength: Option<Distance>,
    /// Both antennas above the ground; default "1.5m".
    pub(crate) height: Option<Distance>,
    /// Transmitted power and limits of what is received.
    #[serde(default)]
    pub(crate) power: PowerModel,
}

/// Log-distance loss.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct LogDistanceModel {
    /// The power of distance; default 3.
    pub(crate) exponent: Option<Positive>,
    /// The distance at which the loss is known; default "1m".
    pub(crate) reference: Option<Distance>,
    /// The loss there; default "46.6777dB".
    pub(crate) loss: Option<Decibels>,
    /// Transmitted power and limits of what is received.
    #[serde(default)]
    pub(crate) power: PowerModel,
}

/// Transmitted power and limits of what is received.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct PowerModel {
    /// Transmitted, gains of antennas included.
    pub(crate) transmitted: Option<Power>,
    /// Least for a frame to be received.
    pub(crate) reception: Option<Power>,
    /// Least to keep the channel busy.
    pub(crate) sensing: Option<Power>,
    /// Least to disturb other frames.
    pub(crate) interference: Option<Power>,
    /// Noise at receivers; default none with `two_ray`, "-94dBm" with `log_distance`.
    pub(crate) noise: Option<Power>,
}

/// How frames that meet get along.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", schemars(transform = crate::model::schema::allow_names))]
pub(crate) enum ReceptionModel {
    /// They are all lost.
    Collision,
    /// The first one is received if it is so much stronger than each other one.
    Capture(Margin),
    /// Bits are lost at random by signal, noise and interference.
    Sinr(SinrModel),
}

/// Reception by signal, noise and interference.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct SinrModel {
    /// A frame is found if it is so much above noise and interference when it begins; default "4dB".
    pub(crate) preamble: Option<Decibels>,
    /// How OFDM is decoded: "soft" (default) or "hard".
    pub(crate) decoder: Option<DecoderModel>,
}

/// What the decoder of OFDM's code is given.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum DecoderModel {
    /// How sure the demodulator is of each bit.
    Soft,
    /// Bits: ns-3's model of NIST.
    Hard,
}

/// What makes a station find the channel taken.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", schemars(transform = crate::model::schema::allow_names))]
pub(crate) enum SensingModel {
    /// Every signal that is strong enough to be sensed.
    Signals,
    /// The frame that it receives, and the energy of all signals together.
    Frames(EnergyModel),
}

/// Detection of energy.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct EnergyModel {
    /// From here on the channel is taken; default "-62dBm".
    pub(crate) energy: Option<Power>,
}

/// How stations find their ways.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", schemars(transform = crate::model::schema::allow_names))]
pub(crate) enum RoutingModel {
    /// Fewest hops between the stations as they are at the start.
    Static,
    /// Ad hoc On-Demand Distance Vector (RFC 3561).
    Aodv(Box<AodvModel>),
}
