//! Yongmei et al. 2009, mechanism 1 (Francis 2012, section 3.1.3): after a loss the window is what the path was
//! measured to carry in its smallest round trip.
//!
//! The answers are Westwood's. The text has the bandwidth estimate BWE "from the rate of acknowledgements" and
//! names no filter: here it is [TCP Jersey's](super::jersey), which forgets in a round trip, where Westwood's
//! filter takes half a second. Growth is Reno's.

use super::path::AckRate;
use super::{CongestionControl, Law, standard_growth};
use crate::tcp::slot::{Base, BuiltIn, OwnPreset, Setup};
use crate::tcp::window::{AckEvent, IdleEvent, LossEvent, Response, TimeoutEvent, Window};
use crate::time::Duration;
use crate::units::Segments;

impl BuiltIn for Yongmei {
    type Config = ();
    type State = Box<Self>;
    const NAME: &'static str = "yongmei";
    const SUMMARY: &'static str =
        "threshold BWE·RTTmin after a loss, BWE from the rate of ACKs of a round trip";
    const SOURCE: &'static str = "Yongmei et al. 2009; Francis 2012, section 3.1.3";
    const PRESETS: &'static [OwnPreset<()>] = &[OwnPreset {
        name: "yongmei",
        summary: "ssthresh from the rate of the last round trip's ACKs; NewReno recovery",
        source: "Yongmei et al. 2009; Francis 2012, section 3.1.3",
        base: Base::NewReno,
        config: (),
    }];

    fn build(_config: &(), _setup: &Setup) -> Box<Self> {
        Box::new(Self {
            bandwidth: AckRate::default(),
            rtt_min: None,
        })
    }
}

impl Law for Yongmei {}

/// Congestion control of Yongmei et al. (2009, mechanism 1), state of one sender: a loss cuts the window to
/// the estimated bandwidth times the smallest round trip.
#[derive(Clone, Copy, Debug)]
pub struct Yongmei {
    bandwidth: AckRate,
    rtt_min: Option<Duration>,
}

impl Yongmei {
    /// BWE·RTTmin in segments; `None` before there is an estimate.
    fn path_window(&self) -> Option<Segments> {
        self.bandwidth.in_time(self.rtt_min?)
    }
}

impl CongestionControl for Yongmei {
    fn on_ack(&mut self, ack: &AckEvent) {
        self.rtt_min = self.rtt_min.into_iter().chain(ack.segment_rtt).min();
        self.bandwidth.on_ack(ack);
    }

    fn grow(&mut self, ack: &AckEvent, window: &mut Window) {
        standard_growth(ack, window);
    }

    fn on_dupack(&mut self, ack: &AckEvent) {
        self.bandwidth.on_ack(ack);
    }

    fn on_loss(&mut self, loss: &LossEvent, window: &Window) -> Response {
        let path = self.path_window().unwrap_or(loss.window / 2.0);
        loss.fall_to(path, window)
    }

    fn on_resume(&mut self, _idle: &IdleEvent) {
        self.bandwidth.on_resume();
    }

    fn on_timeout(&mut self, timeout: &TimeoutEvent, _window: &Window) -> Response {
        Response::restart(self.path_window().unwrap_or(timeout.window / 2.0))
    }
}

#[cfg(test)]
mod tests;
