//! The pace that follows from the model.

use super::Gain;
use crate::tcp::pacing::{NOMINAL_RTT, rate_of_window};
use crate::tcp::window::AckEvent;
use crate::time::Duration;
use crate::units::{Rate, Segments};

/// The pace stays 1 % below the model's rate, so that a queue shrinks (Linux's
/// `bbr_pacing_margin_percent`, BBR.PacingMarginPercent).
const MARGIN: Gain = Gain(0.99);

/// BBR.pacing_rate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    rate: Rate,
    /// Payload bytes of a segment.
    mss: u32,
    /// By how much faster it is than a window in a round trip, while there is no model.
    startup: Gain,
    /// It has taken the first round trip into account.
    seen_rtt: bool,
}

impl Pace {
    /// Of a connection that has seen no round trip yet.
    pub(crate) fn new(initial_window: Segments, mss: u32, startup: Gain) -> Self {
        let mut pace = Self {
            rate: Rate::from_bps(1),
            mss,
            startup,
            seen_rtt: false,
        };
        pace.follow_window(initial_window, NOMINAL_RTT);
        pace
    }

    /// Paces as slow start would with this window and round trip.
    fn follow_window(&mut self, window: Segments, rtt: Duration) {
        self.rate = rate_of_window(window, rtt, self.mss, 1.0) * self.startup * MARGIN;
    }

    /// The first ACK with a round trip slows the first pace down.
    pub(crate) fn on_ack(&mut self, ack: &AckEvent, window: Segments) {
        if let Some(srtt) = ack.srtt.filter(|srtt| !srtt.is_zero() && !self.seen_rtt) {
            self.seen_rtt = true;
            self.follow_window(window, srtt);
        }
    }

    /// Paces at the model's rate times `gain`. Until the pipe was full the pace only grows.
    pub(crate) fn follow(&mut self, bandwidth: Rate, gain: Gain, was_full: bool) {
        let rate = bandwidth * gain * MARGIN;
        if was_full || rate > self.rate {
            self.rate = rate;
        }
    }

    pub(crate) fn rate(&self) -> Rate {
        self.rate
    }

    #[cfg(test)]
    pub(crate) fn set(&mut self, rate: Rate) {
        self.rate = rate;
    }
}
