//! Whether the rate of delivery still grows.

use super::{Gain, NO_RATE};
use crate::units::Rate;

/// After this number of round trips in which the rate did not grow by a quarter, the pipe is full.
const ROUNDS_WITHOUT_GROWTH: u32 = 3;
const GROWTH: Gain = Gain(1.25);

/// Whether the pipe was filled since the law began to look (draft-cardwell-iccrg-bbr-00 section 4.3.2.2;
/// draft-ietf-ccwg-bbr, "Exiting Acceleration Based on Bandwidth Plateau").
#[derive(Clone, Copy, Debug)]
pub(crate) struct FullPipe {
    reached: bool,
    /// The rate when it last grew by a quarter.
    rate: Rate,
    rounds: u32,
}

impl Default for FullPipe {
    fn default() -> Self {
        Self {
            reached: false,
            rate: NO_RATE,
            rounds: 0,
        }
    }
}

impl FullPipe {
    /// A round trip is over in which the sender could send what it wanted.
    pub(crate) fn on_round(&mut self, bandwidth: Rate) {
        if self.reached {
            return;
        }
        if bandwidth >= self.rate * GROWTH {
            self.rate = bandwidth;
            self.rounds = 0;
        } else {
            self.rounds += 1;
            self.reached = self.rounds >= ROUNDS_WITHOUT_GROWTH;
        }
    }

    /// After a timeout any rate is growth.
    pub(crate) fn forget_rate(&mut self) {
        self.rate = NO_RATE;
    }

    /// Starts the search for growth of the rate anew, after a slowdown that was no loss.
    pub(crate) fn begin_again(&mut self) {
        self.rate = NO_RATE;
        self.rounds = 0;
    }

    /// The law looks anew whether the rate grows beyond this one.
    pub(crate) fn look_beyond(&mut self, rate: Rate) {
        *self = Self {
            rate,
            ..Self::default()
        };
    }

    pub(crate) fn is_reached(&self) -> bool {
        self.reached
    }
}
