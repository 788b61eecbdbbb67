//! The pace that follows from the model.

use super::Gain;
use crate::tcp::window::AckEvent;
use crate::time::Duration;
use crate::units::{Rate, Segments};

/// Round trip that the first pace assumes while none was measured (draft-cardwell-iccrg-bbr-00 section
/// 4.2.1; draft-ietf-ccwg-bbr, `InitPacingRate`).
const NOMINAL_RTT: Duration = Duration::from_millis(1);

/// The pace stays 1 % below the model's rate, so that a queue shrinks (Linux's
/// `bbr_pacing_margin_percent`, BBR.PacingMarginPercent).
const MARGIN: Gain = Gain(0.99);

/// BBR.pacing_rate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    rate: Rate,
    /// In segments of so many bytes.
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
        let bits = window.0 * f64::from(self.mss) * 8.0;
        // A cast of a float saturates.
        let rate = Rate::from_bps((bits / rtt.as_secs_f64()) as u64);
        self.rate = rate * self.startup * MARGIN;
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
