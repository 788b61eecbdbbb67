//! The parameters of RFC 4728 section 9, as far as they are used.

use crate::routing::ConfigError;
use crate::time::Duration;

/// The parameters of DSR, the same at all stations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// `DiscoveryHopLimit`: most hops of a request. Source routes have no more than [`super::MOST_HOPS`] anyway.
    pub discovery_hop_limit: u8,
    /// Ask the neighbours alone before the whole network (section 3.3.3).
    pub ask_neighbours: bool,
    /// `NonpropRequestTimeout`: how long the neighbours may take to answer.
    pub nonprop_request_timeout: Duration,
    /// `RequestPeriod`: how long the first request to the whole network waits for a reply; each further one waits
    /// twice as long.
    pub request_period: Duration,
    /// `MaxRequestPeriod`: the longest such wait.
    pub max_request_period: Duration,
    /// `MaxRequestRexmt`: requests to the whole network after a first one.
    pub max_request_rexmt: u8,
    /// `RouteCacheTimeout`: how long an unused route is kept.
    pub route_cache_timeout: Duration,
    /// Stations answer requests from their caches (section 3.3.2).
    pub cached_replies: bool,
    /// A station that cannot send a packet on uses a route of its own for it (section 3.4.1), if it has one; up to
    /// `MAX_SALVAGE_COUNT`, 15, times a packet.
    pub salvage: bool,
    /// Whether packets that the MAC still holds for a neighbour that does not answer are dropped,
    /// or salvaged, as in ns-2.
    pub drop_queued: bool,
    /// Route-error damping: a frame that the MAC gives up breaks the route only if it has given up one for the same
    /// neighbour within this time before (Francis 2012, section 3.1.5). `None`: each does.
    pub error_damping: Option<Duration>,
    /// Datagrams that may wait for routes; the oldest is dropped for one more. ns-2 has 64.
    pub buffer_packets: usize,
    /// `SendBufferTimeout`: how long a datagram may wait for a route.
    pub buffer_time: Duration,
    /// `BroadcastJitter`: broadcasts wait for a random time up to this.
    pub jitter: Duration,
}

impl Default for Config {
    /// Section 9, without salvaging.
    fn default() -> Self {
        Self {
            discovery_hop_limit: 255,
            ask_neighbours: true,
            nonprop_request_timeout: Duration::from_millis(30),
            request_period: Duration::from_millis(500),
            max_request_period: Duration::from_secs(10),
            max_request_rexmt: 16,
            route_cache_timeout: Duration::from_secs(300),
            cached_replies: true,
            salvage: false,
            drop_queued: true,
            error_damping: None,
            buffer_packets: 64,
            buffer_time: Duration::from_secs(30),
            jitter: Duration::from_millis(10),
        }
    }
}

impl Config {
    /// Finds what DSR cannot work with.
    pub fn check(&self) -> Result<(), ConfigError> {
        ConfigError::find(
            "dsr",
            [
                (
                    "discovery_hop_limit",
                    "at least 1",
                    self.discovery_hop_limit > 0,
                ),
                (
                    "nonprop_request_timeout",
                    "longer than 0",
                    !self.nonprop_request_timeout.is_zero(),
                ),
                (
                    "request_period",
                    "longer than 0",
                    !self.request_period.is_zero(),
                ),
                (
                    "max_request_period",
                    "at least request_period",
                    self.max_request_period >= self.request_period,
                ),
                (
                    "route_cache_timeout",
                    "longer than 0",
                    !self.route_cache_timeout.is_zero(),
                ),
            ],
        )
    }
}
