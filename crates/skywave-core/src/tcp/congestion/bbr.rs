//! BBR, version 1 (Cardwell et al. 2016; draft-cardwell-iccrg-bbr-congestion-control-00; Linux's
//! `tcp_bbr.c`): a sender that follows a model of its path instead of losses.
//!
//! The model is the largest rate of delivery of the last ten round trips and the smallest round trip of
//! the last ten seconds ([`model`]). Their product, the BDP, is what must be in flight to use all of the
//! path without a queue. A state machine ([`phase`]) paces above the measured rate for a while, to see
//! whether the path carries more, then below it to drain what queued up, and from time to time empties the
//! pipe to see the round trip without a queue. The window ([`window`]) is only the upper bound of what
//! is in flight.
//!
//! Not there: Linux's long-term sampling, which recognises a policer (`lt_bw`).

mod aggregation;
mod model;
mod phase;
mod window;

use super::path::{
    Dwell, FEWEST, FullPipe, Gain, Lumps, MaxRate, NO_RATE, OfLate, Pace, Rounds, Saved, Starved,
    Target, delivered_in,
};
use super::{CongestionControl, Law, LawFacts};
use crate::tcp::flight::RateSample;
use crate::tcp::slot::{BuiltIn, Setup};
use crate::tcp::window::{
    AckEvent, IdleEvent, LossEvent, Repairing, Response, SpuriousEvent, TimeoutEvent, Window,
};
use crate::units::{Rate, Segments};

use aggregation::Aggregation;
use model::{Delivers, MinRtt};
use phase::Phase;
use window::Repair;

/// State of one BBR sender.
#[derive(Clone, Debug)]
pub struct Bbr {
    mss: u32,
    initial_window: Segments,
    rounds: Rounds,
    bandwidth: MaxRate,
    min_rtt: MinRtt,
    delivers: Delivers,
    full_pipe: FullPipe,
    phase: Phase,
    aggregation: Aggregation,
    repair: Repair,
    /// In PROBE_RTT less is sent than the path may carry.
    starved: Starved,
    /// Data follows a pause, and none of it is acknowledged.
    idle_restart: bool,
    pace: Pace,
}

impl BuiltIn for Bbr {
    type Config = ();
    /// In a box: it is several times as large as the others.
    type State = Box<Self>;
    const NAME: &'static str = "bbr";
    const SUMMARY: &'static str = "paced by the measured rate; two BDPs in flight at most";
    const SOURCE: &'static str = "Cardwell et al. 2016; draft-cardwell-iccrg-bbr-00";

    fn build(_config: &(), setup: &Setup) -> Box<Self> {
        Box::new(Self::new(setup))
    }
}

impl Law for Bbr {}

/// Below this pace one segment leaves at a time, above it two at least (section 4.2.2).
const SLOW: Rate = Rate::from_bps(1_200_000);

impl Bbr {
    /// State of a BBR sender that has sent nothing yet.
    pub fn new(setup: &Setup) -> Self {
        Self {
            mss: setup.mss,
            initial_window: setup.initial_window,
            rounds: Rounds::default(),
            bandwidth: MaxRate::new(NO_RATE),
            min_rtt: MinRtt::default(),
            delivers: Delivers::default(),
            full_pipe: FullPipe::default(),
            phase: Phase::Startup,
            aggregation: Aggregation::default(),
            repair: Repair::default(),
            starved: Starved::default(),
            idle_restart: false,
            pace: Pace::new(setup.initial_window, setup.mss, phase::HIGH_GAIN),
        }
    }

    /// Paces at the model's rate times `gain`.
    fn pace(&mut self, gain: Gain) {
        let was_full = self.full_pipe.is_reached();
        self.pace.follow(self.bandwidth.get(), gain, was_full);
    }

