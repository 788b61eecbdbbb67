//! Route-error damping (Omar et al., as Francis 2012 tells it in section 3.1.5): one alarm of the MAC is none.
//!
//! A neighbour that does not answer seven times has often only been kept silent by others. So its first alarm does
//! not break the route; a second one within a period does.

use crate::radio::Address;
use crate::time::{Duration, Time};

/// The alarms of a station's MAC.
#[derive(Clone, Debug)]
pub(super) struct Damper {
    /// `None`: each alarm counts.
    period: Option<Duration>,
    /// Suppressed alarms, each with its neighbour, of the last period.
    suppressed: Vec<(Address, Time)>,
    /// The last alarm that counted.
    counted: Option<(Address, Time)>,
}

impl Damper {
    pub(super) fn new(period: Option<Duration>) -> Self {
        Self {
            period,
            suppressed: Vec::new(),
            counted: None,
        }
    }

    /// The MAC has given up a packet for `neighbour`. Returns whether its link counts as broken.
    pub(super) fn alarm(&mut self, now: Time, neighbour: Address) -> bool {
        let Some(period) = self.period else {
            return true;
        };
        // What the MAC still held for it is handed in at once, and is no alarm.
        if self.counts(now, neighbour) {
            return true;
        }
        self.suppressed.retain(|&(_, at)| at + period >= now);
        let first = self.suppressed.iter().position(|&(a, _)| a == neighbour);
        if let Some(at) = first {
            self.suppressed.swap_remove(at);
            self.counted = Some((neighbour, now));
        } else {
            self.suppressed.push((neighbour, now));
        }
        first.is_some()
    }

    /// Whether an alarm for `neighbour` has counted at this moment.
    pub(super) fn counts(&self, now: Time, neighbour: Address) -> bool {
        self.period.is_none() || self.counted == Some((neighbour, now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    #[test]
    fn only_the_second_alarm_within_the_period_counts() {
        let mut damper = Damper::new(Some(Duration::from_secs(1)));
        let alarms = [
            (0, 2, false),
            // Another neighbour's is another matter.
            (500, 3, false),
            (900, 2, true),
            // After one that counted comes a first one again.
            (950, 2, false),
            // Too late: a first one, too.
            (1951, 2, false),
            (2951, 2, true),
        ];
        for (ms, neighbour, counts) in alarms {
            let neighbour = Address(neighbour);
            assert_eq!(damper.alarm(at(ms), neighbour), counts, "{ms}");
            assert_eq!(damper.counts(at(ms), neighbour), counts, "{ms}");
        }
        // What is given up together with it.
        assert!(damper.alarm(at(2951), Address(2)));
        assert!(!damper.alarm(at(2951), Address(3)));
    }

    #[test]
    fn without_damping_each_alarm_counts() {
        let mut damper = Damper::new(None);
        assert!(damper.counts(at(0), Address(2)) && damper.alarm(at(0), Address(2)));
    }
}
