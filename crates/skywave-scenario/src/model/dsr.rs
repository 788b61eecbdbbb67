//! The part of the model that describes DSR.

use serde::Deserialize;

use crate::model::number::{Byte, Count};
use crate::model::units::{Duration, Period};

/// Parameters of DSR, by the names of RFC 4728 section 9 where it has them. The defaults are those of the RFC; that
/// of the buffer's packets is ns-2's.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct DsrModel {
    /// Most hops of a request; a source route has at most 63; default 255.
    pub(crate) discovery_hop_limit: Option<Byte>,
    /// Ask the neighbours alone before the whole network; default true.
    pub(crate) ask_neighbours: Option<bool>,
    /// How long the neighbours may take to answer; default "30ms".
    pub(crate) nonprop_request_timeout: Option<Period>,
    /// Wait after the first request to the whole network, doubled after each further one; default "500ms".
    pub(crate) request_period: Option<Period>,
    /// The longest such wait; default "10s".
    pub(crate) max_request_period: Option<Period>,
    /// Requests to the whole network after a first one; default 16.
    pub(crate) max_request_rexmt: Option<Byte>,
    /// How long an unused route is kept; default "300s".
    pub(crate) route_cache_timeout: Option<Period>,
    /// Stations answer requests from their caches; default true.
    pub(crate) cached_replies: Option<bool>,
    /// A station that cannot send a packet on uses another route for it; default false.
    pub(crate) salvage: Option<bool>,
    /// All that the MAC holds for a neighbour that does not answer is dropped or salvaged; default true.
    pub(crate) drop_queued: Option<bool>,
    /// A frame that the MAC gives up breaks the route only if it is the second one for the same neighbour within this
    /// time: docs/mechanisms/route-error-damping.md; default none.
    pub(crate) error_damping: Option<Period>,
    /// Packets that may wait for routes; default 64.
    pub(crate) buffer_packets: Option<Count>,
    /// How long a packet may wait for a route; default "30s".
    pub(crate) buffer_time: Option<Period>,
    /// Broadcasts wait for a random time up to this; default "10ms".
    pub(crate) jitter: Option<Duration>,
}