    /// `gain` BDPs in segments; the initial window before a round trip was seen (section 4.2.3.2).
    fn bdp(&self, gain: Gain) -> Segments {
        debug_assert!(
            self.delivers
                .is_of(self.min_rtt.get(), self.bandwidth.get())
        );
        let bdp = self.delivers.in_rtt();
        bdp.map_or(self.initial_window, |bdp| (bdp * gain).ceil())
    }

    /// Segments that leave at once (section 4.2.2).
    fn quantum(&self) -> Segments {
        let fewest = if self.pace.rate() < SLOW { 1.0 } else { 2.0 };
        self.pace.burst(Segments(fewest))
    }

    /// Takes the sample into the model (sections 4.1.1 and 4.1.2); whether a round trip is over.
    fn measure(&mut self, ack: &AckEvent, sample: &RateSample, cwnd: Segments) -> bool {
        let Some(rate) = sample.rate() else {
            return false;
        };
        let round = self.rounds.on_ack(sample);
        if round {
            self.repair.end_conservation();
        }
        if !self.starved.limits(sample) || rate >= self.bandwidth.get() {
            self.bandwidth.update(self.rounds.count(), rate);
        }
        self.note_model();
        let bandwidth = self.bandwidth.get();
        let lump = self.aggregation.on_ack(ack, round, bandwidth, self.mss);
        self.aggregation.note(lump.min(cwnd));
        round
    }

    /// Call after the bandwidth or the smallest round trip was updated.
    fn note_model(&mut self) {
        let (rtt, rate) = (self.min_rtt.get(), self.bandwidth.get());
        self.delivers.follow(rtt, rate, self.mss);
    }

    fn in_segments(&self, bytes: u64) -> Segments {
        Segments::from_bytes(bytes, self.mss)
    }
}

impl CongestionControl for Bbr {
    fn grow(&mut self, ack: &AckEvent, window: &mut Window) {
        let Some(sample) = ack.rate else {
            // Nothing has arrived.
            return;
        };
        let round = self.measure(ack, &sample, window.cwnd);
        self.advance(ack, &sample, round, window);
        self.idle_restart = false;
        self.pace.on_ack(ack, window.cwnd);
        self.pace(self.phase.pacing_gain());
        self.set_window(ack, &sample, window);
    }

    /// Losses change only how much may be in flight while they are repaired (`bbr/window.rs`).
    fn on_loss(&mut self, _loss: &LossEvent, window: &Window) -> Response {
        self.repair.save(window.cwnd, &self.phase);
        Response::unchanged(window)
    }

    fn on_timeout(&mut self, _timeout: &TimeoutEvent, window: &Window) -> Response {
        self.repair.save(window.cwnd, &self.phase);
        self.repair.begin(Repairing::Timeout);
        self.full_pipe.forget_rate();
        Response {
            window_after: Segments::ONE,
            ..Response::unchanged(window)
        }
    }

    fn on_ecn(&mut self, _mark: &LossEvent, window: &Window) -> Response {
        Response::unchanged(window)
    }

    fn on_spurious(&mut self, _spurious: &SpuriousEvent, _window: &mut Window) {
        self.full_pipe.begin_again();
    }

    /// Section 4.3.4.4: at the measured rate rather than in a burst.
    fn on_idle_restart(&mut self, idle: &IdleEvent, window: &mut Window) {
        self.idle_restart = true;
        self.aggregation.begin(idle.now);
        match self.phase {
            Phase::ProbeBw(_) => self.pace(Gain::ONE),
            Phase::ProbeRtt(Some(dwell)) => self.end_probe_rtt(idle.now, dwell, window),
            _ => {}
        }
    }

    fn facts(&self) -> LawFacts {
        LawFacts {
            owns_window: true,
            needs_rate: true,
            ..LawFacts::default()
        }
    }

    fn pacing_rate(&self) -> Option<Rate> {
        Some(self.pace.rate())
    }

    fn send_quantum(&self) -> Option<u64> {
        Some(self.quantum().to_bytes(self.mss))
    }
}

#[cfg(test)]
mod tests;
