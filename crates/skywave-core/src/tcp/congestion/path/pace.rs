//! The pace that follows from the model.

use super::burst::burst;
use super::{Gain, NO_RATE};
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
    /// Segments that take 1 ms at `rate`. Both change much less often than they are asked for.
    burst: Segments,
    /// The rate and the gain that were last to be followed, and the pace that they ask for.
    followed: (Rate, Gain),
    asked: Rate,
    /// Payload bytes of a segment.
    mss: u32,
    /// By how much faster it is than a window in a round trip, while there is no model.
    startup: Gain,
    /// Whether the first round trip has been taken into account.
    seen_rtt: bool,
}

impl Pace {
    /// The pace of a connection that has seen no round trip yet: its initial window in a nominal
    /// one.
    pub(crate) fn new(initial_window: Segments, mss: u32, startup: Gain) -> Self {
        let mut pace = Self {
            rate: Rate::from_bps(1),
            burst: Segments::ZERO,
            followed: (NO_RATE, Gain::ONE),
            asked: NO_RATE,
            mss,
            startup,
            seen_rtt: false,
        };
        pace.follow_window(initial_window, NOMINAL_RTT);
        pace
    }

    /// Paces as slow start would with this window and round trip.
    fn follow_window(&mut self, window: Segments, rtt: Duration) {
        self.set(rate_of_window(window, rtt, self.mss, 1.0) * self.startup * MARGIN);
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
        if self.followed != (bandwidth, gain) {
            self.followed = (bandwidth, gain);
            self.asked = bandwidth * gain * MARGIN;
        }
        if self.asked > self.rate || was_full && self.asked < self.rate {
            self.set(self.asked);
        }
    }

    pub(crate) fn rate(&self) -> Rate {
        self.rate
    }

    /// Whole segments that leave at once: 1 ms of the pace, but no less than `fewest`.
    pub(crate) fn burst(&self, fewest: Segments) -> Segments {
        self.burst.max(fewest)
    }

    pub(crate) fn set(&mut self, rate: Rate) {
        self.rate = rate;
        self.burst = burst(rate, self.mss);
    }
}
