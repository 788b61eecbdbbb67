//! Reactions of BBR to single losses, which are undone if the losses were spurious.

use super::bounds::{BETA, Bounds};
use super::phase::Phase;
use super::{Bbr3, FullPipe, Seen};
use crate::tcp::flight::{LossSample, RateSample};
use crate::tcp::window::{Repairing, Window};
use crate::time::Time;
use crate::units::Segments;

/// Share of what is in flight whose loss in a round trip is tolerated while asking for more
/// (BBR.LossThresh).
const TOLERATED: f64 = 0.02;
/// Number of separate losses in a round trip that end STARTUP (BBRStartupFullLossCnt).
const STARTUP_LOSSES: u32 = 6;

/// A round trip that begins with the first loss in it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LossRound {
    /// Bytes delivered when it began (BBR.loss_round_delivered).
    start: u64,
    /// Whether this ACK ends the loss round (BBR.loss_round_start).
    pub(super) round_over: bool,
    /// Something was lost in it (BBR.is_loss_in_round).
    pub(super) is_loss: bool,
    /// Separate ranges that were lost in it, and the end of the last of them.
    ranges: u32,
    last_end: u64,
}

impl LossRound {
    /// An ACK came with a rate of delivery.
    pub(super) fn on_ack(&mut self, sample: &RateSample) {
        self.round_over = sample.prior_delivered >= self.start;
        if self.round_over {
            self.start = sample.total_delivered;
        }
    }

    fn note(&mut self, lost: &LossSample) {
        if !self.is_loss {
            self.start = lost.total_delivered;
        }
        self.is_loss = true;
        self.ranges += u32::from(self.ranges == 0 || lost.start != self.last_end);
        self.last_end = lost.end;
    }
}

/// Bounds and phase before the latest loss, for an undo.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Undo {
    bounds: Bounds,
    /// The phase that the loss has ended (BBR.undo_state).
    pub(super) phase: Option<Phase>,
}

impl Bbr3 {
    /// `IsInflightTooHigh`.
    pub(super) fn is_too_much(&self, lost: u64, in_flight: u64) -> bool {
        lost as f64 > in_flight as f64 * TOLERATED || lost > 0 && !self.sack
    }

    /// `HandleLostPacket`.
    pub(super) fn take_loss(&mut self, now: Time, lost: &LossSample, cwnd: Segments) {
        if !self.losses.is_loss {
            self.saved.save(cwnd, self.phase.is_probe_rtt());
            // The draft saves in each round trip with a loss, which forgets that a probe or STARTUP was ended when
            // the next segment of the same recovery is lost.
            if self.undo.phase.is_none() {
                self.undo.bounds = self.bounds;
            }
        }
        self.delivered = lost.total_delivered;
        self.losses.note(lost);
        if self.probing.is_sample && self.is_too_much(lost.lost, lost.flight_at_send) {
            self.end_probe_by_loss(now, lost, cwnd);
        }
    }

    /// `HandleInflightTooHigh`: the probe has lost too much, which is answered once.
    fn end_probe_by_loss(&mut self, now: Time, lost: &LossSample, cwnd: Segments) {
        self.probing.was_too_much = true;
        self.probing.is_sample = false;
        if !lost.app_limited {
            let least = self.target_inflight(cwnd) * BETA;
            self.bounds.long_term = Some(self.tolerable(lost).max(least));
        }
        if self.phase == Phase::Up {
            self.undo.phase = Some(Phase::Up);
            self.start_down(now);
        }
    }

    /// Segments in flight at which losses just reached the tolerated share (`InflightAtLoss`): at
    /// the segment before this one they were still below it.
    fn tolerable(&self, lost: &LossSample) -> Segments {
        let own = lost.end - lost.start;
        let before = lost.flight_at_send.saturating_sub(own) as f64;
        let lost_before = lost.lost.saturating_sub(own) as f64;
        let part = (TOLERATED * before - lost_before) / (1.0 - TOLERATED);
        Segments((before + part).max(0.0) / f64::from(self.mss))
    }

    /// `CheckStartupHighLoss`: a round trip of a recovery in which more was lost, and in more places, than a
    /// pipe loses that is not full.
    pub(super) fn check_startup_loss(&mut self, seen: &Seen) {
        let is_round = self.losses.round_over && seen.ack.repairing == Repairing::Loss;
        let enough = self.losses.ranges >= STARTUP_LOSSES || !self.sack;
        let sample = seen.sample;
        if self.phase == Phase::Startup
            && is_round
            && enough
            && self.is_too_much(sample.lost, sample.flight_at_send)
        {
            self.undo.phase = Some(Phase::Startup);
            self.was_full = true;
            let delivered = self.in_segments(self.latest.delivered());
            self.bounds.long_term = Some(self.bdp(self.bandwidth()).max(delivered));
        }
        if self.losses.round_over {
            self.losses.ranges = 0;
        }
    }

    /// `SaveStateUponLoss`: a recovery begins.
    pub(super) fn save_state(&mut self, cwnd: Segments) {
        self.saved.save(cwnd, self.phase.is_probe_rtt());
        self.undo = Undo {
            bounds: self.bounds,
            phase: None,
        };
    }

    /// `HandleSpuriousLossDetection`: nothing was lost.
    pub(super) fn take_back(&mut self, window: &mut Window) {
        window.cwnd = self.saved.restored(window.cwnd);
        self.losses.is_loss = false;
        self.full_pipe = FullPipe::default();
        self.bounds = self.bounds.wider(&self.undo.bounds);
        let in_probe_rtt = self.phase.is_probe_rtt();
        match self.undo.phase.take() {
            Some(Phase::Startup) if self.phase != Phase::Startup => {
                self.was_full = false;
                if !in_probe_rtt {
                    self.phase = Phase::Startup;
                }
            }
            Some(Phase::Up) if self.phase != Phase::Up && !in_probe_rtt => {
                self.start_refill();
            }
            _ => {}
        }
    }
}
