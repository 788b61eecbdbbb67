//! Round-trip time estimation and the retransmission timeout (RFC 6298; Jacobson 1988).
//!
//! The handshake's round trip feeds this timer and by default no controller: a 40-byte exchange is faster than
//! any data segment, so a controller that measured queues against it would never see an empty one. A law may hear
//! of it (`on_open`), as Westwood with the rules of UCLA's ns-2 module does.

use std::sync::Arc;

use crate::time::{Duration, Time};

use super::settings::{RtoArithmetic, RtoConfig};

/// Estimator of the retransmission timeout (RTO) from round-trip samples, with exponential backoff (RFC 6298).
#[derive(Clone, Debug)]
#[repr(C)]
pub struct RtoEstimator {
    /// The present RTO, kept because it is read more often than it changes.
    rto: Duration,
    backoff: u32,
    estimate: Estimate,
    config: Arc<RtoConfig>,
}

/// State of the estimate after the samples so far.
#[derive(Clone, Debug)]
enum Estimate {
    /// No sample yet.
    None,
    /// Exact nanoseconds.
    Exact { srtt: Duration, rttvar: Duration },
    /// Fixed point in ticks: eight times SRTT and four times RTTVAR.
    Ticks { srtt8: u64, rttvar4: u64 },
    /// Samples that are distrusted after many expiries. Only the RTO that they gave, before any
    /// backoff, is kept until the next sample; neither SRTT nor RTTVAR is known.
    Discarded { rto: Duration },
}

impl RtoEstimator {
    /// An estimator without samples.
    pub fn new(config: impl Into<Arc<RtoConfig>>) -> Self {
        let mut new = Self {
            rto: Duration::ZERO,
            backoff: 1,
            estimate: Estimate::None,
            config: config.into(),
        };
        new.update();
        new
    }

    /// Takes the round trip of a segment sent at `sent` and acknowledged at `now`; ends the backoff. If `sent` is later
    /// than `now`, the round trip counts as zero; an estimator with whole ticks counts at least one.
    pub fn sample(&mut self, sent: Time, now: Time) {
        self.backoff = 1;
        match self.config.arithmetic {
            RtoArithmetic::Exact => self.sample_exact(now.since(sent)),
            RtoArithmetic::Ticks => {
                // A coarse clock sees the ticks that fell between the two moments.
                let tick = self.config.granularity.as_nanos().max(1);
                let ticks = |at: Time| at.as_nanos() / tick;
                self.sample_ticks(ticks(now).saturating_sub(ticks(sent)).max(1));
            }
        }
        self.update();
    }

    /// RFC 6298 section 2, rules 2.2 and 2.3.
    fn sample_exact(&mut self, rtt: Duration) {
        self.estimate = match self.estimate {
            Estimate::Exact { srtt, rttvar } => {
                let error = rtt.saturating_sub(srtt) + srtt.saturating_sub(rtt);
                Estimate::Exact {
                    rttvar: (rttvar * 3 + error) / 4,
                    srtt: (srtt * 7 + rtt) / 8,
                }
            }
            _ => Estimate::Exact {
                srtt: rtt,
                rttvar: rtt / 2,
            },
        };
    }

    /// Jacobson 1988, appendix A.2: the same in integers.
    fn sample_ticks(&mut self, rtt: u64) {
        self.estimate = match self.estimate {
            Estimate::Ticks { srtt8, rttvar4 } => {
                let error = rtt.cast_signed() - (srtt8 >> 3).cast_signed();
                let deviation = error.abs() - (rttvar4 >> 2).cast_signed();
                Estimate::Ticks {
                    srtt8: srtt8.saturating_add_signed(error).max(1),
                    rttvar4: rttvar4.saturating_add_signed(deviation).max(1),
                }
            }
            _ => Estimate::Ticks {
                srtt8: rtt << 3,
                rttvar4: rtt << 1,
            },
        };
    }

