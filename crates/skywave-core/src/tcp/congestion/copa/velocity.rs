//! How fast the window goes towards its target.

use crate::units::Segments;

/// Round trips in one direction from which on each doubles the velocity.
const STEADY: u32 = 3;

/// The velocity, and the direction in which the window has gone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Velocity {
    v: f64,
    up: bool,
    /// Round trips in this direction.
    rounds: u32,
    /// The window when this round trip began.
    start: Segments,
}

impl Default for Velocity {
    fn default() -> Self {
        Self::starting_at(Segments::ZERO)
    }
}

impl Velocity {
    /// A velocity of 1 for a window of `cwnd` segments that begins to follow the target.
    pub(super) fn starting_at(cwnd: Segments) -> Self {
        Self {
            v: 1.0,
            up: false,
            rounds: 0,
            start: cwnd,
        }
    }

    /// A round trip is over.
    pub(super) fn on_round(&mut self, cwnd: Segments) {
        let up = cwnd > self.start;
        self.start = cwnd;
        if up != self.up {
            self.up = up;
            self.rounds = 0;
            self.v = 1.0;
        }
        self.rounds += 1;
        if self.rounds >= STEADY {
            self.v *= 2.0;
        }
    }

    /// The window is about to go up or down. A velocity that has built up in one direction is not used in
    /// the other one (as in Meta's mvfst): it would carry the window far beyond the target.
    pub(super) fn go(&mut self, up: bool, cwnd: Segments) {
        if up != self.up && self.v > 1.0 {
            *self = Self {
                up,
                ..Self::starting_at(cwnd)
            };
        }
    }

    /// Segments by which an acknowledged one moves the window: `v/(δ·cwnd)`, but no more than slow start
    /// would.
    pub(super) fn step(&mut self, delta: f64, cwnd: Segments) -> f64 {
        self.v = self.v.min((delta * cwnd.0).max(1.0));
        (self.v / (delta * cwnd.0)).min(1.0)
    }
}
