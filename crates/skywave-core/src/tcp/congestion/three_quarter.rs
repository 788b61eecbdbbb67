//! A milder cut for links that lose at random (Francis 2012, algorithm 2 of chapter 4).

use super::{CongestionControl, Law, standard_growth};
use crate::tcp::slot::{BuiltIn, Setup};
use crate::tcp::window::{AckEvent, LossEvent, Response, TimeoutEvent, Window};

/// Congestion control of Reno with a milder cut: a fast retransmit sets cwnd and ssthresh to three quarters of the
/// data outstanding.
#[derive(Clone, Copy, Debug, Default)]
pub struct ThreeQuarter;

impl BuiltIn for ThreeQuarter {
    type Config = ();
    type State = Self;
    const NAME: &'static str = "three-quarter";
    const SUMMARY: &'static str =
        "Reno with three quarters of what is outstanding after a fast retransmit";
    const SOURCE: &'static str = "Francis 2012, chapter 4";

    fn build(_config: &(), _setup: &Setup) -> Self {
        Self
    }
}

impl Law for ThreeQuarter {}

impl CongestionControl for ThreeQuarter {
    fn grow(&mut self, ack: &AckEvent, window: &mut Window) {
        standard_growth(ack, window);
    }

    fn on_loss(&mut self, loss: &LossEvent, _window: &Window) -> Response {
        loss.cut_to(loss.outstanding * 0.75)
    }

    fn on_timeout(&mut self, timeout: &TimeoutEvent, _window: &Window) -> Response {
        Response::restart(timeout.window / 2.0)
    }
}
