//! TCP Westwood (Casetti et al. 2002) and Westwood+ (Grieco and Mascolo 2004): the threshold after a
//! loss is what the path was measured to carry.
//!
//! The bandwidth estimate BWE is in segments per second. Westwood filters a sample an ACK with the
//! 2002 paper's discrete (Tustin) low-pass filter; Westwood+ takes one sample a round trip. The other
//! parameters are the rules of UCLA's module for ns-2 where they are not the paper's.

use super::path::AckCount;
use super::{CongestionControl, Law, standard_growth};
use crate::parameter::{names, parameters};
use crate::tcp::slot::{Base, BuiltIn, OwnPreset, Setup};
use crate::tcp::window::{AckEvent, IdleEvent, LossEvent, Response, TimeoutEvent, Window};
use crate::time::{Duration, Time};
use crate::units::Segments;

parameters! {
    /// Parameters of Westwood, which choose among its published versions; the first one by default.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct WestwoodConfig {
        /// One bandwidth sample a round trip; false: one an ACK.
        // Westwood+, instead of one an ACK (2002).
        plus: bool = false, Flag;
        /// Time constant of the filter of bandwidth samples.
        // τ of the low-pass filter (2002 only).
        tau: Duration = Duration::from_millis(500), Period;
        /// How samples are filtered: as published; as UCLA's module does it, where zeros take their time out of the
        /// sample; or with the same weights for each ACK, without zeros.
        // 2002 only.
        filter: BandwidthFilter = BandwidthFilter::Published, OneOf<BandwidthFilter>;
        /// An ACK counts two segments at most, and its own apart from those of duplicates.
        at_most_two: bool = false, Flag;
        /// The smallest RTT is in ticks of the retransmission timer's clock, the handshake's included.
        // Of the segments that it times.
        coarse_rtt: bool = false, Flag;
        /// Round BWE·RTTmin, the window that the estimated bandwidth fills, down to whole segments.
        whole: bool = false, Flag;
        /// A timeout divides the threshold by the losses in a row that came below it, up to 4.
        divides: bool = false, Flag;
    }
}

names! {
    /// Filter by which Westwood averages its bandwidth samples.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum BandwidthFilter {
        /// Weights by the time since the last ACK; samples of zero in long gaps (section 3.1).
        Published = "published",
        /// Weights and zeros as published, but the sample after zeros is over the time that they leave; if that is
        /// less than 10 ms, the last zero's time is added.
        Ns2 = "ns2",
        /// Equal weights for every ACK, whatever the time since the last one; no zeros.
        PerAck = "per-ack",
    }
}

/// The time after zeros that is too short for a sample ([`BandwidthFilter::Ns2`]).
const SHORT: Duration = Duration::from_millis(10);

/// Weights of the filter [`BandwidthFilter::PerAck`]: `KEPT` of the estimate, `NEW` of an ACK's
/// sample and of the one before.
const KEPT: f64 = 0.9047;
const NEW: f64 = 0.0476;

impl WestwoodConfig {
    /// Parameters by which Westwood works as UCLA's module for ns-2, version 1.3 of 2002.
    pub const UCLA: Self = Self {
        plus: false,
        tau: Duration::from_secs(1),
        filter: BandwidthFilter::Ns2,
        at_most_two: true,
        coarse_rtt: true,
        whole: true,
        divides: true,
    };
}

