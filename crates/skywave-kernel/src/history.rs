//! Moments of the latest round trips, and what a connection had sent, delivered and lost at each.

use std::collections::VecDeque;

use skywave_core::time::Time;

/// Totals at the moment of an ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    pub(crate) at: Time,
    /// Next position to send, bytes.
    pub(crate) nxt: u64,
    /// Packets delivered.
    pub(crate) delivered: u64,
    /// Packets found lost.
    pub(crate) lost: u64,
}

/// Moments in their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct History(VecDeque<Moment>);

impl History {
    /// Adds a moment, and drops those that are older than `since` and from before the latest one at which at most `delivered`
    /// packets had been delivered.
    pub(crate) fn push(&mut self, moment: Moment, since: Time, delivered: u64) {
        while let Some(second) = self.0.get(1)
            && second.at < since
            && second.delivered <= delivered
        {
            self.0.pop_front();
        }
        self.0.push_back(moment);
    }

    /// Packets found lost when `delivered` had been delivered.
    pub(crate) fn lost_when(&self, delivered: u64) -> Option<u64> {
        let after = self.0.partition_point(|m| m.delivered <= delivered);
        let found = after.checked_sub(1).and_then(|at| self.0.get(at));
        found.or(self.0.front()).map(|moment| moment.lost)
    }

    /// The latest moment that is not after `time`, or the oldest one.
    pub(crate) fn at(&self, time: Time) -> Option<&Moment> {
        let after = self.0.partition_point(|moment| moment.at <= time);
        let found = after.checked_sub(1).and_then(|at| self.0.get(at));
        found.or(self.0.front())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_found_by_time_and_by_what_was_delivered() {
        let mut history = History::default();
        assert_eq!(history.at(Time::ZERO), None);
        for step in 1..=10 {
            let moment = Moment {
                at: Time::from_nanos(step * 10),
                nxt: step,
                delivered: step * 2,
                lost: step / 2,
            };
            history.push(moment, Time::from_nanos(step * 5), step);
        }
        // Half as much was delivered after half of the time: all after that is kept.
        assert_eq!(history.0.len(), 7);
        assert_eq!(history.lost_when(13), Some(3));
        assert_eq!(history.lost_when(0), Some(2));
        assert_eq!(history.at(Time::from_nanos(95)).map(|m| m.nxt), Some(9));
        assert_eq!(history.at(Time::ZERO).map(|m| m.nxt), Some(4));
    }
}
