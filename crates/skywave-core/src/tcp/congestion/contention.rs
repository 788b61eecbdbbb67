//! The contention indicator (Chen et al., as in Francis 2012, section 3.2.4): the receiver tells losses apart by how
//! one-way delays change, and the sender answers each kind in its own way.
//!
//! The receiver's part is in `receiver/indicator.rs`. With `received` for the segments that duplicate ACKs have
//! reported:
//!
//! | the receiver says | window |
//! |---|---|
//! | nothing: the air lost it | `cwnd + received` |
//! | dubious | `0.8·(cwnd + received)` |
//! | congestion | `0.5·(cwnd + received)` |
//!
//! Open in the text: what becomes of the threshold. It is the new window after a cut, and stays otherwise. A timeout is
//! Reno's.

use super::{CongestionControl, Law, Reno, standard_growth};
use crate::packet::{Hints, Marks};
use crate::parameter::parameters;
use crate::tcp::slot::{Base, BuiltIn, OwnPreset, Setup};
use crate::tcp::window::{AckEvent, LossEvent, Response, TimeoutEvent, Window};
use crate::units::Segments;

impl BuiltIn for Contention {
    type Config = ContentionConfig;
    type State = Self;
    const NAME: &'static str = "contention-indicator";
    const SUMMARY: &'static str = "1, 0.8 or 0.5 of the window after a loss, by what the receiver makes of one-way delays (heavy)";
    const SOURCE: &'static str = "Chen et al., in Francis 2012, section 3.2.4";
    const PRESETS: &'static [OwnPreset<ContentionConfig>] = &[OwnPreset {
        name: "contention-indicator",
        summary: "Reno that cuts by the receiver's judgement of one-way delays",
        source: Self::SOURCE,
        base: Base::Reno,
        config: Self::DEFAULT,
    }];

    fn build(_config: &ContentionConfig, _setup: &Setup) -> Self {
        Self::default()
    }
}

impl Law for Contention {
    fn indicator(config: &ContentionConfig) -> Option<f64> {
        Some(config.heavy)
    }
}

parameters! {
    /// Parameter of the contention indicator, by which the receiver tells congestion from other losses.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct ContentionConfig {
        /// The indicator above which a loss is congestion, in mean deviations of the delay.
        heavy: f64 = 0.25, Positive;
    }
}

/// Congestion control by the contention indicator, state of one sender: a loss leaves all, 0.8 or half of the
/// window, as the receiver judges from one-way delays.
#[derive(Clone, Copy, Debug, Default)]
pub struct Contention {
    /// Duplicate ACKs in a row.
    dupacks: u32,
    /// The receiver's hints on the latest duplicate ACK.
    hints: Hints,
}

impl CongestionControl for Contention {
    fn on_ack(&mut self, _ack: &AckEvent) {
        self.dupacks = 0;
    }

    fn grow(&mut self, ack: &AckEvent, window: &mut Window) {
        standard_growth(ack, window);
    }

    fn on_dupack(&mut self, ack: &AckEvent) {
        self.dupacks += 1;
        self.hints = ack.hints;
    }

    fn on_loss(&mut self, loss: &LossEvent, window: &Window) -> Response {
        let raised = window.cwnd + Segments(f64::from(self.dupacks));
        if self.hints.marks.contains(Marks::CONGESTED) {
            loss.cut_to(raised * 0.5)
        } else if self.hints.marks.contains(Marks::DUBIOUS) {
            loss.cut_to(raised * 0.8)
        } else {
            Response {
                window_after: raised,
                ..Response::unchanged(window)
            }
        }
    }

    fn on_timeout(&mut self, timeout: &TimeoutEvent, window: &Window) -> Response {
        self.dupacks = 0;
        Reno.on_timeout(timeout, window)
    }
}

#[cfg(test)]
mod tests;
