//! The parameters of RFC 3561 section 10, and what implementations add.

use crate::routing::ConfigError;
use crate::time::Duration;

/// The parameters of AODV, the same at all stations. Those that section 10 derives from others are
/// methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// `ACTIVE_ROUTE_TIMEOUT`: how long an unused route is kept. The RFC asks for 10 s or more where
    /// the link layer tells of breaks.
    pub active_route_timeout: Duration,
    /// `MY_ROUTE_TIMEOUT`: lifetime that a destination grants; `None` for twice
    /// `active_route_timeout`. (That default breaks the RFC's own rule, at least 2
    /// `PATH_DISCOVERY_TIME`, which is 11.2 s.)
    pub my_route_timeout: Option<Duration>,
    /// K of `DELETE_PERIOD`: an invalid route is remembered for K times the longer of
    /// `active_route_timeout` and `hello_interval`.
    pub delete_factor: u8,
    /// `NET_DIAMETER`: most hops between two stations.
    pub net_diameter: u8,
    /// `NODE_TRAVERSAL_TIME`: a hop, with its queue, estimated with caution.
    pub node_traversal_time: Duration,
    /// `RREQ_RETRIES`: requests at the largest TTL after a first one.
    pub rreq_retries: u8,
    /// `RREQ_RATELIMIT`: requests that a station originates a second; more wait.
    pub rreq_ratelimit: u32,
    /// `RERR_RATELIMIT`: errors that a station sends a second; more are not sent.
    pub rerr_ratelimit: u32,
    /// `TTL_START`: TTL of the first request; `net_diameter` for no expanding ring. With `hello` the
    /// RFC asks for 2.
    pub ttl_start: u8,
    /// `TTL_INCREMENT`: by how much the ring grows.
    pub ttl_increment: u8,
    /// `TTL_THRESHOLD`: the largest ring; beyond it, the TTL is `net_diameter`.
    pub ttl_threshold: u8,
    /// `TIMEOUT_BUFFER`: hops added to a ring when the wait for its reply is computed.
    pub timeout_buffer: u8,
    /// Tell of oneself while part of an active route (section 6.9).
    pub hello: bool,
    /// `HELLO_INTERVAL`.
    pub hello_interval: Duration,
    /// `ALLOWED_HELLO_LOSS`: intervals of silence after which a neighbour is gone.
    pub allowed_hello_loss: u8,
    /// Take the link layer's word for a break (section 6.10).
    pub link_feedback: bool,
    /// A route that breaks or expires has its number raised (section 6.11), so that nobody who is still on it
    /// can answer. Without that (as in ns-3) routes may loop; with `local_repair` they would as a rule.
    pub raise_on_break: bool,
    /// Whether packets that the MAC still holds for a neighbour that does not answer are dropped
    /// (or wait for a repair), as in ns-2; needs `link_feedback`. Otherwise, as in ns-3, they stay
    /// there and are tried; each that fails is another break.
    pub drop_queued: bool,
    /// Route-error damping: a frame that the MAC gives up breaks the route only if it has given up one for the same
    /// neighbour within this time before (Francis 2012, section 3.1.5). `None`: each does.
    pub error_damping: Option<Duration>,
    /// D: only destinations answer requests.
    pub destination_only: bool,
    /// G: a station that answers for a destination tells it of the originator too.
    pub gratuitous_rrep: bool,
    /// Ignore requests from neighbours that a reply could not be sent to (section 6.8), for
    /// `BLACKLIST_TIMEOUT`.
    pub blacklist: bool,
    /// A: ask for an acknowledgment of each reply, for link layers that do not tell of losses. Who
    /// does not answer within `NEXT_HOP_WAIT` is put on the blacklist.
    pub rrep_ack: bool,
    /// Seek a new route where the old one broke (section 6.12), with `LOCAL_ADD_TTL` and
    /// `MAX_REPAIR_TTL`. The RFC leaves it to the station.
    pub local_repair: bool,
    /// `LOCAL_ADD_TTL`: hops added to the distance when a route is repaired.
    pub local_add_ttl: u8,
    /// `MAX_REPAIR_TTL`: routes to destinations farther away are not repaired; `None` for 0.3
    /// `net_diameter`.
    pub max_repair_ttl: Option<u8>,
    /// Datagrams that may wait for routes; the oldest is dropped for one more. The RFC names no
    /// number; 64 and 30 s are ns-2's.
    pub buffer_packets: usize,
    /// How long a datagram may wait for a route.
    pub buffer_time: Duration,
    /// Broadcasts wait for a random time up to this, so that neighbours that answer the same message
    /// do not collide (RFC 5148). 10 ms as in ns-2 and ns-3.
    pub jitter: Duration,
}