    /// The present RTO, backed off and within its bounds.
    #[inline]
    pub fn rto(&self) -> Duration {
        self.rto
    }

    /// The RTO of the samples, without backoff and bounds.
    fn estimated(&self) -> Duration {
        let c = &self.config;
        match self.estimate {
            Estimate::None => c.initial,
            Estimate::Exact { srtt, rttvar } => srtt + (rttvar * 4).max(c.granularity),
            Estimate::Ticks { srtt8, rttvar4 } => c.granularity * (((rttvar4 << 3) + srtt8) >> 3),
            Estimate::Discarded { rto } => rto,
        }
    }

    /// The RTO that the samples give, backed off but without bounds; `None` while [`Self::srtt`] is `None`.
    pub fn of_samples(&self) -> Option<Duration> {
        self.srtt()
            .map(|_| self.estimated() * u64::from(self.backoff))
    }

    fn update(&mut self) {
        let c = &self.config;
        let base = self.estimated();
        let least = match c.arithmetic {
            // A clock that ticks cannot time less than two of its ticks.
            RtoArithmetic::Ticks => c.granularity * 2,
            RtoArithmetic::Exact => Duration::ZERO,
        };
        self.rto = (base.max(c.min) * u64::from(self.backoff))
            .min(c.max)
            .max(least);
    }

    /// The present RTO times `factor`, but at most the largest RTO.
    pub fn stretched(&self, factor: f64) -> Duration {
        self.rto().mul_f64(factor).min(self.config.max)
    }

    /// Doubles the RTO after an expiry (RFC 6298 rule 5.5). Past three doublings an estimator with whole ticks
    /// distrusts its samples, as BSD does, and starts again from the next one (section 5, last paragraph).
    pub fn back_off(&mut self) {
        if self.rto() < self.config.max {
            self.backoff = self.backoff.saturating_mul(2);
        }
        if self.backoff > 8 && matches!(self.estimate, Estimate::Ticks { .. }) {
            self.estimate = Estimate::Discarded {
                rto: self.estimated(),
            };
        }
        self.update();
    }

    /// Factor by which expiries of the timer have multiplied the RTO: 1 without backoff.
    pub fn backoff(&self) -> u32 {
        self.backoff
    }

    /// Sets the factor by which expiries have multiplied the RTO, to restore one that a sample has ended.
    pub fn set_backoff(&mut self, backoff: u32) {
        self.backoff = backoff;
        self.update();
    }

    /// Ends the backoff without a sample.
    pub fn end_backoff(&mut self) {
        self.backoff = 1;
        self.update();
    }

    /// Mean deviation of the round-trip time (RTTVAR); `None` before the first sample, and after [`Self::back_off`] has
    /// discarded the samples, until the next one.
    pub fn rttvar(&self) -> Option<Duration> {
        match self.estimate {
            Estimate::None | Estimate::Discarded { .. } => None,
            Estimate::Exact { rttvar, .. } => Some(rttvar),
            Estimate::Ticks { rttvar4, .. } => Some(self.config.granularity * rttvar4 / 4),
        }
    }

