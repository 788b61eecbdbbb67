//! The parameters of DSDV.

use crate::parameter::{Described, Refusal, parameters};
use crate::routing::config::refuse_unless;
use crate::time::Duration;

parameters! {
    /// The parameters of DSDV, the same at all stations.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Config {
        /// Time between a station's full updates, up to a quarter of it less at random.
        update_interval: Duration = Duration::from_secs(15), Period;
        /// Least time from an update of a station to one of what has changed since.
        trigger_gap: Duration = Duration::from_secs(1), Period;
        /// Number of `update_interval`s without an update of a neighbour, after which a station takes it for gone, at its
        /// next full update.
        allowed_update_loss: u8 = 3, Byte;
        /// Mean settling time of a route before one was measured.
        // For so long a station does not tell of a route that has changed its length with a new number, as a better one
        // may follow.
        settling_time: Duration = Duration::from_secs(6), Time;
        /// Tell at once of a route with a new number and the old length too.
        // Not only with the next full update. Broch et al. (1998) call this DSDV-SQ.
        trigger_on_seq: bool = false, Flag;
        /// A frame that the MAC gives up breaks the route.
        link_feedback: bool = true, Flag;
        /// Packets that the MAC holds for a neighbour that does not answer are dropped, with `link_feedback`.
        drop_queued: bool = true, Flag;
        /// Packets of a station's own that may wait for routes.
        // The oldest is dropped for one more. The paper has no such buffer (0); ns-2 added one of five.
        buffer_packets: usize = 5, Count.up_to(u64::MAX);
        /// How long a packet may wait for a route.
        buffer_time: Duration = Duration::from_secs(30), Period;
        /// Updates wait for a random time up to this; with "0s" full ones come exactly at their interval.
        // So neighbours that answer the same update do not collide (RFC 5148).
        jitter: Duration = Duration::from_millis(10), Time;
    }
}

impl Described for Config {
    type Config = Self;
    const NAME: &'static str = "dsdv";
    const SUMMARY: &'static str = "Destination-Sequenced Distance Vector (Perkins and Bhagwat 1994): docs/mechanisms/dsdv.md. Where the paper gives no number, the defaults are those of ns-2.";

    fn check(config: &Self) -> Result<(), Refusal> {
        refuse_unless(
            "DSDV",
            [
                (
                    "trigger_gap",
                    "longer than 0 and at most update_interval",
                    config.trigger_gap <= config.update_interval,
                ),
                // An update takes about as long on the air.
                (
                    "update_interval",
                    "at least 1ms",
                    config.update_interval >= Duration::from_millis(1),
                ),
                (
                    "allowed_update_loss",
                    "at least 1",
                    config.allowed_update_loss > 0,
                ),
            ],
        )
    }
}

impl Config {
    /// Time without an update after which a neighbour counts as gone, from the station's next full update on.
    pub fn silence(&self) -> Duration {
        self.update_interval * u64::from(self.allowed_update_loss)
    }
}