impl Default for Config {
    /// Section 10, with the link layer's word for breaks, no Hello and no local repair.
    fn default() -> Self {
        Self {
            active_route_timeout: Duration::from_secs(3),
            my_route_timeout: None,
            delete_factor: 5,
            net_diameter: 35,
            node_traversal_time: Duration::from_millis(40),
            rreq_retries: 2,
            rreq_ratelimit: 10,
            rerr_ratelimit: 10,
            ttl_start: 1,
            ttl_increment: 2,
            ttl_threshold: 7,
            timeout_buffer: 2,
            hello: false,
            hello_interval: Duration::from_secs(1),
            allowed_hello_loss: 2,
            link_feedback: true,
            raise_on_break: true,
            drop_queued: true,
            error_damping: None,
            destination_only: false,
            gratuitous_rrep: false,
            blacklist: true,
            rrep_ack: false,
            local_repair: false,
            local_add_ttl: 2,
            max_repair_ttl: None,
            buffer_packets: 64,
            buffer_time: Duration::from_secs(30),
            jitter: Duration::from_millis(10),
        }
    }
}

impl Config {
    /// Finds what AODV cannot work with.
    pub fn check(&self) -> Result<(), ConfigError> {
        let hello_silence = self.hello_silence();
        let rules = [
            (
                "local_repair",
                "false where raise_on_break is",
                self.raise_on_break || !self.local_repair,
            ),
            (
                "active_route_timeout",
                "longer than 0",
                !self.active_route_timeout.is_zero(),
            ),
            (
                "active_route_timeout",
                "longer than allowed_hello_loss * hello_interval",
                !self.hello || self.active_route_timeout > hello_silence,
            ),
            ("delete_factor", "at least 1", self.delete_factor > 0),
            ("net_diameter", "at least 1", self.net_diameter > 0),
            (
                "node_traversal_time",
                "longer than 0",
                !self.node_traversal_time.is_zero(),
            ),
            ("rreq_ratelimit", "at least 1", self.rreq_ratelimit > 0),
            (
                "ttl_start",
                "from 1 to net_diameter",
                (1..=self.net_diameter).contains(&self.ttl_start),
            ),
            ("ttl_increment", "at least 1", self.ttl_increment > 0),
            (
                "ttl_threshold",
                "at most net_diameter",
                self.ttl_threshold <= self.net_diameter,
            ),
            (
                "hello_interval",
                "longer than 0",
                !self.hello || !self.hello_interval.is_zero(),
            ),
            (
                "allowed_hello_loss",
                "at least 1",
                !self.hello || self.allowed_hello_loss > 0,
            ),
        ];
        ConfigError::find("aodv", rules)
    }

    /// `MY_ROUTE_TIMEOUT`.
    pub fn my_route_timeout(&self) -> Duration {
        self.my_route_timeout
            .unwrap_or(self.active_route_timeout * 2)
    }

    /// `NET_TRAVERSAL_TIME`.
    pub fn net_traversal_time(&self) -> Duration {
        self.node_traversal_time * 2 * u64::from(self.net_diameter)
    }

    /// `PATH_DISCOVERY_TIME`: how long a request may be under way, and is remembered.
    pub fn path_discovery_time(&self) -> Duration {
        self.net_traversal_time() * 2
    }

    /// `RING_TRAVERSAL_TIME` of a request of this TTL.
    pub fn ring_traversal_time(&self, ttl: u8) -> Duration {
        self.node_traversal_time * 2 * (u64::from(ttl) + u64::from(self.timeout_buffer))
    }

    /// `DELETE_PERIOD`.
    pub fn delete_period(&self) -> Duration {
        self.active_route_timeout.max(self.hello_interval) * u64::from(self.delete_factor)
    }

    /// `BLACKLIST_TIMEOUT`: as long as the attempts of one discovery may take, rings included.
    pub fn blacklist_timeout(&self) -> Duration {
        let rings = if self.ttl_start < self.net_diameter {
            let span = self.ttl_threshold.saturating_sub(self.ttl_start);
            u64::from(span / self.ttl_increment.max(1)) + 1
        } else {
            0
        };
        self.net_traversal_time() * (rings + u64::from(self.rreq_retries))
    }

    /// `NEXT_HOP_WAIT`: how long a neighbour may take to answer.
    pub fn next_hop_wait(&self) -> Duration {
        self.node_traversal_time + Duration::from_millis(10)
    }

    /// `MAX_REPAIR_TTL`.
    pub fn max_repair_ttl(&self) -> u8 {
        let default = u16::from(self.net_diameter) * 3 / 10;
        self.max_repair_ttl.unwrap_or(default as u8)
    }

    /// `ALLOWED_HELLO_LOSS * HELLO_INTERVAL`: the silence after which a neighbour is gone.
    pub fn hello_silence(&self) -> Duration {
        self.hello_interval * u64::from(self.allowed_hello_loss)
    }
}
