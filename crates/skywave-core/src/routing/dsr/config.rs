//! The parameters of RFC 4728 section 9, as far as they are used.

use crate::parameter::{Described, Refusal, parameters};
use crate::routing::config::refuse_unless;
use crate::time::Duration;

parameters! {
    /// The parameters of DSR, the same at all stations.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Config {
        /// Most hops of a request; a source route has at most 63.
        discovery_hop_limit: u8 = 255, Byte;
        /// Ask the neighbours alone before the whole network.
        // Section 3.3.3.
        ask_neighbours: bool = true, Flag;
        /// How long the neighbours may take to answer.
        nonprop_request_timeout: Duration = Duration::from_millis(30), Period;
        /// Wait after the first request to the whole network, doubled after each further one.
        request_period: Duration = Duration::from_millis(500), Period;
        /// Longest wait between two requests to the whole network.
        max_request_period: Duration = Duration::from_secs(10), Period;
        /// Requests to the whole network after a first one.
        max_request_rexmt: u8 = 16, Byte;
        /// How long an unused route is kept.
        route_cache_timeout: Duration = Duration::from_secs(300), Period;
        /// Stations answer requests from their caches.
        // Section 3.3.2.
        cached_replies: bool = true, Flag;
        /// A station that cannot send a packet on uses another route for it.
        // One of its own, if it has one; up to `MAX_SALVAGE_COUNT`, 15, times a packet (section 3.4.1).
        salvage: bool = false, Flag;
        /// Packets that the MAC holds for a neighbour that does not answer are dropped or salvaged.
        // As in ns-2.
        drop_queued: bool = true, Flag;
        /// A frame that the MAC gives up breaks the route only if it is the second one for the same neighbour within
        /// this time: docs/mechanisms/route-error-damping.md.
        // Route-error damping (Francis 2012, section 3.1.5).
        error_damping: Option<Duration> = None, Period.or("none");
        /// Packets that may wait for routes.
        // The oldest is dropped for one more. ns-2 has 64.
        buffer_packets: usize = 64, Count.up_to(u64::MAX);
        /// How long a packet may wait for a route.
        // `SendBufferTimeout`.
        buffer_time: Duration = Duration::from_secs(30), Period;
        /// Broadcasts wait for a random time up to this.
        // `BroadcastJitter`.
        jitter: Duration = Duration::from_millis(10), Time;
    }
}

impl Described for Config {
    type Config = Self;
    const NAME: &'static str = "dsr";
    const SUMMARY: &'static str = "Dynamic Source Routing (RFC 4728): docs/mechanisms/dsr.md. Its parameters have the names and the defaults of section 9 where that has them; the default of `buffer_packets` is that of ns-2.";

    fn check(config: &Self) -> Result<(), Refusal> {
        refuse_unless(
            "DSR",
            [
                (
                    "discovery_hop_limit",
                    "at least 1",
                    config.discovery_hop_limit > 0,
                ),
                (
                    "max_request_period",
                    "at least request_period",
                    config.max_request_period >= config.request_period,
                ),
            ],
        )
    }
}
