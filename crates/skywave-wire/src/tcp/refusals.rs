//! Resets for segments of no connection (RFC 9293 section 3.10.7.1), so many a second at most.

use skywave_core::{Duration, Time};

/// Counts what may still be answered. A flood of stray segments, whose senders are rarely those who they say they are,
/// costs others no more than this.
#[derive(Debug)]
pub(super) struct Allowance {
    per_second: u32,
    left: u32,
    /// When it is full again.
    renewed: Time,
}

impl Allowance {
    pub(super) fn new(per_second: u32) -> Self {
        Self {
            per_second,
            left: per_second,
            renewed: Time::ZERO,
        }
    }

    /// Whether one more may be answered in this second.
    pub(super) fn take(&mut self, now: Time) -> bool {
        if now.since(self.renewed) >= Duration::from_secs(1) {
            self.renewed = now;
            self.left = self.per_second;
        }
        let may = self.left > 0;
        self.left -= u32::from(may);
        may
    }
}
