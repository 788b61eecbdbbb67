//! Round-trip times (RFC 9002 section 5, appendix A.7).

use crate::tcp::config::{RtoArithmetic, RtoConfig};
use crate::tcp::rto::RtoEstimator;
use crate::time::{Duration, Time};

use super::config::{LossConfig, UNBOUNDED};

/// Most doublings of the probe timeout.
const MAX_BACKOFF: u32 = 16;

/// Exponential backoff: `period` times two to the power of `backoff`, at most [`UNBOUNDED`].
fn doubled(period: Duration, backoff: u32) -> Duration {
    (period * (1 << backoff.min(MAX_BACKOFF))).min(UNBOUNDED)
}

/// The estimates. Smoothed round trip and deviation are TCP's (RFC 6298), whose arithmetic RFC 9002 has kept.
#[derive(Clone, Debug)]
pub(super) struct Rtt {
    estimator: RtoEstimator,
    initial: Duration,
    max_pto: Duration,
    latest: Option<Duration>,
    min: Option<Duration>,
    /// When the first sample was taken.
    first: Option<Time>,
}

impl Rtt {
    pub(super) fn new(config: &LossConfig) -> Self {
        let rto = RtoConfig {
            arithmetic: RtoArithmetic::Exact,
            granularity: config.granularity,
            min: Duration::ZERO,
            max: UNBOUNDED,
            // The smoothed round trip, and four times a deviation of half of it (section 5.3).
            initial: config.initial_rtt * 3,
        };
        Self {
            estimator: RtoEstimator::new(rto),
            initial: config.initial_rtt,
            max_pto: config.max_pto,
            latest: None,
            min: None,
            first: None,
        }
    }

    /// The packet of the largest number in an ACK that the peer held back for `ack_delay`, which is already
    /// bounded by the largest delay that it may take, was sent at `sent`. Returns the sample.
    pub(super) fn sample(&mut self, sent: Time, now: Time, ack_delay: Duration) -> Duration {
        let latest = now.since(sent);
        self.latest = Some(latest);
        self.first.get_or_insert(now);
        // The least one is of the path alone: no peer's word on its delay makes it smaller (section 5.2).
        let min = self.min.map_or(latest, |min| min.min(latest));
        self.min = Some(min);
        let delay = if latest >= min + ack_delay {
            ack_delay
        } else {
            Duration::ZERO
        };
        self.estimator.sample(sent + delay, now);
        latest
    }

    /// Persistent congestion: the path may be another one (section 5.2).
    pub(super) fn restart_min(&mut self) {
        self.min = self.latest;
    }

    /// The probe timeout after `backoff` of them without an answer (section 6.2.1).
    pub(super) fn pto(&self, max_ack_delay: Duration, backoff: u32) -> Duration {
        let period = self.estimator.rto() + max_ack_delay;
        let longest = self.max_pto.max(self.smoothed() * 2).max(period);
        doubled(period, backoff).min(longest)
    }

    /// The timeout of the handshake, whose packets are acknowledged at once. Nothing bounds it: an answer is large, and
    /// may be long on its way.
    pub(super) fn handshake_timeout(&self, backoff: u32) -> Duration {
        doubled(self.estimator.rto(), backoff)
    }

    /// A packet this old is lost if a later one has arrived (section 6.1.2).
    pub(super) fn loss_delay(&self, config: &LossConfig) -> Duration {
        let smoothed = self.smoothed();
        let rtt = self.latest.map_or(smoothed, |latest| latest.max(smoothed));
        rtt.mul_f64(config.time_threshold).max(config.granularity)
    }

    /// The smoothed round trip, or the one that is assumed before there is a sample.
    fn smoothed(&self) -> Duration {
        self.estimator.srtt().unwrap_or(self.initial)
    }

    /// When the first sample was taken.
    pub(super) fn first(&self) -> Option<Time> {
        self.first
    }

    /// Smallest sample.
    pub(super) fn min(&self) -> Option<Duration> {
        self.min
    }

