//! Spacing of packets in time, for whatever sends by a rate.

use crate::time::{Duration, Time};

/// When the latest packet left, and for how long the next one has to wait after it.
///
/// Time that was not used is not made up for: a packet that leaves late delays the next one, so that
/// no burst follows a pause.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spacing {
    last: Time,
    gap: Duration,
}

impl Spacing {
    /// Nothing has been sent yet.
    pub(crate) fn new(gap: Duration) -> Self {
        Self {
            last: Time::ZERO,
            gap,
        }
    }

    /// When the latest packet left.
    pub(crate) fn last(&self) -> Time {
        self.last
    }

    /// When the next packet may leave.
    pub(crate) fn slot(&self) -> Time {
        self.last + self.gap
    }

    /// The next packet has to wait for `gap` after the latest one.
    pub(crate) fn set_gap(&mut self, gap: Duration) {
        self.gap = gap;
    }

    /// The next packet has to wait for `more` than so far.
    pub(crate) fn widen(&mut self, more: Duration) {
        self.gap += more;
    }

    /// A packet leaves; the time since the one before it.
    pub(crate) fn sent(&mut self, now: Time) -> Duration {
        let since = now.since(self.last);
        self.last = now;
        since
    }
}
