//! Update epochs (section 3.1, item 4, and section 7): the receiver sends a rate, waits until the
//! sender uses it, measures for a while, and computes the next one.

use crate::time::{Duration, Time};

/// Where rate control stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The latest rate is first in this ACK; no packet has come from a sender that has seen it.
    Waiting { ack_seq: u64 },
    /// The sender uses the latest rate.
    Measuring { until: Time },
}

/// One epoch after the other.
///
/// The end is noticed by the first packet at or after it, so that a connection in which nothing
/// happens needs no timer, and an epoch that a blackout tears apart can be told from one that ended.
#[derive(Clone, Debug)]
pub(super) struct Epoch {
    phase: Phase,
    aggregate_ratio: f64,
    num_samples: u32,
}

impl Epoch {
    /// Waits for a packet from a sender that has seen ACK `ack_seq`.
    pub(super) fn waiting(ack_seq: u64) -> Self {
        Self {
            phase: Phase::Waiting { ack_seq },
            aggregate_ratio: 0.0,
            num_samples: 0,
        }
    }

    /// The sender has seen ACKs up to `hack_seq`: starts measuring if that is what was waited for.
    pub(super) fn on_hack(&mut self, now: Time, hack_seq: u64, length: Duration) {
        if let Phase::Waiting { ack_seq } = self.phase
            && hack_seq >= ack_seq
        {
            self.restart(now, length);
        }
    }

    /// Measures from now on, if the sender uses the latest rate.
    pub(super) fn restart(&mut self, now: Time, length: Duration) {
        self.aggregate_ratio = 0.0;
        self.num_samples = 0;
        self.phase = Phase::Measuring {
            until: now + length,
        };
    }

    /// The sender uses the latest rate.
    pub(super) fn is_measuring(&self) -> bool {
        matches!(self.phase, Phase::Measuring { .. })
    }

    /// Figure 1, lines 5 to 8: two packets came `ratio` times as far apart as they were sent.
    pub(super) fn sample(&mut self, ratio: f64) {
        if self.is_measuring() {
            self.aggregate_ratio += ratio;
            self.num_samples += 1;
        }
    }

    /// Figure 1, line 12: the mean ratio, if the epoch is over.
    pub(super) fn savg_ratio(&self, now: Time, least_samples: u32) -> Option<f64> {
        let Phase::Measuring { until } = self.phase else {
            return None;
        };
        (now >= until && self.num_samples >= least_samples.max(1))
            .then(|| self.aggregate_ratio / f64::from(self.num_samples))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: Duration = Duration::from_secs(1);

    fn at(s: u64) -> Time {
        Time::ZERO + S * s
    }

    #[test]
    fn samples_count_from_when_the_sender_uses_the_rate() {
        let mut epoch = Epoch::waiting(7);
        epoch.sample(9.0);
        epoch.on_hack(at(0), 6, S * 2);
        assert!(!epoch.is_measuring());
        epoch.on_hack(at(1), 8, S * 2);
        assert!(epoch.is_measuring());
        epoch.sample(1.0);
        epoch.sample(2.0);
        // Later packets say the same again, and start nothing.
        epoch.on_hack(at(2), 9, S * 2);
        assert_eq!(epoch.savg_ratio(at(2), 1), None);
        assert_eq!(epoch.savg_ratio(at(3), 1), Some(1.5));
    }

    #[test]
    fn an_epoch_lasts_until_it_has_its_samples() {
        let mut epoch = Epoch::waiting(0);
        epoch.on_hack(at(0), 0, S);
        assert_eq!(epoch.savg_ratio(at(5), 0), None);
        epoch.sample(1.0);
        assert_eq!(epoch.savg_ratio(at(5), 2), None);
        epoch.sample(1.0);
        assert_eq!(epoch.savg_ratio(at(5), 2), Some(1.0));
        epoch.restart(at(5), S);
        assert_eq!(epoch.savg_ratio(at(9), 1), None);
    }
}
