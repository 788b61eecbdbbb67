//! The part of the model that describes the stations of a radio network.

use serde::Deserialize;

use crate::model::number::Count;
use crate::model::units::{Distance, Duration, Metres, Rate, Speed};
use crate::model::{ChannelModel, JitterModel, OneOrMany, QueueModel};
use crate::read::spanned::Spanned;

/// A station of the radio network.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct StationModel {
    /// Name in paths of `[sweep]` and in plots; default its node.
    pub(crate) name: Option<Spanned<String>>,
    /// Its node, which comes into being here unless a link has it.
    pub(crate) node: Spanned<String>,
    /// Make this many copies; `#` in the node's name is the copy's number.
    pub(crate) count: Option<Spanned<Count>>,
    /// Where it stands: metres to the east and to the north.
    pub(crate) at: Option<Spanned<(Metres, Metres)>>,
    /// Each further copy stands so much on.
    pub(crate) step: Option<Spanned<(Metres, Metres)>>,
    /// How it moves: the path of a setdest file, relative to this one, or a model.
    pub(crate) moves: Option<Spanned<MovesModel>>,
    /// What its IP layer does to packets that it sends into the network, its own and others'.
    pub(crate) ip: Option<Spanned<IpModel>>,
}

/// How stations move.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(transform = crate::model::schema::unwrap_kinds))]
pub(crate) enum MovesModel {
    /// A file as ns-2's setdest writes it: its nodes 0, 1, … are the copies 1, 2, …
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
    /// Rest, choose a place and a speed, go there.
    pub(crate) random_waypoint: RandomWaypointModel,
}

/// Random waypoint mobility.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct RandomWaypointModel {
    /// The area's far corner; the other one is the origin.
    pub(crate) area: (Distance, Distance),
    /// Least and greatest speed; or the only one.
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

/// What an IP layer does.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct IpModel {
    /// How fast packets are handled; default without limit.
    pub(crate) rate: Option<Rate>,
    /// Packets that wait to be handled; default 50.
    pub(crate) queue: Option<Spanned<QueueModel>>,
    /// How long it takes; default "0s".
    pub(crate) delay: Option<Duration>,
    /// A random time more, or "none"; keeps order.
    pub(crate) jitter: Option<Spanned<JitterModel>>,
    /// Losses.
    pub(crate) loss: Option<OneOrMany<ChannelModel>>,
}
