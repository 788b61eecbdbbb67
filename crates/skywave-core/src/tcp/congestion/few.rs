//! FeW, fractional window increment (Nahm, Helmy and Kuo 2008): on a chain of radio hops the window that
//! fits is a few segments, and one segment a round trip overshoots it.
//!
//! In congestion avoidance the window grows by `alpha` segments a round trip instead of one. Slow start and
//! every cut are Reno's.

use super::{CongestionControl, Law, Reno};
use crate::parameter::parameters;
use crate::tcp::slot::{Base, BuiltIn, OwnPreset, Setup};
use crate::tcp::window::{AckEvent, LossEvent, Response, TimeoutEvent, Window};

parameters! {
    /// FeW's constant: segments by which the window grows in a round trip of congestion avoidance.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct FewConfig {
        /// Segments by which the window grows in a round trip of congestion avoidance.
        // The smallest of the values that its authors name (0.01 and 0.02): Francis 2012 gives none.
        alpha: f64 = 0.01, Positive;
    }
}

impl BuiltIn for Few {
    type Config = FewConfig;
    type State = Self;
    const NAME: &'static str = "few";
    const SUMMARY: &'static str = "alpha segments a round trip instead of one; halving";
    const SOURCE: &'static str = "Nahm, Helmy and Kuo 2008";
    const PRESETS: &'static [OwnPreset<FewConfig>] = &[OwnPreset {
        name: "few",
        summary: "a window that grows by 0.01 segments a round trip; NewReno recovery",
        source: "Nahm, Helmy and Kuo 2008",
        base: Base::NewReno,
        config: FewConfig::DEFAULT,
    }];

    fn build(config: &FewConfig, _setup: &Setup) -> Self {
        Self { config: *config }
    }
}

impl Law for Few {}

/// Congestion control FeW: Reno, but in congestion avoidance the window grows by only a fraction of a segment
/// a round trip. Has no state of its own.
#[derive(Clone, Copy, Debug)]
pub struct Few {
    config: FewConfig,
}

impl CongestionControl for Few {
    fn grow(&mut self, ack: &AckEvent, window: &mut Window) {
        if !ack.may_grow {
            return;
        }
        window.cwnd += if window.cwnd < window.ssthresh {
            ack.counted
        } else {
            ack.counted * self.config.alpha / window.cwnd.0
        };
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
