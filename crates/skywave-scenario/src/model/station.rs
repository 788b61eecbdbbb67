//! The part of the model that describes the stations of a radio network.

use serde::Deserialize;

use crate::model::member::{ChannelModel, QueueModel};
use crate::model::number::Count;
use crate::model::units::{Distance, Duration, Metres, Rate, Speed};
use crate::model::{JitterModel, OneOrMany};
use crate::read::spanned::Spanned;

/// A station of the radio network.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct StationModel {
    /// Name in paths of `[sweep]` and in plots; default its node, as written.
    pub(crate) name: Option<Spanned<String>>,
    /// Node of the station, which may have links too.
    pub(crate) node: Spanned<String>,
    /// Make this many copies; `#` in the node's name becomes the number of the copy, from 1; default one
    /// station.
    pub(crate) count: Option<Spanned<Count>>,
    /// Where it stands, to the east and to the north. A station has this or `moves`; default none.
    pub(crate) at: Option<Spanned<(Metres, Metres)>>,
    /// Distance of each further copy from the one before; default no distance.
    pub(crate) step: Option<Spanned<(Metres, Metres)>>,
    /// How it moves: a model, or the path of a file of ns-2's setdest, relative to this file, like
    /// "walk.setdest". Its nodes 0, 1, … are the copies 1, 2, …; its commands may stand in any order, as their
    /// times count, as in ns-2; default none.
    pub(crate) moves: Option<Spanned<MovesModel>>,
    /// IP layer: what it does to packets that the station sends into the network, its own and those of others; default
    /// nothing.
    pub(crate) ip: Option<Spanned<IpModel>>,
    /// Losses of frames on the air that it would otherwise receive whole, whoever they are for: data, ACK, RTS and CTS.
    /// The sender's MAC tries again, as after a collision. A model, or a list of models; default none.
    pub(crate) loss: Option<OneOrMany<Spanned<ChannelModel>>>,
}

/// How stations move.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(transform = crate::model::schema::unwrap_kinds))]
pub(crate) enum MovesModel {
    /// A file as ns-2's setdest writes it.
    #[serde(rename = "$scalar")]
    Setdest(String),
    #[serde(rename = "$table")]
    Model(MobilityModel),
}

/// A model of mobility.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct MobilityModel {
    /// Rest, choose a place and a speed at random, go there, and again.
    pub(crate) random_waypoint: RandomWaypointModel,
}

/// Random waypoint mobility.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct RandomWaypointModel {
    /// Far corner of the rectangle that stations move in. The other corner is the origin.
    pub(crate) area: (Distance, Distance),
    /// Least and greatest speed, or the only one.
    pub(crate) speed: Spanned<SpeedsModel>,
    /// Rest before each leg; default "0s".
    pub(crate) pause: Option<Duration>,
}

/// How fast stations go.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(transform = crate::model::schema::unwrap_kinds))]
pub(crate) enum SpeedsModel {
    #[serde(rename = "$scalar")]
    One(Speed),
    #[serde(rename = "$array")]
    Between(Speed, Speed),
}

/// Treatment of packets by an IP layer, with keys of a link.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct IpModel {
    /// How fast packets are handled; default no limit.
    pub(crate) rate: Option<Rate>,
    /// The queue of packets that wait to be handled; default { droptail = "50 packets" }.
    pub(crate) queue: Option<Spanned<QueueModel>>,
    /// How long it takes, the same time for each packet; default "0s".
    pub(crate) delay: Option<Duration>,
    /// A random addition for each packet. Packets keep their order; default "none".
    pub(crate) jitter: Option<Spanned<JitterModel>>,
    /// Losses: a model, or a list of models. There are no directions here; default none.
    pub(crate) loss: Option<OneOrMany<Spanned<ChannelModel>>>,
}
