//! The part of the model that describes AODV, by the names of RFC 3561 section 10.

use serde::Deserialize;

use crate::model::number::{Byte, Count};
use crate::model::units::{Duration, Period};

/// AODV's parameters; the defaults are those of RFC 3561.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct AodvModel {
    /// How long an unused route is kept; default "3s".
    pub(crate) active_route_timeout: Option<Period>,
    /// What a destination grants; default twice that.
    pub(crate) my_route_timeout: Option<Period>,
    /// K of `DELETE_PERIOD`; default 5.
    pub(crate) delete_factor: Option<Byte>,
    /// Most hops between two stations; default 35.
    pub(crate) net_diameter: Option<Byte>,
    /// A hop, with its queue; default "40ms".
    pub(crate) node_traversal_time: Option<Period>,
    /// Requests at the largest TTL after a first one; default 2.
    pub(crate) rreq_retries: Option<Byte>,
    /// Most requests that a station originates a second; default 10.
    pub(crate) rreq_ratelimit: Option<Count>,
    /// Most errors that a station sends a second; default 10.
    pub(crate) rerr_ratelimit: Option<Count>,
    /// TTL of the first request; default 1.
    pub(crate) ttl_start: Option<Byte>,
    /// By how much the ring grows; default 2.
    pub(crate) ttl_increment: Option<Byte>,
    /// The largest ring before the whole network; default 7.
    pub(crate) ttl_threshold: Option<Byte>,
    /// Hops added when the wait for a reply is computed; default 2.
    pub(crate) timeout_buffer: Option<Byte>,
    /// Tell of oneself while part of an active route; default false.
    pub(crate) hello: Option<bool>,
    /// How often; default "1s".
    pub(crate) hello_interval: Option<Period>,
    /// Intervals of silence after which a neighbour is gone; default 2.
    pub(crate) allowed_hello_loss: Option<Byte>,
    /// Take the MAC's word for a break; default true.
    pub(crate) link_feedback: Option<bool>,
    /// A route that breaks or expires has its number raised; default true (ns-3: false).
    pub(crate) raise_on_break: Option<bool>,
    /// What the MAC still holds for a neighbour that does not answer is dropped; default true (ns-3: false).
    pub(crate) drop_queued: Option<bool>,
    /// Only destinations answer requests; default false.
    pub(crate) destination_only: Option<bool>,
    /// Who answers for a destination tells it of the originator too; default false.
    pub(crate) gratuitous_rrep: Option<bool>,
    /// Ignore requests from neighbours that a reply could not be sent to; default true.
    pub(crate) blacklist: Option<bool>,
    /// Ask for an acknowledgment of each reply; default false.
    pub(crate) rrep_ack: Option<bool>,
    /// Seek a new route where the old one broke; default false.
    pub(crate) local_repair: Option<bool>,
    /// Hops added to the distance when a route is repaired; default 2.
    pub(crate) local_add_ttl: Option<Byte>,
    /// Routes to destinations farther away are not repaired; default 0.3 of `net_diameter`.
    pub(crate) max_repair_ttl: Option<Byte>,
    /// Packets that may wait for routes; default 64.
    pub(crate) buffer_packets: Option<Count>,
    /// How long one may wait; default "30s".
    pub(crate) buffer_time: Option<Period>,
    /// Broadcasts wait for a random time up to this; default "10ms".
    pub(crate) jitter: Option<Duration>,
}
