//! How much a delay counts: δ as published, or as little as beside flows that fill the queue.

use super::CopaConfig;
use super::delay::Delays;
use crate::time::{Duration, Time};

/// Round trips within which Copa's own flows let the queue run empty once.
const EMPTY_ONCE_IN: u64 = 5;
/// A queue is nearly empty that is as short as this, of what round trips vary.
const NEARLY: u64 = 10;

/// The present δ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mode {
    /// 1/δ where nobody fills the queue; less is never taken.
    least: f64,
    /// Looks for those who do.
    looks: bool,
    /// The present 1/δ.
    weight: f64,
    is_competitive: bool,
    /// When the queue was last nearly empty; at first, when the first round trip was seen.
    emptied: Option<Time>,
}

impl Mode {
    pub(super) fn new(config: CopaConfig) -> Self {
        let least = 1.0 / config.delta;
        Self {
            least,
            looks: config.competitive,
            weight: least,
            is_competitive: false,
            emptied: None,
        }
    }

    pub(super) fn delta(&self) -> f64 {
        1.0 / self.weight
    }

    /// A round trip was seen.
    pub(super) fn on_ack(&mut self, now: Time, delays: &Delays, srtt: Duration) {
        let emptied = *self.emptied.get_or_insert(now);
        // Also where nothing varies.
        if delays.queueing() <= delays.swing() / NEARLY {
            self.emptied = Some(now);
            self.is_competitive = false;
            self.weight = self.least;
        } else if self.looks && now > emptied + srtt * EMPTY_ONCE_IN {
            self.is_competitive = true;
        }
    }

    /// Nothing was sent for a while: a queue that was not empty then says nothing of others.
    pub(super) fn on_resume(&mut self, now: Time) {
        self.emptied = self.emptied.map(|_| now);
    }

    /// A round trip is over: beside flows that fill the queue it becomes a little more aggressive, as Reno
    /// does.
    pub(super) fn on_round(&mut self) {
        if self.is_competitive {
            self.weight += 1.0;
        }
    }

    /// Something was lost: half as aggressive.
    pub(super) fn on_loss(&mut self) {
        if self.is_competitive {
            self.weight = (self.weight / 2.0).max(self.least);
        }
    }

    #[cfg(test)]
    pub(super) fn is_competitive(&self) -> bool {
        self.is_competitive
    }
}
