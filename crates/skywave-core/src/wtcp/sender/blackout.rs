//! Blackouts (section 3.1, item 7): when nothing is heard of what was sent, the sender stops sending
//! data and probes. The rate is not touched, so that it goes on at the old one.

use crate::time::{Duration, Time};

use crate::wtcp::config::BlackoutConfig;

/// A blackout under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Blackout {
    /// Control sequence number of its first probe.
    first_probe: u64,
    /// When the next probe is sent.
    pub(super) next_probe: Time,
}

impl Blackout {
    /// Begins; the next packet will be its first probe and have this number.
    pub(super) fn begin(now: Time, ctrl_seq: u64) -> Self {
        Self {
            first_probe: ctrl_seq,
            next_probe: now,
        }
    }

    /// A probe of it has arrived: the path is back. ACKs for what was sent before do not show that.
    pub(super) fn is_ended_by(&self, hctrl_seq: u64) -> bool {
        hctrl_seq >= self.first_probe
    }
}

impl BlackoutConfig {
    /// How long a packet may be neither acknowledged nor known lost.
    pub(in crate::wtcp) fn threshold(&self, rtt: Duration) -> Duration {
        self.threshold.max(rtt * u64::from(self.threshold_rtts))
    }

    /// How often a probe is sent.
    pub(in crate::wtcp) fn probe_interval(&self, rtt: Duration) -> Duration {
        self.probe_interval.max(rtt)
    }
}
