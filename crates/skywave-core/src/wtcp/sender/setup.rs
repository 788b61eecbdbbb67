//! Connection set-up by packet pairs (section 3.1, item 6): two full packets back to back, again
//! after a while until the receiver answers.

use crate::time::{Duration, Time};

use crate::wtcp::config::SetupConfig;

/// Where set-up stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Opening {
    /// Packets of the present pair that are still to be sent.
    left: u8,
    /// When they are, at the earliest.
    at: Time,
    /// Time from this pair to the next.
    interval: Duration,
}

impl Opening {
    pub(super) fn begin(now: Time, config: &SetupConfig) -> Self {
        Self {
            left: 2,
            at: now,
            interval: config.interval,
        }
    }

    /// When the next packet of a pair is due.
    pub(super) fn at(&self) -> Time {
        self.at
    }

    /// A packet of a pair is sent.
    pub(super) fn sent(&mut self, now: Time, config: &SetupConfig) {
        self.left -= 1;
        if self.left == 0 {
            self.left = 2;
            self.at = now + self.interval;
            self.interval = (self.interval * 2).min(config.max_interval);
        }
    }
}
