//! The parameters of RFC 3561 section 10, and what implementations add.

use crate::parameter::{Described, Refusal, parameters};
use crate::routing::config::refuse_unless;
use crate::time::Duration;

parameters! {
    /// The parameters of AODV, the same at all stations. Those that section 10 derives from others are methods.
    // By default it takes the link layer's word for breaks, without Hello and local repair.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Config {
        /// How long an unused route is kept.
        // The RFC asks for 10 s or more where the link layer tells of breaks.
        active_route_timeout: Duration = Duration::from_secs(3), Period;
        /// How long a destination says that a route to it lasts.
        // The default breaks the RFC's own rule, at least 2 `PATH_DISCOVERY_TIME`, which is 11.2 s.
        my_route_timeout: Option<Duration> = None, Period.or("twice `active_route_timeout`");
        /// K of `DELETE_PERIOD`: an invalid route is remembered for K times the longer of `active_route_timeout`
        /// and `hello_interval`.
        delete_factor: u8 = 5, Byte;
        /// Most hops between two stations, and so of a request.
        net_diameter: u8 = 35, Byte;
        /// Time for a hop, with its queue, from which timeouts are computed. A lost request costs 14 times this
        /// after a route of three hops: docs/validation.md#80211-beside-ns-2.
        node_traversal_time: Duration = Duration::from_millis(40), Period;
        /// Most requests with the TTL `net_diameter` for a route; the first request of all does not count.
        rreq_retries: u8 = 2, Byte;
        /// Most requests that a station originates a second.
        // More wait.
        rreq_ratelimit: u32 = 10, Count.up_to(u64::MAX);
        /// Most errors that a station sends a second.
        // More are not sent.
        rerr_ratelimit: u32 = 10, Count.up_to(u64::MAX);
        /// TTL of the first request.
        // `net_diameter` for no expanding ring. With `hello` the RFC asks for 2.
        ttl_start: u8 = 1, Byte;
        /// Growth of the ring that is searched.
        ttl_increment: u8 = 2, Byte;
        /// Largest ring before the whole network is searched.
        // Beyond it, the TTL is `net_diameter`.
        ttl_threshold: u8 = 7, Byte;
        /// Hops added when the wait for a reply is computed.
        timeout_buffer: u8 = 2, Byte;
        /// A station that is part of an active route tells its neighbours of itself.
        // Section 6.9.
        hello: bool = false, Flag;
        /// Time between Hello messages.
        hello_interval: Duration = Duration::from_secs(1), Period;
        /// Hello intervals of silence after which a neighbour is gone.
        allowed_hello_loss: u8 = 2, Byte;
        /// A frame that the MAC gives up breaks the route. Without this, routes outlive it.
        // Section 6.10.
        link_feedback: bool = true, Flag;
        /// A route that breaks or expires has its sequence number raised. ns-3 has false.
        // So nobody who is still on it can answer (section 6.11). Without that routes may loop; with `local_repair` they
        // would as a rule.
        raise_on_break: bool = true, Flag;
        /// Packets that the MAC holds for a neighbour that does not answer are dropped, with `link_feedback`, as in
        /// ns-2. ns-3 has false.
        // Or it waits for a repair. Otherwise it stays there and is tried; each that fails is another break.
        drop_queued: bool = true, Flag;
        /// A frame that the MAC gives up breaks the route only if it is the second one for the same neighbour within
        /// this time: docs/mechanisms/route-error-damping.md.
        // Route-error damping (Francis 2012, section 3.1.5).
        error_damping: Option<Duration> = None, Period.or("none");
        /// Only destinations answer requests.
        // The flag D.
        destination_only: bool = false, Flag;
        /// A station that answers for a destination also tells that one of the originator.
        // The flag G.
        gratuitous_rrep: bool = false, Flag;
        /// Ignore requests from neighbours that a reply could not be sent to.
        // For `BLACKLIST_TIMEOUT` (section 6.8).
        blacklist: bool = true, Flag;
        /// Ask for an acknowledgment of each reply.
        // The flag A, for link layers that do not tell of losses. Who does not answer within `NEXT_HOP_WAIT` is put on
        // the blacklist.
        rrep_ack: bool = false, Flag;
        /// Seek a new route where the old one broke.
        // With `LOCAL_ADD_TTL` and `MAX_REPAIR_TTL` (section 6.12). The RFC leaves it to the station.
        local_repair: bool = false, Flag;
        /// Hops added to the distance when a route is repaired.
        local_add_ttl: u8 = 2, Byte;
        /// Routes to destinations farther away are not repaired.
        max_repair_ttl: Option<u8> = None, Byte.or("0.3 of `net_diameter`");
        /// Packets that may wait for routes.
        // The oldest is dropped for one more. The RFC names no number; 64 and 30 s are ns-2's.
        buffer_packets: usize = 64, Count.up_to(u64::MAX);
        /// How long a packet may wait for a route.
        buffer_time: Duration = Duration::from_secs(30), Period;
        /// Broadcasts wait for a random time up to this.
        // So neighbours that answer the same message do not collide (RFC 5148). 10 ms as in ns-2 and ns-3.
        jitter: Duration = Duration::from_millis(10), Time;
    }
}