    /// Smoothed round-trip time (SRTT). `None` before the first sample, and while [`Self::rttvar`] is `None`.
    pub fn srtt(&self) -> Option<Duration> {
        match self.estimate {
            Estimate::None | Estimate::Discarded { .. } => None,
            Estimate::Exact { srtt, .. } => Some(srtt),
            Estimate::Ticks { srtt8, .. } => Some(self.config.granularity * srtt8 / 8),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact() -> RtoEstimator {
        RtoEstimator::new(RtoConfig {
            arithmetic: RtoArithmetic::Exact,
            granularity: Duration::from_millis(1),
            min: Duration::from_secs(1),
            max: Duration::from_secs(60),
            initial: Duration::from_secs(1),
        })
    }

    fn ticks(granularity: u64, min: u64) -> RtoEstimator {
        RtoEstimator::new(RtoConfig {
            arithmetic: RtoArithmetic::Ticks,
            granularity: Duration::from_millis(granularity),
            min: Duration::from_millis(min),
            max: Duration::from_secs(60),
            initial: Duration::from_secs(3),
        })
    }

    fn sample(e: &mut RtoEstimator, ms: u64) {
        e.sample(Time::ZERO, Time::ZERO + Duration::from_millis(ms));
    }

    #[test]
    fn rfc_6298_rule_2_1_one_second_before_the_first_sample() {
        assert_eq!(exact().rto(), Duration::from_secs(1));
    }

    #[test]
    fn rfc_6298_rules_2_2_and_2_3() {
        let mut e = exact();
        sample(&mut e, 800);
        // SRTT = R, RTTVAR = R/2, RTO = SRTT + 4 RTTVAR.
        assert_eq!(e.srtt(), Some(Duration::from_millis(800)));
        assert_eq!(e.rto(), Duration::from_millis(2400));
        sample(&mut e, 1600);
        // RTTVAR = 3/4·400 + 1/4·800 = 500; SRTT = 7/8·800 + 1/8·1600 = 900.
        assert_eq!(e.srtt(), Some(Duration::from_millis(900)));
        assert_eq!(e.rttvar(), Some(Duration::from_millis(500)));
        assert_eq!(e.rto(), Duration::from_millis(2900));
    }

    #[test]
    fn rfc_6298_rule_2_3_clock_granularity_bounds_the_variance_term() {
        let mut e = exact();
        for _ in 0..200 {
            sample(&mut e, 2000);
        }
        assert_eq!(e.rto(), Duration::from_millis(2001));
    }

    #[test]
    fn rfc_6298_rules_2_4_and_2_5_bounds() {
        let mut e = exact();
        sample(&mut e, 10);
        assert_eq!(e.rto(), Duration::from_secs(1));
        sample(&mut e, 500_000);
        assert_eq!(e.rto(), Duration::from_secs(60));
    }

    #[test]
    fn rfc_6298_rule_5_5_doubles_until_a_sample() {
        let mut e = exact();
        sample(&mut e, 800);
        let rtos: Vec<u64> = (0..6)
            .map(|_| {
                e.back_off();
                e.rto().as_nanos() / 1_000_000
            })
            .collect();
        assert_eq!(rtos, [4800, 9600, 19_200, 38_400, 60_000, 60_000]);
        sample(&mut e, 800);
        assert!(e.rto() < Duration::from_millis(2400));
    }

    #[test]
    fn coarse_clock_counts_ticks_between_the_two_moments() {
        let mut e = ticks(500, 1000);
        // 450 ms that cross one tick boundary: one tick; RTO = 1 + 4·(1/2) = 3 ticks.
        e.sample(
            Time::ZERO + Duration::from_millis(100),
            Time::ZERO + Duration::from_millis(550),
        );
        assert_eq!(e.rto(), Duration::from_millis(1500));
        // No boundary crossed still counts one tick.
        let mut e = ticks(500, 0);
        e.sample(
            Time::ZERO + Duration::from_millis(10),
            Time::ZERO + Duration::from_millis(490),
        );
        assert_eq!(e.srtt(), Some(Duration::from_millis(500)));
    }

    #[test]
    fn a_segment_sent_later_than_its_acknowledgement_took_no_time() {
        let (sent, now) = (Time::ZERO + Duration::from_secs(5), Time::ZERO);
        let mut e = exact();
        e.sample(sent, now);
        assert_eq!(e.srtt(), Some(Duration::ZERO));
        // A coarse clock counts one tick at least.
        let mut e = ticks(500, 0);
        e.sample(sent, now);
        assert_eq!(e.srtt(), Some(Duration::from_millis(500)));
    }

    #[test]
    fn fixed_point_follows_jacobson() {
        let mut e = ticks(10, 200);
        sample(&mut e, 200); // 20 ticks: SRTT 20, RTTVAR 10, RTO 60 ticks
        assert_eq!(e.rto(), Duration::from_millis(600));
        sample(&mut e, 280); // error 8: SRTT 21, RTTVAR 10 + (8-10)/4 = 9.5, RTO = (38·8 + 168)/8 = 59
        assert_eq!(e.srtt(), Some(Duration::from_millis(210)));
        assert_eq!(e.rttvar(), Some(Duration::from_millis(95)));
        assert_eq!(e.rto(), Duration::from_millis(590));
    }

    #[test]
    fn rfc_6298_section_2_has_gains_of_an_eighth_and_a_quarter() {
        let mut e = exact();
        let (mut srtt, mut rttvar) = (400.0, 200.0);
        sample(&mut e, 400);
        for rtt in [520, 380, 610, 1500, 90] {
            sample(&mut e, rtt);
            let rtt = rtt as f64;
            // RTTVAR is updated first, with the SRTT from before.
            rttvar = 0.75 * rttvar + 0.25 * f64::abs(srtt - rtt);
            srtt = 0.875 * srtt + 0.125 * rtt;
            let expected = f64::max(1.0, (srtt + 4.0 * rttvar) / 1000.0);
            assert!((e.rto().as_secs_f64() - expected).abs() < 1e-6);
        }
    }

    #[test]
    fn the_bound_below_comes_before_the_backoff() {
        let mut e = exact();
        sample(&mut e, 10);
        e.back_off();
        assert_eq!(e.rto(), Duration::from_secs(2));
        e.end_backoff();
        assert_eq!(e.rto(), Duration::from_secs(1));
    }

    #[test]
    fn a_sample_after_any_backoff_counts_as_the_next_one_when_exact() {
        let mut e = exact();
        sample(&mut e, 800);
        for _ in 0..10 {
            e.back_off();
        }
        sample(&mut e, 1600);
        assert_eq!(e.srtt(), Some(Duration::from_millis(900)));
    }

    #[test]
    fn the_coarse_clock_has_its_bounds() {
        // BSD: 500 ms ticks, RTO at least 1 s and at most 60 s, 3 s before a sample.
        let mut e = ticks(500, 1000);
        assert_eq!(e.rto(), Duration::from_secs(3));
        sample(&mut e, 30_000); // 60 ticks: 3·30 s
        assert_eq!(e.rto(), Duration::from_secs(60));
        let mut e = ticks(100, 1000);
        sample(&mut e, 100);
        assert_eq!(e.rto(), Duration::from_secs(1));
        // Two ticks whatever the bounds say.
        let mut e = ticks(500, 0);
        Arc::make_mut(&mut e.config).max = Duration::from_millis(1);
        sample(&mut e, 500);
        assert_eq!(e.rto(), Duration::from_secs(1));
    }

    #[test]
    fn the_coarse_clock_doubles_and_restarts_the_estimate_past_three_doublings() {
        let mut e = ticks(500, 1000);
        sample(&mut e, 1000); // SRTT 2 ticks, RTTVAR 1: 6 ticks
        let rtos: Vec<u64> = (0..6)
            .map(|_| {
                e.back_off();
                e.rto().as_nanos() / 1_000_000
            })
            .collect();
        assert_eq!(rtos, [6000, 12_000, 24_000, 48_000, 60_000, 60_000]);
        // The old round trips are forgotten, and zero is none; the RTO that they gave is kept.
        assert_eq!((e.srtt(), e.rttvar()), (None, None));
        e.end_backoff();
        assert_eq!(e.rto(), Duration::from_secs(3));
        // This counts as a first sample.
        sample(&mut e, 4000);
        assert_eq!(e.srtt(), Some(Duration::from_secs(4)));
        assert_eq!(e.rto(), Duration::from_secs(12));
        // Three doublings do not forget.
        let mut e = ticks(500, 1000);
        sample(&mut e, 1000);
        for _ in 0..3 {
            e.back_off();
        }
        sample(&mut e, 4000);
        assert_eq!(e.srtt(), Some(Duration::from_millis(1375)));
    }
}