impl BuiltIn for Westwood {
    type Config = WestwoodConfig;
    type State = Box<Self>;
    const NAME: &'static str = "westwood";
    const SUMMARY: &'static str = "threshold from a bandwidth estimate (plus = true: Westwood+)";
    const SOURCE: &'static str = "Casetti et al. 2002; Grieco and Mascolo 2004";
    const PRESETS: &'static [OwnPreset<WestwoodConfig>] = &[
        OwnPreset {
            name: "westwood-nr",
            summary: "ssthresh from a bandwidth estimate, a sample an ACK; NewReno recovery",
            source: "Casetti et al. 2002",
            base: Base::NewReno,
            config: WestwoodConfig::DEFAULT,
        },
        OwnPreset {
            name: "westwood+",
            summary: "ssthresh from a bandwidth estimate, a sample a round trip; NewReno recovery",
            source: "Grieco and Mascolo 2004",
            base: Base::NewReno,
            config: WestwoodConfig {
                plus: true,
                ..WestwoodConfig::DEFAULT
            },
        },
    ];

    fn build(config: &WestwoodConfig, setup: &Setup) -> Box<Self> {
        Box::new(Self::new(*config, setup.tick))
    }
}

impl Law for Westwood {}

/// State of one Westwood sender.
#[derive(Clone, Copy, Debug)]
pub struct Westwood {
    config: WestwoodConfig,
    /// Tick of the retransmission timer's clock.
    tick: Duration,
    rtt_min: Duration,
    /// BWE and the unfiltered sample before it, segments per second.
    estimate: f64,
    last_sample: f64,
    last_ack: Option<Time>,
    count: AckCount,
    /// Segments acknowledged since `last_ack` (Westwood+: since the round trip began).
    pending: f64,
    /// By what a timeout divides the threshold.
    divisor: f64,
}

impl Westwood {
    /// State of a Westwood sender that has sent nothing yet; `tick` is that of its retransmission timer's clock.
    pub fn new(config: WestwoodConfig, tick: Duration) -> Self {
        Self {
            config,
            tick: tick.max(Duration::from_nanos(1)),
            rtt_min: Duration::MAX,
            estimate: 0.0,
            last_sample: 0.0,
            last_ack: None,
            count: AckCount::new(config.at_most_two),
            pending: 0.0,
            divisor: 0.0,
        }
    }

    /// Takes the round trip of the segment that the retransmission timer's clock has timed.
    fn time(&mut self, now: Time, rtt: Duration) {
        let tick = self.tick.as_nanos();
        let begun = now.as_nanos().saturating_sub(rtt.as_nanos()) / tick;
        let ticks = (now.as_nanos() / tick - begun).max(1);
        self.rtt_min = self.rtt_min.min(self.tick * ticks);
    }

    fn measure(&mut self, ack: &AckEvent) {
        if !self.config.coarse_rtt
            && let Some(rtt) = ack.segment_rtt
        {
            self.rtt_min = self.rtt_min.min(rtt);
        } else if self.config.coarse_rtt
            && let Some(rtt) = ack.rtt
        {
            self.time(ack.now, rtt);
        }
        self.pending += self.count.reported(ack.acked.0);
        let Some(last) = self.last_ack else {
            self.last_ack = Some(ack.now);
            self.pending = 0.0;
            return;
        };
        let elapsed = ack.now.since(last);
        let wait = if self.config.plus {
            // One sample a round trip, of at least 50 ms (the Westwood+ authors' choice).
            ack.srtt
                .unwrap_or(Duration::MAX)
                .max(Duration::from_millis(50))
        } else {
            Duration::from_nanos(1)
        };
        // ACKs of the same instant are one sample: the filter needs a distance in time.
        if elapsed < wait {
            return;
        }
        let acked = std::mem::take(&mut self.pending);
        let sample = acked / elapsed.as_secs_f64();
        self.last_ack = Some(ack.now);
        if self.config.plus {
            self.estimate = if self.estimate == 0.0 {
                sample
            } else {
                (7.0 * self.estimate + sample) / 8.0
            };
        } else {
            match self.config.filter {
                BandwidthFilter::Published => self.filter(sample, elapsed),
                BandwidthFilter::Ns2 => self.filter_rest(acked, elapsed),
                BandwidthFilter::PerAck => {
                    self.estimate = KEPT * self.estimate + NEW * (sample + self.last_sample);
                    self.last_sample = sample;
                }
            }
        }
    }

