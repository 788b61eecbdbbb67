//! The part of the model that describes AODV, by the names of RFC 3561 section 10.

use serde::Deserialize;

use crate::model::number::{Byte, Count};
use crate::model::units::{Duration, Period};

/// Parameters of AODV, by the names of RFC 3561 section 10 in lower case. The defaults are those of the RFC;
/// the buffer and the jitter, which the RFC leaves open, are those of ns-2.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct AodvModel {
    /// How long an unused route is kept; default "3s".
    pub(crate) active_route_timeout: Option<Period>,
    /// How long a destination says that a route to it lasts; default twice `active_route_timeout`.
    pub(crate) my_route_timeout: Option<Period>,
    /// K of `DELETE_PERIOD`: an invalid route is remembered for K times the longer of `active_route_timeout`
    /// and `hello_interval`; default 5.
    pub(crate) delete_factor: Option<Byte>,
    /// Most hops between two stations, and so of a request; default 35.
    pub(crate) net_diameter: Option<Byte>,
    /// Time for a hop, with its queue, from which timeouts are computed. A lost request costs 14 times this
    /// after a route of three hops: docs/validation.md#80211-beside-ns-2; default "40ms".
    pub(crate) node_traversal_time: Option<Period>,
    /// Requests at the largest TTL after a first one; default 2.
    pub(crate) rreq_retries: Option<Byte>,
    /// Most requests that a station originates a second; default 10.
    pub(crate) rreq_ratelimit: Option<Count>,
    /// Most errors that a station sends a second; default 10.
    pub(crate) rerr_ratelimit: Option<Count>,
    /// TTL of the first request; default 1.
    pub(crate) ttl_start: Option<Byte>,
    /// Growth of the ring that is searched; default 2.
    pub(crate) ttl_increment: Option<Byte>,
    /// Largest ring before the whole network is searched; default 7.
    pub(crate) ttl_threshold: Option<Byte>,
    /// Hops added when the wait for a reply is computed; default 2.
    pub(crate) timeout_buffer: Option<Byte>,
    /// A station that is part of an active route tells its neighbours of itself; default false.
    pub(crate) hello: Option<bool>,
    /// Time between these messages; default "1s".
    pub(crate) hello_interval: Option<Period>,
    /// Intervals of silence after which a neighbour is gone; default 2.
    pub(crate) allowed_hello_loss: Option<Byte>,
    /// A frame that the MAC gives up breaks the route. Without this, routes outlive it; default true.
    pub(crate) link_feedback: Option<bool>,
    /// A route that breaks or expires has its sequence number raised. ns-3 has false; default true.
    pub(crate) raise_on_break: Option<bool>,
    /// With `link_feedback`, all that the MAC holds for a neighbour that does not answer is dropped, as in
    /// ns-2. ns-3 has false; default true.
    pub(crate) drop_queued: Option<bool>,
    /// A frame that the MAC gives up breaks the route only if it is the second one for the same neighbour within this
    /// time: docs/mechanisms/route-error-damping.md; default none.
    pub(crate) error_damping: Option<Period>,
    /// Only destinations answer requests; default false.
    pub(crate) destination_only: Option<bool>,
    /// A station that answers for a destination also tells that one of the originator; default false.
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
    /// How long a packet may wait for a route; default "30s".
    pub(crate) buffer_time: Option<Period>,
    /// Broadcasts wait for a random time up to this; default "10ms".
    pub(crate) jitter: Option<Duration>,
}
