//! The parameters of DSDV.

use crate::routing::ConfigError;
use crate::time::Duration;

/// The parameters of DSDV, the same at all stations. The paper gives few numbers; where it gives none, the defaults
/// are those of ns-2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Time between a station's full updates. They come up to a quarter of it earlier, at random, unless `jitter` is 0.
    pub update_interval: Duration,
    /// Least time between two updates of a station, unless the later one is a full one.
    pub trigger_gap: Duration,
    /// Intervals without an update of a neighbour after which it is gone.
    pub allowed_update_loss: u8,
    /// Mean settling time that a station assumes of a destination before it has measured one: for so long it does not
    /// tell of a route that has changed its length with a new number, as a better one may follow.
    pub settling_time: Duration,
    /// Tell at once of a route with a new number and the old length too, not only with the next full update. Broch
    /// et al. (1998) call this DSDV-SQ.
    pub trigger_on_seq: bool,
    /// Take the link layer's word for a break.
    pub link_feedback: bool,
    /// Whether packets that the MAC still holds for a neighbour that does not answer are dropped;
    /// needs `link_feedback`.
    pub drop_queued: bool,
    /// Datagrams of a station's own that may wait for routes; the oldest is dropped for one more. The paper has no such
    /// buffer (0); ns-2 added one of five.
    pub buffer_packets: usize,
    /// How long a datagram may wait for a route.
    pub buffer_time: Duration,
    /// Updates wait for a random time up to this, so that neighbours that answer the same update do not collide
    /// (RFC 5148).
    pub jitter: Duration,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            update_interval: Duration::from_secs(15),
            trigger_gap: Duration::from_secs(1),
            allowed_update_loss: 3,
            settling_time: Duration::from_secs(6),
            trigger_on_seq: false,
            link_feedback: true,
            drop_queued: true,
            buffer_packets: 5,
            buffer_time: Duration::from_secs(30),
            jitter: Duration::from_millis(10),
        }
    }
}

impl Config {
    /// Finds what DSDV cannot work with.
    pub fn check(&self) -> Result<(), ConfigError> {
        ConfigError::find(
            "dsdv",
            [
                (
                    "update_interval",
                    "longer than 0",
                    !self.update_interval.is_zero(),
                ),
                (
                    "trigger_gap",
                    "longer than 0 and at most update_interval",
                    !self.trigger_gap.is_zero() && self.trigger_gap <= self.update_interval,
                ),
                (
                    "allowed_update_loss",
                    "at least 1",
                    self.allowed_update_loss > 0,
                ),
            ],
        )
    }

    /// The silence after which a neighbour is gone.
    pub fn silence(&self) -> Duration {
        self.update_interval * u64::from(self.allowed_update_loss)
    }
}
