//! The part of the model that describes DSDV.

use serde::Deserialize;

use crate::model::number::{Byte, Count};
use crate::model::units::{Duration, Period};

/// Parameters of DSDV. Where the paper gives no number, the defaults are those of ns-2.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct DsdvModel {
    /// Time between a station's full updates, up to a quarter of it less at random; default "15s".
    pub(crate) update_interval: Option<Period>,
    /// Least time from an update of a station to one of what has changed since; default "1s".
    pub(crate) trigger_gap: Option<Period>,
    /// Intervals without an update of a neighbour after which it is gone; default 3.
    pub(crate) allowed_update_loss: Option<Byte>,
    /// Mean settling time of a route before one was measured; default "6s".
    pub(crate) settling_time: Option<Duration>,
    /// Tell at once of a route with a new number and the old length too; default false.
    pub(crate) trigger_on_seq: Option<bool>,
    /// A frame that the MAC gives up breaks the route; default true.
    pub(crate) link_feedback: Option<bool>,
    /// With `link_feedback`, all that the MAC holds for a neighbour that does not answer is dropped; default true.
    pub(crate) drop_queued: Option<bool>,
    /// Packets of a station's own that may wait for routes; default 5.
    pub(crate) buffer_packets: Option<Count>,
    /// How long a packet may wait for a route; default "30s".
    pub(crate) buffer_time: Option<Period>,
    /// Updates wait for a random time up to this; with "0s" full ones come exactly at their interval; default
    /// "10ms".
    pub(crate) jitter: Option<Duration>,
}
