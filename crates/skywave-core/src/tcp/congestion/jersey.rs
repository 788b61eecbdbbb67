//! TCP Jersey (Xu, Tian and Ansari 2004): a loss is congestion if routers warn of congestion, and then the
//! window is what the path was measured to carry; a loss without a warning is sent again and nothing is cut.
//!
//! The congestion warning (CW) has ECN's field and way back: a router marks each packet while its average queue
//! is longer than a threshold, and the receiver echoes each mark. The optimum window is `R·RTT`, with the rate R
//! of [`AckRate`]. A sender whose path does not mark answers congestion by its timeouts alone.

use super::path::AckRate;
use super::{CongestionControl, Law, NeedsEcn, standard_growth};
use crate::tcp::slot::{Base, BuiltIn, OwnPreset, Setup};
use crate::tcp::window::{AckEvent, IdleEvent, LossEvent, Response, TimeoutEvent, Window};
use crate::units::Segments;

impl BuiltIn for Jersey {
    type Config = ();
    type State = Box<Self>;
    const NAME: &'static str = "jersey";
    const SUMMARY: &'static str =
        "R·RTT at a congestion warning (an ECN mark); no cut for a loss without one";
    const SOURCE: &'static str = "Xu, Tian and Ansari 2004";
    const PRESETS: &'static [OwnPreset<()>] = &[OwnPreset {
        name: "jersey",
        summary: "congestion is what routers mark; no cut for another loss; NewReno recovery",
        source: "Xu, Tian and Ansari 2004",
        base: Base::NewReno,
        config: (),
    }];

    fn build(_config: &(), _setup: &Setup) -> Box<Self> {
        Box::new(Self::default())
    }
}

impl Law for Jersey {
    const NEEDS_ECN: NeedsEcn = NeedsEcn::EveryMark;
}

/// Congestion control TCP Jersey, state of one sender: routers' warnings (ECN marks) cut the window to what
/// the path was measured to carry; a loss that duplicate ACKs show without a warning cuts nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Jersey {
    rate: AckRate,
}

impl Jersey {
    /// The optimum window; half of `window` before there is an estimate.
    fn optimum(&self, window: Segments) -> Segments {
        self.rate.in_round_trip().unwrap_or(window / 2.0)
    }
}

impl CongestionControl for Jersey {
    fn on_ack(&mut self, ack: &AckEvent) {
        self.rate.on_ack(ack);
    }

    fn grow(&mut self, ack: &AckEvent, window: &mut Window) {
        standard_growth(ack, window);
    }

    fn on_dupack(&mut self, ack: &AckEvent) {
        self.rate.on_ack(ack);
    }

    fn on_loss(&mut self, loss: &LossEvent, window: &Window) -> Response {
        if loss.warned {
            loss.fall_to(self.optimum(loss.window), window)
        } else {
            Response::unchanged(window)
        }
    }

    fn on_resume(&mut self, _idle: &IdleEvent) {
        self.rate.on_resume();
    }

    fn on_timeout(&mut self, timeout: &TimeoutEvent, _window: &Window) -> Response {
        Response::restart(self.optimum(timeout.window))
    }
}

#[cfg(test)]
mod tests;