    pub(super) fn estimator(&self) -> &RtoEstimator {
        &self.estimator
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn sample(rtt: &mut Rtt, took: u64, ack_delay: u64) {
        let sent = Time::ZERO + ms(1000);
        rtt.sample(sent, sent + ms(took), ms(ack_delay));
    }

    fn smoothed(rtt: &Rtt) -> Duration {
        rtt.estimator().srtt().expect("there are samples")
    }

    #[test]
    fn the_first_sample_is_taken_whole() {
        let mut rtt = Rtt::new(&LossConfig::default());
        // kInitialRtt 333 ms: 333 + 4 · 166.5.
        assert_eq!(rtt.pto(Duration::ZERO, 0), ms(999));
        // The delay would make it smaller than the least round trip, which it is itself.
        sample(&mut rtt, 100, 20);
        assert_eq!(smoothed(&rtt), ms(100));
        assert_eq!(rtt.estimator().rttvar(), Some(ms(50)));
        assert_eq!(rtt.min(), Some(ms(100)));
        assert_eq!(rtt.pto(ms(25), 0), ms(100 + 4 * 50 + 25));
    }

    #[test]
    fn the_peers_delay_is_taken_off_down_to_the_least_round_trip() {
        let mut rtt = Rtt::new(&LossConfig::default());
        sample(&mut rtt, 100, 0);
        sample(&mut rtt, 140, 20);
        // 7/8 · 100 + 1/8 · 120.
        assert_eq!(smoothed(&rtt), Duration::from_micros(102_500));
        // 3/4 · 50 + 1/4 · |100 − 120|.
        assert_eq!(
            rtt.estimator().rttvar(),
            Some(Duration::from_micros(42_500))
        );
        // 110 is less than 100 + 20: the delay is not believed.
        let before = smoothed(&rtt);
        sample(&mut rtt, 110, 20);
        assert_eq!(smoothed(&rtt), (before * 7 + ms(110)) / 8);
    }

    #[test]
    fn the_least_round_trip_is_not_adjusted() {
        let mut rtt = Rtt::new(&LossConfig::default());
        sample(&mut rtt, 100, 0);
        sample(&mut rtt, 110, 15);
        assert_eq!(rtt.min(), Some(ms(100)), "not 95");
        sample(&mut rtt, 90, 15);
        assert_eq!(rtt.min(), Some(ms(90)));
        sample(&mut rtt, 200, 0);
        rtt.restart_min();
        assert_eq!(
            rtt.min(),
            Some(ms(200)),
            "after persistent congestion the newest"
        );
    }

    #[test]
    fn the_probe_timeout_doubles_with_the_peers_delay() {
        let mut rtt = Rtt::new(&LossConfig::default());
        sample(&mut rtt, 100, 0);
        assert_eq!(rtt.pto(ms(25), 3), ms(8 * 325));
        assert_eq!(rtt.pto(ms(25), 200), ms(325) * (1 << MAX_BACKOFF));
        // A steady round trip: the clock's granularity is the least deviation.
        for _ in 0..200 {
            sample(&mut rtt, 100, 0);
        }
        assert_eq!(rtt.pto(ms(25), 0), ms(126));
    }

    #[test]
    fn a_bound_ends_the_doubling_at_two_round_trips_at_least() {
        let bounded = |max_pto| {
            let mut rtt = Rtt::new(&LossConfig {
                max_pto,
                ..LossConfig::default()
            });
            sample(&mut rtt, 100, 0);
            rtt
        };
        // 325 ms, doubled to 650.
        assert_eq!(bounded(ms(500)).pto(ms(25), 1), ms(500));
        assert_eq!(bounded(ms(500)).pto(ms(25), 9), ms(500));
        assert_eq!(bounded(ms(1)).pto(ms(25), 9), ms(325), "the first one");
        let mut steady = bounded(ms(1));
        for _ in 0..200 {
            sample(&mut steady, 100, 0);
        }
        assert_eq!(steady.pto(ms(25), 9), ms(200), "two round trips");
        assert_eq!(
            bounded(ms(1)).handshake_timeout(3),
            ms(8 * 300),
            "answers of the handshake are large"
        );
    }

    #[test]
    fn the_loss_delay_goes_by_the_larger_of_newest_and_smoothed() {
        let config = LossConfig::default();
        let mut rtt = Rtt::new(&config);
        sample(&mut rtt, 80, 0);
        assert_eq!(rtt.loss_delay(&config), ms(90));
        sample(&mut rtt, 160, 0);
        assert_eq!(rtt.loss_delay(&config), ms(180));
        sample(&mut rtt, 80, 0);
        // 7/8 · 90 + 1/8 · 80 = 88.75; 9/8 of it.
        assert_eq!(rtt.loss_delay(&config).as_nanos(), 99_843_750);
        let mut near = Rtt::new(&config);
        near.sample(Time::ZERO, Time::from_nanos(1000), Duration::ZERO);
        assert_eq!(
            near.loss_delay(&config),
            ms(1),
            "not less than the clock's granularity"
        );
    }
}