impl Described for Config {
    type Config = Self;
    const NAME: &'static str = "aodv";
    const SUMMARY: &'static str = "Ad hoc On-Demand Distance Vector (RFC 3561). Its parameters have the names of section 10 in lower case, and the defaults of the RFC; the buffer and the jitter, which the RFC leaves open, are those of ns-2.";

    fn check(config: &Self) -> Result<(), Refusal> {
        let hello_silence = config.hello_silence();
        let ring = 1..=config.net_diameter;
        refuse_unless(
            "AODV",
            [
                (
                    "local_repair",
                    "false where raise_on_break is",
                    config.raise_on_break || !config.local_repair,
                ),
                (
                    "active_route_timeout",
                    "longer than allowed_hello_loss * hello_interval",
                    !config.hello || config.active_route_timeout > hello_silence,
                ),
                // A Hello takes about as long on the air.
                (
                    "hello_interval",
                    "at least 1ms",
                    !config.hello || config.hello_interval >= Duration::from_millis(1),
                ),
                ("delete_factor", "at least 1", config.delete_factor > 0),
                ("net_diameter", "at least 1", config.net_diameter > 0),
                (
                    "ttl_start",
                    "from 1 to net_diameter",
                    ring.contains(&config.ttl_start),
                ),
                ("ttl_increment", "at least 1", config.ttl_increment > 0),
                (
                    "ttl_threshold",
                    "at most net_diameter",
                    config.ttl_threshold <= config.net_diameter,
                ),
                (
                    "allowed_hello_loss",
                    "at least 1",
                    !config.hello || config.allowed_hello_loss > 0,
                ),
            ],
        )
    }
}

impl Config {
    /// `MY_ROUTE_TIMEOUT`: lifetime of a route that the destination itself states in its replies.
    pub fn my_route_timeout(&self) -> Duration {
        self.my_route_timeout
            .unwrap_or(self.active_route_timeout * 2)
    }

    /// `NET_TRAVERSAL_TIME`: estimate of the time for a route request to cross the network and for its reply to come
    /// back.
    pub fn net_traversal_time(&self) -> Duration {
        self.node_traversal_time * 2 * u64::from(self.net_diameter)
    }

    /// `PATH_DISCOVERY_TIME`: time for which copies of a route request may be under way, and the request is remembered.
    pub fn path_discovery_time(&self) -> Duration {
        self.net_traversal_time() * 2
    }

    /// `RING_TRAVERSAL_TIME`: time for which a station waits for a reply to a route request of this TTL, if that is
    /// below `net_diameter`. (At it the first wait is [`Self::net_traversal_time`], each further one twice as long.)
    pub fn ring_traversal_time(&self, ttl: u8) -> Duration {
        self.node_traversal_time * 2 * (u64::from(ttl) + u64::from(self.timeout_buffer))
    }

    /// `DELETE_PERIOD`: time for which a route is remembered after it has expired or broken.
    pub fn delete_period(&self) -> Duration {
        self.active_route_timeout.max(self.hello_interval) * u64::from(self.delete_factor)
    }

    /// `BLACKLIST_TIMEOUT`: time for which route requests of a neighbour that a reply could not reach are ignored:
    /// [`Self::net_traversal_time`] for each expanding ring of a route discovery and for each of `rreq_retries`
    /// (RFC 3561 section 10).
    pub fn blacklist_timeout(&self) -> Duration {
        let rings = if self.ttl_start < self.net_diameter {
            let span = self.ttl_threshold.saturating_sub(self.ttl_start);
            u64::from(span / self.ttl_increment.max(1)) + 1
        } else {
            0
        };
        self.net_traversal_time() * (rings + u64::from(self.rreq_retries))
    }

    /// `NEXT_HOP_WAIT`: time that a neighbour may take to acknowledge a route reply.
    pub fn next_hop_wait(&self) -> Duration {
        self.node_traversal_time + Duration::from_millis(10)
    }

    /// `MAX_REPAIR_TTL`: most hops from a station to a destination for which it repairs a broken route itself.
    pub fn max_repair_ttl(&self) -> u8 {
        let default = u16::from(self.net_diameter) * 3 / 10;
        self.max_repair_ttl.unwrap_or(default as u8)
    }

    /// `ALLOWED_HELLO_LOSS * HELLO_INTERVAL`: the silence after which a neighbour counts as gone.
    pub fn hello_silence(&self) -> Duration {
        self.hello_interval * u64::from(self.allowed_hello_loss)
    }
}
