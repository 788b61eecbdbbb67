//! TCP Westwood (Casetti et al. 2002) and Westwood+ (Grieco and Mascolo 2004): the threshold after a
//! loss is what the path was measured to carry.
//!
//! The bandwidth estimate BWE is in segments per second. Westwood filters a sample an ACK with the
//! 2002 paper's discrete (Tustin) low-pass filter; Westwood+ takes one sample a round trip.

use super::path::AckCount;
use super::{CongestionControl, Law, standard_growth};
use crate::tcp::slot::{Base, BuiltIn, Field, OwnPreset, Setup};
use crate::tcp::window::{AckEvent, IdleEvent, LossEvent, Response, TimeoutEvent, Window};
use crate::time::{Duration, Time};
use crate::units::Segments;

/// Which Westwood.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WestwoodConfig {
    /// One bandwidth sample a round trip (Westwood+) instead of one an ACK (2002).
    pub plus: bool,
    /// Time constant τ of the low-pass filter (2002 only).
    pub tau: Duration,
}

impl WestwoodConfig {
    /// As published.
    pub const DEFAULT: Self = Self {
        plus: false,
        tau: Duration::from_millis(500),
    };
}

impl BuiltIn for Westwood {
    type Config = WestwoodConfig;
    type State = Box<Self>;
    const NAME: &'static str = "westwood";
    const SUMMARY: &'static str = "threshold from a bandwidth estimate (plus = true: Westwood+)";
    const SOURCE: &'static str = "Casetti et al. 2002; Grieco and Mascolo 2004";
    const DEFAULT: WestwoodConfig = WestwoodConfig::DEFAULT;
    const FIELDS: &'static [Field<WestwoodConfig>] = &[
        Field::flag("plus", "One bandwidth sample a round trip", |c| &mut c.plus),
        Field::period("tau", "Time constant of the filter", |c| Ok(&mut c.tau)),
    ];
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

    fn build(config: &WestwoodConfig, _setup: &Setup) -> Box<Self> {
        Box::new(Self::new(*config))
    }
}

impl Law for Westwood {}

/// State of one Westwood sender.
#[derive(Clone, Copy, Debug)]
pub struct Westwood {
    config: WestwoodConfig,
    rtt_min: Duration,
    /// BWE and the unfiltered sample before it, segments per second.
    estimate: f64,
    last_sample: f64,
    last_ack: Option<Time>,
    count: AckCount,
    /// Segments acknowledged since `last_ack` (Westwood+: since the round trip began).
    pending: f64,
}

impl Westwood {
    /// A sender that has seen nothing yet.
    pub fn new(config: WestwoodConfig) -> Self {
        Self {
            config,
            rtt_min: Duration::MAX,
            estimate: 0.0,
            last_sample: 0.0,
            last_ack: None,
            count: AckCount::default(),
            pending: 0.0,
        }
    }

    fn measure(&mut self, ack: &AckEvent) {
        if let Some(rtt) = ack.segment_rtt {
            self.rtt_min = self.rtt_min.min(rtt);
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
        let sample = self.pending / elapsed.as_secs_f64();
        self.pending = 0.0;
        self.last_ack = Some(ack.now);
        if self.config.plus {
            self.estimate = if self.estimate == 0.0 {
                sample
            } else {
                (7.0 * self.estimate + sample) / 8.0
            };
        } else {
            self.filter(sample, elapsed);
        }
    }

    /// Section 3.1: `b̂ₖ = ((2τ/Δ − 1)·b̂ₖ₋₁ + bₖ + bₖ₋₁) / (2τ/Δ + 1)`. Without an ACK for τ/2 the
    /// paper inserts virtual samples of zero; here they are inserted when the next ACK ends the gap.
    fn filter(&mut self, sample: f64, elapsed: Duration) {
        let slot = (self.config.tau / 2).max(Duration::from_nanos(1));
        let gaps = elapsed.as_nanos().saturating_sub(1) / slot.as_nanos().max(1);
        // Each virtual sample multiplies the estimate by 3/5: after 64 nothing is left of it.
        for _ in 0..gaps.min(64) {
            self.step(0.0, slot);
        }
        let rest = elapsed.saturating_sub(slot * gaps);
        self.step(sample, rest.max(Duration::from_nanos(1)));
    }

    fn step(&mut self, sample: f64, elapsed: Duration) {
        let k = 2.0 * self.config.tau.as_nanos() as f64 / elapsed.as_nanos() as f64;
        self.estimate =
            ((k - 1.0) * self.estimate + sample + self.last_sample).max(0.0) / (k + 1.0);
        self.last_sample = sample;
    }

    /// BWE·RTTmin in segments; `None` before there is an estimate.
    fn path_window(&self) -> Option<Segments> {
        (self.rtt_min < Duration::MAX && self.estimate > 0.0)
            .then(|| Segments(self.estimate * self.rtt_min.as_secs_f64()))
    }
}

impl CongestionControl for Westwood {
    fn on_ack(&mut self, ack: &AckEvent, window: &mut Window) {
        self.measure(ack);
        standard_growth(ack, window);
    }

    fn on_dupack(&mut self, ack: &AckEvent) {
        self.measure(ack);
    }

    fn on_loss(&mut self, loss: &LossEvent, window: &Window) -> Response {
        let path = self.path_window().unwrap_or(loss.window / 2.0);
        loss.fall_to(path, window)
    }

    /// A pause is no part of a round trip, of which Westwood+ takes a sample. The filter of 2002 fills it with zeros,
    /// as published.
    fn on_resume(&mut self, _idle: &IdleEvent) {
        if self.config.plus {
            self.last_ack = None;
        }
    }

    fn on_timeout(&mut self, timeout: &TimeoutEvent, _window: &Window) -> Response {
        Response::restart(self.path_window().unwrap_or(timeout.window / 2.0))
    }
}

#[cfg(test)]
mod tests;
