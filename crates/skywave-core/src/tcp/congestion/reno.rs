//! Reno (RFC 5681): additive increase, halving.

use super::{CongestionControl, Law, standard_growth};
use crate::tcp::slot::{BuiltIn, Setup};
use crate::tcp::window::{AckEvent, LossEvent, Response, TimeoutEvent, Window};

/// Additive increase, multiplicative decrease by half. Without state of its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reno;

impl BuiltIn for Reno {
    type Config = ();
    type State = Self;
    const NAME: &'static str = "reno";
    const SUMMARY: &'static str = "additive increase, halving";
    const SOURCE: &'static str = "RFC 5681";
    const DEFAULT: () = ();

    fn build(_config: &(), _setup: &Setup) -> Self {
        Self
    }
}

impl Law for Reno {
    const IS_STANDARD: bool = true;
}

impl CongestionControl for Reno {
    #[inline]
    fn on_ack(&mut self, ack: &AckEvent, window: &mut Window) {
        standard_growth(ack, window);
    }

    fn on_loss(&mut self, loss: &LossEvent, _window: &Window) -> Response {
        loss.cut_to(loss.window / 2.0)
    }

    fn on_timeout(&mut self, timeout: &TimeoutEvent, _window: &Window) -> Response {
        Response::restart(timeout.window / 2.0)
    }
}
