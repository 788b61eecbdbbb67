//! Reno (RFC 5681): additive increase, halving; for marks alone less on request (RFC 8511).

use super::{CongestionControl, Law, LawFacts, standard_growth};
use crate::tcp::slot::{BuiltIn, Setup};
use crate::tcp::window::{AckEvent, LossEvent, Response, TimeoutEvent, Window};

/// Part of the window that is kept after an ECN mark with RFC 8511 (section 3): a queue that marks
/// is a short one, and the rest fills the path when it has drained.
const BETA_ECN: f64 = 0.8;

/// Congestion control of Reno: additive increase, multiplicative decrease by half. Has no state of its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reno;

impl BuiltIn for Reno {
    type Config = ();
    type State = Self;
    const NAME: &'static str = "reno";
    const SUMMARY: &'static str = "additive increase, halving";
    const SOURCE: &'static str = "RFC 5681";

    fn build(_config: &(), _setup: &Setup) -> Self {
        Self
    }
}

impl Law for Reno {}

impl CongestionControl for Reno {
    fn facts(&self) -> LawFacts {
        LawFacts {
            is_standard: true,
            ..LawFacts::default()
        }
    }

    #[inline]
    fn grow(&mut self, ack: &AckEvent, window: &mut Window) {
        standard_growth(ack, window);
    }

    fn on_loss(&mut self, loss: &LossEvent, _window: &Window) -> Response {
        loss.cut_to(loss.window / 2.0)
    }

    fn on_ecn(&mut self, mark: &LossEvent, window: &Window) -> Response {
        if mark.abe {
            mark.cut_to(mark.window * BETA_ECN)
        } else {
            self.on_loss(mark, window)
        }
    }

    fn on_timeout(&mut self, timeout: &TimeoutEvent, _window: &Window) -> Response {
        Response::restart(timeout.window / 2.0)
    }
}
