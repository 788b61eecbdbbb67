//! The smallest round trip, and when to look for it again.

use crate::time::{Duration, Time};

/// For how long a smallest round trip counts (BBR.MinRTTFilterLen).
const WINDOW: Duration = Duration::from_secs(10);
/// For how long it need not be looked for (BBR.ProbeRTTInterval): twice in a window, so that the window
/// has the result of the last look in the next one.
const INTERVAL: Duration = Duration::from_secs(5);

/// The smallest round trip on two time scales (`UpdateMinRTT`).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MinRtt {
    /// BBR.min_rtt, and when it was seen.
    rtt: Option<Duration>,
    since: Time,
    /// BBR.probe_rtt_min_delay: the smallest one since it was last looked for, and when that was seen.
    recent: Option<Duration>,
    recent_since: Time,
}

impl MinRtt {
    /// A round trip was seen. Whether it is time to look for the smallest one.
    pub(super) fn update(&mut self, now: Time, rtt: Option<Duration>) -> bool {
        let due = self.recent.is_some() && now > self.recent_since + INTERVAL;
        let smaller = |rtt: Duration| self.recent.is_none_or(|least| rtt < least);
        if let Some(rtt) = rtt.filter(|&rtt| smaller(rtt) || due) {
            self.recent = Some(rtt);
            self.recent_since = now;
        }
        let expired = now > self.since + WINDOW;
        if let Some(recent) = self.recent
            && (expired || self.rtt.is_none_or(|least| recent < least))
        {
            self.rtt = Some(recent);
            self.since = self.recent_since;
        }
        due
    }

    /// Starts another interval between searches for the smallest round trip, as one has just ended.
    pub(super) fn confirm(&mut self, now: Time) {
        self.recent_since = now;
    }

    /// BBR.min_rtt.
    pub(super) fn get(&self) -> Option<Duration> {
        self.rtt
    }
}
