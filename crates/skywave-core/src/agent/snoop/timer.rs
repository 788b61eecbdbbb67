//! The agent's own retransmission timer, by the round trip of the wireless part alone.

use crate::agent::local_timeout::{LocalTimeout, smooth};
use crate::time::{Duration, Time};

#[derive(Clone, Debug)]
pub(super) struct Timer {
    config: Option<LocalTimeout>,
    srtt: Option<Duration>,
    /// Time of the last new ACK.
    progress: Time,
    /// Expiries since the last new ACK; each doubles the timeout, as a sender's does.
    doublings: u32,
}

impl Timer {
    pub(super) fn new(config: Option<LocalTimeout>) -> Self {
        Self {
            config,
            srtt: None,
            progress: Time::ZERO,
            doublings: 0,
        }
    }

    /// A new ACK came, of a segment sent at `sent_at` if that is a sample of the round trip.
    pub(super) fn on_progress(&mut self, now: Time, sent_at: Option<Time>) {
        if let Some(sent_at) = sent_at {
            smooth(&mut self.srtt, now.since(sent_at));
        }
        self.progress = now;
        self.doublings = 0;
    }

    /// When the segment that is asked for, sent at `sent_at`, is overdue. Without a sample of the round
    /// trip it never is: the sender's timer will do.
    pub(super) fn due(&self, sent_at: Time) -> Option<Time> {
        let wait = self.config?.wait(self.srtt?, self.doublings);
        Some(sent_at.max(self.progress) + wait)
    }

    pub(super) fn back_off(&mut self) {
        self.doublings = self.doublings.saturating_add(1);
    }
}
