//! The round-trip time, smoothed. Nothing is retransmitted by it: it scales blackouts, epochs and α.

use crate::ring::Ring;
use crate::time::{Duration, Time};

/// An average with 1/8 for a new sample, as TCP's SRTT.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RttEstimator {
    smoothed: Option<Duration>,
}

impl RttEstimator {
    /// A packet sent `elapsed` ago was answered, after `held` at the peer. A sample counts for `cap`
    /// at most: a link that holds packets back for minutes is not that far away. Returns the sample.
    pub(super) fn sample(&mut self, elapsed: Duration, held: Duration, cap: Duration) -> Duration {
        // A round trip of no time would make α infinite.
        let least = Duration::from_micros(1);
        let sample = elapsed.saturating_sub(held).min(cap).max(least);
        self.smoothed = Some(match self.smoothed {
            Some(smoothed) => (smoothed * 7 + sample) / 8,
            None => sample,
        });
        sample
    }

    /// The average, if there was a sample.
    pub(super) fn get(&self) -> Option<Duration> {
        self.smoothed
    }
}

/// When numbered packets were sent, from the first that is still of interest on.
#[derive(Clone, Debug, Default)]
pub(super) struct SendTimes(Ring<Time>);

impl SendTimes {
    /// The number that the next packet will have.
    pub(super) fn next(&self) -> u64 {
        self.0.next_number()
    }

    /// Gives the next packet, sent `now`, its number.
    pub(super) fn push(&mut self, now: Time) -> u64 {
        let number = self.next();
        self.0.push_back(now);
        number
    }

    /// When packet `number` was sent, if that is known. Forgets it and those before it.
    pub(super) fn take(&mut self, number: u64) -> Option<Time> {
        let sent = *self.0.numbered(number)?;
        while self.0.first_number() <= number {
            self.0.pop_front();
        }
        Some(sent)
    }

    /// Forgets the oldest ones until at most `most` are left.
    pub(super) fn keep_latest(&mut self, most: usize) {
        while self.0.len() > most {
            self.0.pop_front();
        }
    }

    /// When the oldest one of interest was sent.
    pub(super) fn oldest(&self) -> Option<Time> {
        self.0.front().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: Duration = Duration::from_secs(1);

    #[test]
    fn the_average_moves_by_an_eighth_and_samples_are_capped() {
        let mut rtt = RttEstimator::default();
        rtt.sample(S * 2, S, S * 10);
        assert_eq!(rtt.get(), Some(S));
        rtt.sample(S * 9, Duration::ZERO, S * 100);
        assert_eq!(rtt.get(), Some(S * 2));
        rtt.sample(S * 600, Duration::ZERO, S * 10);
        assert_eq!(rtt.get(), Some(S * 3));
    }

    #[test]
    fn a_round_trip_is_never_zero() {
        let mut rtt = RttEstimator::default();
        rtt.sample(S, S * 2, S * 10);
        assert_eq!(rtt.get(), Some(Duration::from_micros(1)));
    }

    #[test]
    fn send_times_are_found_by_number_once() {
        let at = |s| Time::ZERO + S * s;
        let mut times = SendTimes::default();
        for s in 0..5 {
            assert_eq!(times.push(at(s)), s);
        }
        assert_eq!(times.take(2), Some(at(2)));
        assert_eq!(times.take(2), None);
        assert_eq!(times.take(5), None);
        assert_eq!(times.oldest(), Some(at(3)));
        times.keep_latest(1);
        assert_eq!(times.oldest(), Some(at(4)));
        times.keep_latest(0);
        assert_eq!((times.oldest(), times.next()), (None, 5));
    }
}
