//! How much may be in flight (the draft's "Congestion Window"): two BDPs, what lumps of ACKs need, and no more
//! than the bounds that losses have set.

use super::phase::Phase;
use super::{Bbr3, EXTRA_ACKED_AT_FIRST, FEWEST, Gain, Repairing, Seen, Target, delivered_in};
use crate::tcp::window::Window;
use crate::units::{Rate, Segments};

/// Bursts that are in flight beyond the BDP: one is sent, one on its way, one acknowledged
/// (`UpdateOffloadBudget` for TCP).
const BURSTS: f64 = 3.0;
/// Segments that leave at once, at least.
const SHORTEST_BURST: Segments = Segments(2.0);

impl Bbr3 {
    /// Segments that leave at once (C.send_quantum).
    pub(super) fn quantum(&self) -> Segments {
        self.pace.burst(SHORTEST_BURST)
    }

    /// The BDP at this rate.
    pub(super) fn bdp(&self, rate: Rate) -> Segments {
        self.bdps(rate, Gain::ONE)
    }

    /// `BDPMultiple`.
    fn bdps(&self, rate: Rate, gain: Gain) -> Segments {
        match self.min_rtt.get() {
            Some(rtt) => delivered_in(rtt, rate, self.mss) * gain,
            None => self.initial_window,
        }
    }

    /// Data in flight at this rate without a queue, in segments (`Inflight(1.0)`).
    pub(super) fn inflight(&self, rate: Rate) -> Segments {
        self.with_bursts(self.bdp(rate))
    }

    /// `QuantizationBudget`.
    fn with_bursts(&self, segments: Segments) -> Segments {
        let window = segments.max(self.quantum() * BURSTS).max(FEWEST);
        if self.phase == Phase::Up {
            window + Segments(2.0)
        } else {
            window
        }
    }

    /// `TargetInflight`: the BDP, unless losses have cut the window.
    pub(super) fn target_inflight(&self, cwnd: Segments) -> Segments {
        self.bdp(self.bandwidth()).min(cwnd)
    }

    /// BBR.max_inflight.
    fn max_inflight(&self) -> Segments {
        let extra = if self.was_full {
            self.extra_acked.get()
        } else {
            self.extra_acked.of_last(EXTRA_ACKED_AT_FIRST)
        };
        self.with_bursts(self.bdps(self.bandwidth(), self.phase.cwnd_gain()) + extra)
    }

    /// `ProbeRTTCwnd`.
    pub(super) fn probe_rtt_window(&self) -> Segments {
        let gain = Phase::ProbeRtt(None).cwnd_gain();
        self.bdps(self.bandwidth(), gain).max(FEWEST)
    }

    /// `SetCwnd`, and the window of before when a repair is over.
    pub(super) fn set_window(&mut self, seen: &Seen, window: &mut Window) {
        let before = self.saved.repairs(seen.ack.repairing);
        if before != Repairing::Nothing && seen.ack.repairing == Repairing::Nothing {
            window.cwnd = self.saved.restored(window.cwnd);
        }
        let target = Target {
            window: self.max_inflight(),
            is_bound: self.was_full,
            is_guess: self.delivered < self.initial_window.to_bytes(self.mss),
        };
        window.cwnd = target.approach(window.cwnd, seen.ack.delivered);
        if self.phase.is_probe_rtt() {
            window.cwnd = window.cwnd.min(self.probe_rtt_window());
        }
        let bounds = [self.long_term_bound(), self.bounds.short_term];
        for bound in bounds.into_iter().flatten() {
            window.cwnd = window.cwnd.min(bound.max(FEWEST));
        }
    }

    /// The long-term bound as far as it holds now (`BoundCwndForModel`).
    fn long_term_bound(&self) -> Option<Segments> {
        match self.phase {
            Phase::Startup | Phase::Drain(_) => None,
            Phase::Down | Phase::Refill | Phase::Up => self.bounds.long_term,
            Phase::Cruise | Phase::ProbeRtt(_) => self.bounds.with_headroom(),
        }
    }
}
