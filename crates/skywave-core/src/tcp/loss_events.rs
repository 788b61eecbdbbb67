//! How a sender met its losses: with how many duplicate ACKs in hand, and at which window.
//!
//! SIFEST (Pan, Mark and Shen, figures 8, 10 and 12) asks which timeouts could have been fast
//! retransmits: those for which the duplicate ACKs of all other segments had come, but were fewer
//! than three.

use std::ops::Sub;

use crate::units::Segments;

/// A window of this many segments or fewer brings three duplicate ACKs only by chance: the lost
/// segment leaves at most two.
const SMALL: Segments = Segments(3.0);

/// Counts of a sender's timeouts and fast retransmits, by the duplicate ACKs and the window when they came. (Both are
/// rare: 32-bit counts keep a sender small.)
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LossEvents {
    /// Timeouts by the number of duplicate ACKs in a row that had come before: none, 1, 2, and 3 or more.
    pub timeouts: [u32; 4],
    /// Timeouts before which k = 0, 1, 2 duplicate ACKs had come while exactly k + 1 segments were outstanding: all of
    /// these but the lost one had caused a duplicate ACK.
    pub failed_dupacks: [u32; 3],
    /// Timeouts at a congestion window of three segments or less.
    pub small_cwnd_timeouts: u32,
    /// Fast retransmits at a congestion window of three segments or less.
    pub small_cwnd_fast_retransmits: u32,
}

impl LossEvents {
    /// The retransmission timer expired.
    pub(crate) fn timeout(&mut self, dupacks: u32, outstanding: u64, cwnd: Segments) {
        let held = dupacks as usize;
        self.timeouts[held.min(3)] += 1;
        if outstanding == u64::from(dupacks) + 1
            && let Some(failed) = self.failed_dupacks.get_mut(held)
        {
            *failed += 1;
        }
        self.small_cwnd_timeouts += u32::from(cwnd <= SMALL);
    }

    /// A fast retransmit began.
    pub(crate) fn fast_retransmit(&mut self, cwnd: Segments) {
        self.small_cwnd_fast_retransmits += u32::from(cwnd <= SMALL);
    }
}

impl Sub for LossEvents {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self {
            timeouts: std::array::from_fn(|i| self.timeouts[i] - earlier.timeouts[i]),
            failed_dupacks: std::array::from_fn(|i| {
                self.failed_dupacks[i] - earlier.failed_dupacks[i]
            }),
            small_cwnd_timeouts: self.small_cwnd_timeouts - earlier.small_cwnd_timeouts,
            small_cwnd_fast_retransmits: self.small_cwnd_fast_retransmits
                - earlier.small_cwnd_fast_retransmits,
        }
    }
}
