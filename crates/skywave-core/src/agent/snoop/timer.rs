//! The agent's own retransmission timer, by the round trip of the wireless part alone.

use crate::time::{Duration, Time};

/// When an agent does again what nothing comes back for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalTimeout {
    /// After this many smoothed round trips to whoever answers: behind Snoop, the mobile host.
    pub rtts: f64,
    /// And at least after this, and after 1 ms.
    pub min: Duration,
}

impl Default for LocalTimeout {
    /// The original's: twice the smoothed round trip, and 200 ms.
    fn default() -> Self {
        Self {
            rtts: 2.0,
            min: Duration::from_millis(200),
        }
    }
}

/// It never expires sooner: a repair a nanosecond would only flood the link.
const FLOOR: Duration = Duration::from_millis(1);

/// Most doublings: a segment a minute or so must not fill the queue of a link that is gone.
const MAX_DOUBLINGS: u32 = 6;

#[derive(Clone, Debug)]
pub(super) struct Timer {
    config: Option<LocalTimeout>,
    srtt: Option<Duration>,
    /// Of the last new ACK.
    progress: Time,
    /// How often it has expired since then; each time doubles it, as a sender's does.
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
            let rtt = now.since(sent_at);
            self.srtt = Some(self.srtt.map_or(rtt, |srtt| (srtt * 7 + rtt) / 8));
        }
        self.progress = now;
        self.doublings = 0;
    }

    /// When the segment that is asked for, sent at `sent_at`, is overdue. Without a sample of the round
    /// trip it never is: the sender's timer will do.
    pub(super) fn due(&self, sent_at: Time) -> Option<Time> {
        let config = self.config?;
        let rtts = self.srtt?.mul_f64(config.rtts);
        let wait = rtts.max(config.min).max(FLOOR) * (1 << self.doublings);
        Some(sent_at.max(self.progress) + wait)
    }

    pub(super) fn back_off(&mut self) {
        self.doublings = (self.doublings + 1).min(MAX_DOUBLINGS);
    }
}
