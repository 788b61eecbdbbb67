//! How much may be in flight (section 4.2.3 of the draft). In steady state it is two BDPs and what bursts
//! and lumps of ACKs need. While losses are repaired it is what the network has shown to hold: in the
//! first round trip one segment for each that arrives, after it up to two.

use super::phase::Phase;
use super::{Bbr, FEWEST, Gain, Saved, Target};
use crate::tcp::flight::RateSample;
use crate::tcp::window::{AckEvent, Repairing, Window};
use crate::units::Segments;

/// Bursts that are in flight beyond the BDP: one is sent, one on its way, one acknowledged.
const BURSTS: f64 = 3.0;

/// The window and what is repaired (section 4.2.3.4).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Repair {
    saved: Saved,
    /// In the first round trip of a recovery, no more is sent than arrives.
    conserving: bool,
}

impl Repair {
    /// The window is about to shrink for a while.
    pub(super) fn save(&mut self, cwnd: Segments, phase: &Phase) {
        self.saved.save(cwnd, phase.is_probe_rtt());
    }

    /// The window after it.
    pub(super) fn restored(&self, cwnd: Segments) -> Segments {
        self.saved.restored(cwnd)
    }

    pub(super) fn begin(&mut self, repairing: Repairing) {
        self.saved.repairs(repairing);
    }

    pub(super) fn end_conservation(&mut self) {
        self.conserving = false;
    }
}

impl Bbr {
    /// Data in flight at this gain, in segments: the BDP times the gain, and room for bursts.
    pub(super) fn inflight(&self, gain: Gain) -> Segments {
        self.with_bursts(self.bdp(gain))
    }

    /// The window that holds `segments` in spite of bursts (Linux's `bbr_quantization_budget`): an even
    /// number, as receivers acknowledge every second segment.
    fn with_bursts(&self, segments: Segments) -> Segments {
        let window = segments + self.quantum() * BURSTS;
        let even = (window / 2.0).ceil() * 2.0;
        match self.phase {
            // A gain of 1.25 is no segment more of a small BDP.
            Phase::ProbeBw(cycle) if cycle.is_probing() => even + Segments(2.0),
            _ => even,
        }
    }

    /// The window that the model wants.
    fn target(&self) -> Segments {
        let mut target = self.bdp(self.phase.cwnd_gain());
        if self.full_pipe.is_reached() {
            target += self.aggregation.allowance(self.delivers.in_silence());
        }
        self.with_bursts(target)
    }

    pub(super) fn set_window(&mut self, ack: &AckEvent, sample: &RateSample, window: &mut Window) {
        let arrived = ack.delivered;
        if arrived > Segments::ZERO {
            window.cwnd = self.repaired(ack, sample, window.cwnd);
            if !self.repair.conserving {
                window.cwnd = self.towards_target(arrived, sample, window.cwnd);
            }
        }
        if self.phase.is_probe_rtt() {
            window.cwnd = window.cwnd.min(FEWEST);
        }
    }

    /// The window after what this ACK says of losses.
    fn repaired(&mut self, ack: &AckEvent, sample: &RateSample, cwnd: Segments) -> Segments {
        // Of segments that are smaller than the MSS there may be less than one's worth.
        let kept = (self.in_segments(sample.flight_now) + ack.delivered).max(Segments::ONE);
        let before = self.repair.saved.repairs(ack.repairing);
        let mut cwnd = cwnd;
        if ack.lost > Segments::ZERO {
            cwnd = (cwnd - ack.lost).max(Segments::ONE);
        }
        match (before, ack.repairing) {
            (Repairing::Nothing | Repairing::Timeout, Repairing::Loss) => {
                self.repair.conserving = true;
                self.rounds.begin_again(sample.total_delivered);
                cwnd = kept;
            }
            (Repairing::Loss | Repairing::Timeout, Repairing::Nothing) => {
                self.repair.conserving = false;
                cwnd = self.repair.restored(cwnd);
            }
            _ => {}
        }
        if self.repair.conserving {
            cwnd.max(kept)
        } else {
            cwnd
        }
    }

    /// By what has arrived up to the target; below it at once, but not before the pipe was full.
    fn towards_target(&self, arrived: Segments, sample: &RateSample, cwnd: Segments) -> Segments {
        let target = Target {
            window: self.target(),
            is_bound: self.full_pipe.is_reached(),
            is_guess: sample.total_delivered < self.initial_window.to_bytes(self.mss),
        };
        target.approach(cwnd, arrived)
    }
}
