//! How long an agent waits for an answer, by the round trip of its own part of the path.

use crate::time::Duration;

/// Timeout after which an agent on the path sends again a segment or a request that had no answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalTimeout {
    /// Timeout as a multiple of the smoothed round-trip time between the agent and whoever answers it (for
    /// Snoop, the mobile host).
    pub rtts: f64,
    /// Least timeout; below 1 ms it counts as 1 ms.
    pub min: Duration,
}

impl Default for LocalTimeout {
    /// The timeout of Snoop's authors: twice the smoothed round trip, and at least 200 ms.
    fn default() -> Self {
        Self {
            rtts: 2.0,
            min: Duration::from_millis(200),
        }
    }
}

/// Shortest timeout of all: a repair a nanosecond would only flood the link.
const FLOOR: Duration = Duration::from_millis(1);

/// Most doublings: a segment a minute or so must not fill the queue of a link that is gone.
const MAX_DOUBLINGS: u32 = 6;

impl LocalTimeout {
    /// The time with this smoothed round trip, after `doublings` attempts without an answer.
    pub(super) fn wait(&self, srtt: Duration, doublings: u32) -> Duration {
        let rtts = srtt.mul_f64(self.rtts);
        rtts.max(self.min).max(FLOOR) * (1 << doublings.min(MAX_DOUBLINGS))
    }
}

/// Takes a sample of the round trip into the smoothed one, as RFC 6298 does.
pub(super) fn smooth(srtt: &mut Option<Duration>, rtt: Duration) {
    *srtt = Some(srtt.map_or(rtt, |srtt| (srtt * 7 + rtt) / 8));
}
