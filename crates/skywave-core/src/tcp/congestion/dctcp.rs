//! DCTCP (RFC 8257): a window cut by the share of data that was marked, instead of by half for any mark.
//!
//! The receiver echoes every mark exactly (section 3.2), so that the sender can count: once a window of
//! data α moves by `g` towards the share of it that was marked. A mark cuts the window to `1 − α/2` of
//! itself, once a window of data: hardly if few segments were marked, to half if all were. A loss is
//! answered as by Reno.

use super::{CongestionControl, Law, NeedsEcn, Reno, standard_growth};
use crate::parameter::parameters;
use crate::tcp::slot::{Base, BuiltIn, OwnPreset, Setup};
use crate::tcp::window::{AckEvent, LossEvent, Response, TimeoutEvent, Window};
use crate::units::Segments;

parameters! {
    /// DCTCP's constants, by default as published.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct DctcpConfig {
        /// Weight of the latest window of data in the average share of marked data.
        // g, of the latest window of data in α.
        g: f64 = 1.0 / 16.0, Probability;
        /// First value of the average share of marked data.
        // α before anything is known: 1 answers the first mark as Reno does (section 4.2).
        alpha: f64 = 1.0, Probability;
    }
}

impl BuiltIn for Dctcp {
    type Config = DctcpConfig;
    type State = Self;
    const NAME: &'static str = "dctcp";
    const SUMMARY: &'static str = "cut by the share of data that was marked; every mark is echoed";
    const SOURCE: &'static str = "RFC 8257";
    const PRESETS: &'static [OwnPreset<DctcpConfig>] = &[OwnPreset {
        name: "dctcp",
        summary: "cuts by the share of data that queues marked; ECN, SACK recovery",
        source: Self::SOURCE,
        base: Base::Sack,
        config: DctcpConfig::DEFAULT,
    }];

    fn build(config: &DctcpConfig, _setup: &Setup) -> Self {
        Self::new(*config)
    }
}

impl Law for Dctcp {
    const NEEDS_ECN: NeedsEcn = NeedsEcn::EveryMark;
}

/// State of one DCTCP sender.
#[derive(Clone, Copy, Debug)]
pub struct Dctcp {
    share: MarkedShare,
}

/// The average share of data that was marked (section 3.3), without a time at which it moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct MarkedShare {
    g: f64,
    pub(super) alpha: f64,
    /// Acknowledged since it moved last, and the part of that under a mark's echo.
    acked: Segments,
    marked: Segments,
    /// The window of data that is counted ends here.
    window_end: u64,
}

impl MarkedShare {
    pub(super) fn new(g: f64, alpha: f64) -> Self {
        Self {
            g,
            alpha,
            acked: Segments::ZERO,
            marked: Segments::ZERO,
            window_end: 0,
        }
    }

    /// Counts what an ACK acknowledges (steps 1 to 3; reports of blocks do not count). TCP's echo is about all of
    /// it; QUIC counts the packets that were marked.
    pub(super) fn count(&mut self, ack: &AckEvent) {
        self.acked += ack.acked;
        let all = ack.marked > Segments::ZERO && ack.marked >= ack.delivered;
        self.marked += if all { ack.acked } else { ack.marked };
    }

    /// The window of data that is counted has been acknowledged (step 4).
    pub(super) fn is_over(&self, ack: &AckEvent) -> bool {
        ack.una > self.window_end
    }

    /// Moves α by what was counted, and begins again (steps 5 to 8).
    pub(super) fn update(&mut self, ack: &AckEvent) {
        if self.acked > Segments::ZERO {
            let share = self.marked.0 / self.acked.0;
            self.alpha = self.alpha * (1.0 - self.g) + self.g * share;
        }
        self.begin_round(ack);
    }

    /// Forgets what was counted.
    pub(super) fn begin_round(&mut self, ack: &AckEvent) {
        (self.acked, self.marked) = (Segments::ZERO, Segments::ZERO);
        self.window_end = ack.nxt;
    }
}

impl Dctcp {
    /// State of a DCTCP sender that has sent nothing yet.
    pub fn new(config: DctcpConfig) -> Self {
        Self {
            share: MarkedShare::new(config.g, config.alpha),
        }
    }
}

impl CongestionControl for Dctcp {
    fn on_ack(&mut self, ack: &AckEvent) {
        self.share.count(ack);
        if self.share.is_over(ack) {
            self.share.update(ack);
        }
    }

    fn grow(&mut self, ack: &AckEvent, window: &mut Window) {
        standard_growth(ack, window);
    }

    fn on_loss(&mut self, loss: &LossEvent, window: &Window) -> Response {
        Reno.on_loss(loss, window)
    }

    fn on_timeout(&mut self, timeout: &TimeoutEvent, window: &Window) -> Response {
        Reno.on_timeout(timeout, window)
    }

    fn on_ecn(&mut self, mark: &LossEvent, _window: &Window) -> Response {
        mark.cut_to(mark.window * (1.0 - self.share.alpha / 2.0))
    }
}

#[cfg(test)]
mod tests;
