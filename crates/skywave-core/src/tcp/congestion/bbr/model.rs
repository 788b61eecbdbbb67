//! The smallest round trip as version 1 knows it.

use crate::time::{Duration, Time};

/// For how long a smallest round trip counts (RTpropFilterLen).
const RTT_WINDOW: Duration = Duration::from_secs(10);

/// The smallest round trip (BBR.RTprop, section 4.1.2).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MinRtt {
    rtt: Option<Duration>,
    /// When it was seen, or PROBE_RTT has ended.
    since: Time,
}

impl MinRtt {
    /// A round trip was seen, `late` if the receiver may have kept the ACK back. Whether nothing as small
    /// had been seen for the whole window before it.
    pub(super) fn update(&mut self, now: Time, rtt: Option<Duration>, late: bool) -> bool {
        let expired = self.rtt.is_some() && now > self.since + RTT_WINDOW;
        let smallest = |rtt: Duration| self.rtt.is_none_or(|least| rtt <= least);
        if let Some(rtt) = rtt.filter(|&rtt| smallest(rtt) || expired && !late) {
            self.rtt = Some(rtt);
            self.since = now;
        }
        expired
    }

    /// It counts for another window.
    pub(super) fn confirm(&mut self, now: Time) {
        self.since = now;
    }

    pub(super) fn get(&self) -> Option<Duration> {
        self.rtt
    }
}
