//! The window between what a law wants and what it has.

use crate::tcp::window::Repairing;
use crate::units::Segments;

/// Least window (BBR.MinPipeCwnd): two segments an ACK, one such pair on its way each way.
pub(crate) const FEWEST: Segments = Segments(4.0);

/// The window from before it shrank for a while.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Saved {
    /// Repair that goes on as of the last ACK.
    going_on: Repairing,
    /// BBR.prior_cwnd.
    window: Segments,
}

impl Saved {
    /// The window is about to shrink for a while, `on_purpose` if it has already.
    pub(crate) fn save(&mut self, cwnd: Segments, on_purpose: bool) {
        let shrunk = self.going_on != Repairing::Nothing || on_purpose;
        self.window = if shrunk { self.window.max(cwnd) } else { cwnd };
    }

    /// The window after the time in which it was small: the saved one, or `cwnd` if that is larger.
    pub(crate) fn restored(&self, cwnd: Segments) -> Segments {
        self.window.max(cwnd)
    }

    /// Sets the repair that goes on from now on; returns the one until now.
    pub(crate) fn repairs(&mut self, repairing: Repairing) -> Repairing {
        std::mem::replace(&mut self.going_on, repairing)
    }
}

/// The window that a law wants.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) window: Segments,
    /// The pipe was full once: the target is a bound.
    pub(crate) is_bound: bool,
    /// Less has been delivered than the initial window: the target is no more than a guess.
    pub(crate) is_guess: bool,
}

impl Target {
    /// From `cwnd` by what has arrived up to the target; below it at once, but not before the pipe was full.
    pub(crate) fn approach(self, cwnd: Segments, arrived: Segments) -> Segments {
        let cwnd = if self.is_bound {
            (cwnd + arrived).min(self.window)
        } else if cwnd < self.window || self.is_guess {
            cwnd + arrived
        } else {
            cwnd
        };
        cwnd.max(FEWEST)
    }
}
