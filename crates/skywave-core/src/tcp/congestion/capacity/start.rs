//! When the first slow start has filled the path.

use super::super::path::FullPipe;
use super::model::Model;
use crate::tcp::flight::RateSample;

/// A round trip in which the rate grew by less than a quarter, ...
const GROWTH: f64 = 1.25;
/// ... with a queue of this part of the base, fills the path.
const LONG: f64 = 0.25;

/// The start of a connection: ends by BBR's rule (three round trips without a quarter more), or as soon as one
/// without has a queue.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Start {
    pub(super) full_pipe: FullPipe,
    /// Rate of the round trip before.
    rate: f64,
}

impl Start {
    /// An ACK came; `round`: a round trip is over. Whether the path is filled.
    pub(super) fn on_ack(&mut self, round: bool, sample: &RateSample, model: &Model) -> bool {
        if !round {
            return false;
        }
        if !sample.app_limited {
            self.full_pipe.on_round(model.bandwidth.get());
        }
        let rate = model.rate();
        let before = std::mem::replace(&mut self.rate, rate);
        let still = before > 0.0 && rate < GROWTH * before;
        let long = (model.queue.base() * LONG).max(model.threshold());
        self.full_pipe.is_reached() || still && model.queue.latest() > long
    }
}
