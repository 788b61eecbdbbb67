//! SCA, slow congestion avoidance (Papanastasiou and Ould-Khaoua 2004; Francis 2012, section 4.2): the
//! window stays as it is until a number of ACKs has come, then it grows by one segment.
//!
//! The count is of ACKs, not of round trips: a window of more segments than `acks` grows faster than Reno's.
//! Slow start and every cut are Reno's; a cut begins the count again.

use super::{CongestionControl, Law, Reno};
use crate::parameter::parameters;
use crate::tcp::slot::{Base, BuiltIn, OwnPreset, Setup};
use crate::tcp::window::{AckEvent, LossEvent, Response, TimeoutEvent, Window};
use crate::units::Segments;

parameters! {
    /// SCA's constant: the number of ACKs for which the window grows by one segment.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct ScaConfig {
        /// ACKs of congestion avoidance for one segment more.
        // `ca_increase_thresh`. The text names no number: ten are more than the window that a chain of four hops fills.
        acks: u32 = 10, Count.alone();
    }
}

impl BuiltIn for Sca {
    type Config = ScaConfig;
    type State = Self;
    const NAME: &'static str = "sca";
    const SUMMARY: &'static str = "one segment after that many ACKs; halving";
    const SOURCE: &'static str = "Papanastasiou and Ould-Khaoua 2004";
    const PRESETS: &'static [OwnPreset<ScaConfig>] = &[OwnPreset {
        name: "sca",
        summary: "one segment more after ten ACKs; NewReno recovery",
        source: "Papanastasiou and Ould-Khaoua 2004",
        base: Base::NewReno,
        config: ScaConfig::DEFAULT,
    }];

    fn build(config: &ScaConfig, _setup: &Setup) -> Self {
        Self {
            config: *config,
            counted: 0,
        }
    }
}

impl Law for Sca {}

/// Congestion control SCA (slow congestion avoidance), state of one sender: Reno, but in congestion avoidance
/// the window grows by one segment after a fixed number of ACKs.
#[derive(Clone, Copy, Debug)]
pub struct Sca {
    config: ScaConfig,
    /// ACKs since the window last grew or was cut.
    counted: u32,
}

impl CongestionControl for Sca {
    fn grow(&mut self, ack: &AckEvent, window: &mut Window) {
        if !ack.may_grow {
            return;
        }
        if window.cwnd < window.ssthresh {
            window.cwnd += ack.counted;
            return;
        }
        self.counted += 1;
        if self.counted >= self.config.acks {
            self.counted = 0;
            window.cwnd += Segments::ONE;
        }
    }

    fn on_loss(&mut self, loss: &LossEvent, window: &Window) -> Response {
        self.counted = 0;
        Reno.on_loss(loss, window)
    }

    fn on_timeout(&mut self, timeout: &TimeoutEvent, window: &Window) -> Response {
        self.counted = 0;
        Reno.on_timeout(timeout, window)
    }
}

#[cfg(test)]
mod tests;
