//! A milder cut for links that lose at random (Francis 2012, algorithm 2 of chapter 4).

use super::{CongestionControl, standard_growth};
use crate::tcp::window::{AckEvent, LossEvent, Response, TimeoutEvent, Window};

/// Reno with a fast retransmit that leaves three quarters of what is outstanding.
#[derive(Clone, Copy, Debug, Default)]
pub struct ThreeQuarter;

impl CongestionControl for ThreeQuarter {
    fn on_ack(&mut self, ack: &AckEvent, window: &mut Window) {
        standard_growth(ack, window);
    }

    fn on_loss(&mut self, loss: &LossEvent, _window: &Window) -> Response {
        Response::cut_to(loss.outstanding * 0.75)
    }

    fn on_timeout(&mut self, timeout: &TimeoutEvent, _window: &Window) -> Response {
        Response::restart(timeout.window / 2.0)
    }
}