    /// Section 3.1: `b̂ₖ = ((2τ/Δ − 1)·b̂ₖ₋₁ + bₖ + bₖ₋₁) / (2τ/Δ + 1)`. Without an ACK for τ/2 the
    /// paper inserts virtual samples of zero; here they are inserted when the next ACK ends the gap.
    fn filter(&mut self, sample: f64, elapsed: Duration) {
        let rest = self.fill(elapsed, Duration::from_nanos(1));
        self.step(sample, rest);
    }

    /// Filters a sample that is taken over the time left by the zeros ([`BandwidthFilter::Ns2`]).
    fn filter_rest(&mut self, acked: f64, elapsed: Duration) {
        let rest = self.fill(elapsed, SHORT);
        self.step(acked / rest.as_secs_f64(), rest);
    }

    /// Samples of zero, one for each τ/2 of the time `elapsed` since the last ACK. Returns what they leave of
    /// it, which is at least `least` if there are any.
    fn fill(&mut self, elapsed: Duration, least: Duration) -> Duration {
        let slot = (self.config.tau / 2).max(Duration::from_nanos(1));
        let filled = elapsed.as_nanos().saturating_sub(least.as_nanos());
        let gaps = filled / slot.as_nanos();
        // Each virtual sample multiplies the estimate by 3/5: after 64 nothing is left of it.
        for _ in 0..gaps.min(64) {
            self.step(0.0, slot);
        }
        elapsed
            .saturating_sub(slot * gaps)
            .max(Duration::from_nanos(1))
    }

    fn step(&mut self, sample: f64, elapsed: Duration) {
        let k = 2.0 * self.config.tau.as_nanos() as f64 / elapsed.as_nanos() as f64;
        self.estimate =
            ((k - 1.0) * self.estimate + sample + self.last_sample).max(0.0) / (k + 1.0);
        self.last_sample = sample;
    }

    /// BWE·RTTmin in segments; `None` before there is an estimate.
    fn path_window(&self) -> Option<f64> {
        (self.rtt_min < Duration::MAX && self.estimate > 0.0)
            .then(|| self.estimate * self.rtt_min.as_secs_f64())
    }

    fn whole(&self, segments: f64) -> Segments {
        Segments(if self.config.whole {
            segments.trunc()
        } else {
            segments
        })
    }

    /// Counts a loss below the threshold as `more` of those in a row.
    fn count_loss(&mut self, window: &Window, more: f64) {
        self.divisor = if window.ssthresh > window.cwnd {
            (self.divisor + more).min(4.0)
        } else {
            1.0
        };
    }
}

impl CongestionControl for Westwood {
    fn on_open(&mut self, now: Time, rtt: Option<Duration>) {
        if let Some(rtt) = rtt.filter(|_| self.config.coarse_rtt) {
            self.time(now, rtt);
        }
    }

    fn on_ack(&mut self, ack: &AckEvent) {
        self.measure(ack);
    }

    fn grow(&mut self, ack: &AckEvent, window: &mut Window) {
        standard_growth(ack, window);
    }

    fn on_dupack(&mut self, ack: &AckEvent) {
        self.measure(ack);
    }

    fn on_loss(&mut self, loss: &LossEvent, window: &Window) -> Response {
        self.count_loss(window, 0.25);
        let path = self.path_window().unwrap_or(loss.window.0 / 2.0);
        loss.fall_to(self.whole(path), window)
    }

    /// A pause is no part of a round trip, of which Westwood+ takes a sample. The filter of 2002 fills it with zeros,
    /// as published.
    fn on_resume(&mut self, _idle: &IdleEvent) {
        if self.config.plus {
            self.last_ack = None;
        }
    }

    fn on_timeout(&mut self, timeout: &TimeoutEvent, window: &Window) -> Response {
        self.count_loss(window, 1.0);
        let path = self.path_window().unwrap_or(timeout.window.0 / 2.0);
        Response::restart(if self.config.divides {
            self.whole(path / self.divisor)
        } else {
            self.whole(path)
        })
    }
}

#[cfg(test)]
mod tests;
