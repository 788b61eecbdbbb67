//! TCP Hybla (Caini and Firrincieli 2004): a long path's rate grows in time as a short path's.
//!
//! `ρ = max(RTT/RTT0, 1)` says how much longer the path is than a reference path. An acknowledged
//! segment adds `2^ρ − 1` in slow start and `ρ²/cwnd` after it, so that `cwnd/RTT` grows as it would
//! with the round trip RTT0. The RTT is the smallest one seen, as in Linux: with the latest one a queue
//! would speed up the growth that fills it.

use super::{CongestionControl, Law, Reno};
use crate::parameter::parameters;
use crate::tcp::slot::{Base, BuiltIn, OwnPreset, Setup};
use crate::tcp::window::{AckEvent, LossEvent, Response, TimeoutEvent, Window};
use crate::time::Duration;
use crate::units::Segments;

parameters! {
    /// Hybla's constant: the reference round-trip time, by default as published.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct HyblaConfig {
        /// Reference round-trip time.
        // RTT0, of the reference path.
        rtt0: Duration = Duration::from_millis(25), Period;
    }
}

impl BuiltIn for Hybla {
    type Config = HyblaConfig;
    type State = Self;
    const NAME: &'static str = "hybla";
    const SUMMARY: &'static str = "growth in time as with a round trip of rtt0; halving";
    const SOURCE: &'static str = "Caini and Firrincieli 2004";
    const PRESETS: &'static [OwnPreset<HyblaConfig>] = &[OwnPreset {
        name: "hybla",
        summary: "grows on a long path as fast as on one of 25 ms; SACK recovery",
        source: Self::SOURCE,
        base: Base::Sack,
        config: HyblaConfig::DEFAULT,
    }];

    fn build(config: &HyblaConfig, _setup: &Setup) -> Self {
        Self::new(*config)
    }
}

impl Law for Hybla {}

/// State of one Hybla sender.
#[derive(Clone, Copy, Debug)]
pub struct Hybla {
    config: HyblaConfig,
    rtt_min: Duration,
    /// ρ; 1 until a round trip was seen.
    rho: f64,
}

/// Largest exponent in slow start, as in Linux: 2¹⁶ segments an ACK are every window that there is.
const MAX_EXPONENT: f64 = 16.0;

impl Hybla {
    /// State of a Hybla sender that has sent nothing yet.
    pub fn new(config: HyblaConfig) -> Self {
        Self {
            config,
            rtt_min: Duration::MAX,
            rho: 1.0,
        }
    }
}

impl CongestionControl for Hybla {
    fn on_ack(&mut self, ack: &AckEvent) {
        // The ACK of a lone segment may have been kept back: that time is no length of the path.
        let lone = ack.in_flight_before < Segments(2.0);
        if let Some(rtt) = ack.segment_rtt.filter(|rtt| !lone && *rtt < self.rtt_min) {
            self.rtt_min = rtt;
            let rtt0 = self.config.rtt0.as_nanos().max(1);
            self.rho = (rtt.as_nanos() as f64 / rtt0 as f64).max(1.0);
        }
    }

    fn grow(&mut self, ack: &AckEvent, window: &mut Window) {
        if !ack.may_grow {
            return;
        }
        if window.cwnd < window.ssthresh {
            let step = libm::exp2(self.rho.min(MAX_EXPONENT)) - 1.0;
            // Up to the threshold, and at least as far as Reno.
            let end = window.ssthresh.max(window.cwnd + ack.counted);
            window.cwnd = (window.cwnd + ack.counted * step).min(end);
        } else {
            window.cwnd += ack.counted * (self.rho * self.rho) / window.cwnd.0;
        }
    }

    fn on_loss(&mut self, loss: &LossEvent, window: &Window) -> Response {
        Reno.on_loss(loss, window)
    }

    fn on_timeout(&mut self, timeout: &TimeoutEvent, window: &Window) -> Response {
        Reno.on_timeout(timeout, window)
    }
}

#[cfg(test)]
mod tests;
