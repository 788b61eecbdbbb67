//! How long few segments stay in flight, to show the round trip without a queue.

use crate::time::{Duration, Time};

/// Least time with few segments in flight (ProbeRTTDuration).
const DWELL: Duration = Duration::from_millis(200);

/// Few segments are in flight, for 200 ms and a round trip (draft-cardwell-iccrg-bbr-00 section 4.3.5;
/// draft-ietf-ccwg-bbr, "ProbeRTT Logic").
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Dwell {
    until: Time,
    /// A round trip has passed.
    round: bool,
}

impl Dwell {
    pub(crate) fn begin(now: Time) -> Self {
        Self {
            until: now + DWELL,
            round: false,
        }
    }

    /// An ACK came; `round`: a round trip is over.
    pub(crate) fn on_ack(&mut self, round: bool) {
        self.round |= round;
    }

    pub(crate) fn has_lasted_a_round(self) -> bool {
        self.round
    }

    /// The time is over.
    pub(crate) fn has_passed(self, now: Time) -> bool {
        now > self.until
    }
}
