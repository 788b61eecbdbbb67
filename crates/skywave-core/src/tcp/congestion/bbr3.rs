//! BBR, version 3 (draft-ietf-ccwg-bbr): the model of [version 1](super::Bbr), bounded by what losses say.
//!
//! A loss says that what was in flight may have been too much for the path. Over the long term
//! (`bounds.rs`) a probe that loses more than 2 % of what is in flight sets how much may be in flight in
//! later cycles. Over the short term each round trip with a loss brings rate and window closer to what
//! was delivered in it, until the next probe forgets that. The state machine (`phase.rs`, and for the
//! cycle that probes `cycle.rs`) asks for more every two or three seconds, or sooner where Reno would grow as much
//! sooner, instead of every eight round trips, and fills the pipe before it does. The window (`window.rs`) is the
//! upper bound of what is in flight.
//!
//! Not there: the answer to ECN marks, which the draft has only as an option.

mod bounds;
mod cycle;
mod loss;
mod min_rtt;
mod phase;
mod window;

use super::path::{
    Dwell, FEWEST, FullPipe, Gain, Largest, Lumps, NO_RATE, Pace, Rounds, Saved, Starved, Target,
    delivered_in,
};
use super::{CongestionControl, Law, LawFacts};
use crate::tcp::flight::{LossSample, RateSample};
use crate::tcp::slot::{BuiltIn, Setup};
use crate::tcp::window::{
    AckEvent, IdleEvent, LossEvent, Repairing, Response, SpuriousEvent, TimeoutEvent, Window,
};
use crate::time::Time;
use crate::units::{Rate, Segments};

use bounds::{Bounds, Latest};
use cycle::Probing;
use loss::{LossRound, Undo};
use min_rtt::MinRtt;
use phase::Phase;

/// State of one sender with BBR version 3.
#[derive(Clone, Debug)]
pub struct Bbr3 {
    mss: u32,
    initial_window: Segments,
    /// The connection can detect more than one loss a round trip (C.has_selective_acks).
    sack: bool,
    rounds: Rounds,
    /// Bytes delivered so far (C.delivered).
    delivered: u64,
    /// BBR.max_bw: of this cycle of probing and the one before.
    max_bandwidth: Largest<Rate, 2>,
    /// BBR.cycle_count.
    cycles: u64,
    min_rtt: MinRtt,
    /// BBR.full_bw_now.
    full_pipe: FullPipe,
    /// BBR.full_bw_reached: the pipe was filled once.
    was_full: bool,
    phase: Phase,
    probing: Probing,
    bounds: Bounds,
    latest: Latest,
    losses: LossRound,
    undo: Undo,
    lumps: Lumps,
    /// BBR.extra_acked, by round trips.
    extra_acked: Largest<Segments, EXTRA_ACKED_PLACES>,
    saved: Saved,
    /// In PROBE_RTT less is sent than the path may carry.
    starved: Starved,
    window_use: WindowUse,
    /// Data follows a pause, and none of it is acknowledged.
    idle_restart: bool,
    pace: Pace,
}

/// Round trips for which a lump of ACKs counts (BBR.ExtraAckedFilterLen), and the one in which it came.
const EXTRA_ACKED_PLACES: usize = 11;
/// Round trips for which a lump of ACKs counts while the pipe was never full.
const EXTRA_ACKED_AT_FIRST: usize = 2;

impl BuiltIn for Bbr3 {
    type Config = ();
    /// In a box: it is many times as large as most of the others.
    type State = Box<Self>;
    const NAME: &'static str = "bbr3";
    const SUMMARY: &'static str =
        "paced by the measured rate; bounds in flight that losses teach it";
    const SOURCE: &'static str = "draft-ietf-ccwg-bbr";

    fn build(_config: &(), setup: &Setup) -> Box<Self> {
        Box::new(Self::new(setup))
    }
}

impl Law for Bbr3 {}

/// Whether the window was what kept the sender from sending more (C.is_cwnd_limited): in this round trip and
/// in the one before.
#[derive(Clone, Copy, Debug, Default)]
struct WindowUse {
    present: bool,
    before: bool,
}

impl WindowUse {
    fn on_ack(&mut self, round: bool, full: bool) {
        if round {
            self.before = std::mem::take(&mut self.present);
        }
        self.present |= full;
    }

    fn is_limiting(self) -> bool {
        self.present || self.before
    }
}

/// An ACK that reports something.
#[derive(Clone, Copy, Debug)]
struct Seen<'a> {
    ack: &'a AckEvent,
    sample: &'a RateSample,
    /// The rate of delivery; none if the sample is too short to tell.
    rate: Option<Rate>,
    /// A round trip is over.
    round: bool,
}

impl Bbr3 {
    /// State of a sender with BBR version 3 that has sent nothing yet.
    pub fn new(setup: &Setup) -> Self {
        Self {
            mss: setup.mss,
            initial_window: setup.initial_window,
            sack: setup.sack,
            rounds: Rounds::default(),
            delivered: 0,
            max_bandwidth: Largest::new(NO_RATE),
            cycles: 0,
            min_rtt: MinRtt::default(),
            full_pipe: FullPipe::default(),
            was_full: false,
            phase: Phase::Startup,
            probing: Probing::default(),
            bounds: Bounds::default(),
            latest: Latest::default(),
            losses: LossRound::default(),
            undo: Undo::default(),
            lumps: Lumps::default(),
            extra_acked: Largest::new(Segments::ZERO),
            saved: Saved::default(),
            starved: Starved::default(),
            window_use: WindowUse::default(),
            idle_restart: false,
            pace: Pace::new(setup.initial_window, setup.mss, phase::STARTUP_GAIN),
        }
    }

    /// BBR.bw: what the path delivers according to both time scales.
    fn bandwidth(&self) -> Rate {
        let largest = self.max_bandwidth.get();
        self.bounds
            .bandwidth
            .map_or(largest, |bound| bound.min(largest))
    }

    fn keep_pace(&mut self, gain: Gain) {
        self.pace.follow(self.bandwidth(), gain, self.was_full);
    }

    /// `UpdateLatestDeliverySignals`, `UpdateCongestionSignals` and `UpdateACKAggregation`: takes the sample into
    /// the model.
    fn measure<'a>(
        &mut self,
        ack: &'a AckEvent,
        sample: &'a RateSample,
        window: &Window,
    ) -> Seen<'a> {
        self.delivered = sample.total_delivered;
        let rate = sample.rate();
        let mut seen = Seen {
            ack,
            sample,
            rate,
            round: false,
        };
        let full = self.in_segments(sample.flight_before) + Segments::ONE > window.cwnd;
        if let Some(rate) = rate {
            self.latest.on_ack(rate, sample.delivered);
            self.losses.on_ack(sample);
            seen.round = self.rounds.on_ack(sample);
            self.probing.on_ack(seen.round);
            if rate >= self.max_bandwidth.get() || !self.starved.limits(sample) {
                self.max_bandwidth.update(self.cycles, rate);
            }
        } else {
            self.losses.round_over = false;
        }
        self.window_use.on_ack(seen.round, full);
        if self.losses.round_over {
            self.adapt_short_term(window.cwnd);
            self.losses.is_loss = false;
        }
        let lump = self.lumps.on_ack(ack, self.bandwidth(), self.mss);
        let round = self.rounds.count();
        self.extra_acked.update(round, lump.min(window.cwnd));
        seen
    }

    fn in_segments(&self, bytes: u64) -> Segments {
        Segments::from_bytes(bytes, self.mss)
    }
}

impl CongestionControl for Bbr3 {
    /// `UpdateOnACK`.
    fn grow(&mut self, ack: &AckEvent, window: &mut Window) {
        let Some(sample) = ack.rate else {
            // Nothing has arrived.
            return;
        };
        let seen = self.measure(ack, &sample, window);
        self.advance(&seen, window);
        self.idle_restart = false;
        if self.losses.round_over {
            self.latest.begin_again(seen.rate, sample.delivered);
        }
        self.pace.on_ack(ack, window.cwnd);
        self.keep_pace(self.phase.pacing_gain());
        self.set_window(&seen, window);
    }

    fn on_segment_lost(&mut self, now: Time, lost: &LossSample, window: &Window) {
        self.take_loss(now, lost, window.cwnd);
    }

    /// The answer is to single losses (`bbr3/loss.rs`).
    fn on_loss(&mut self, _loss: &LossEvent, window: &Window) -> Response {
        self.save_state(window.cwnd);
        Response::unchanged(window)
    }

    fn on_timeout(&mut self, _timeout: &TimeoutEvent, window: &Window) -> Response {
        self.save_state(window.cwnd);
        self.saved.repairs(Repairing::Timeout);
        Response {
            window_after: Segments::ONE,
            ..Response::unchanged(window)
        }
    }

    fn on_ecn(&mut self, _mark: &LossEvent, window: &Window) -> Response {
        Response::unchanged(window)
    }

    fn on_spurious(&mut self, _spurious: &SpuriousEvent, window: &mut Window) {
        self.take_back(window);
    }

    /// `HandleRestartFromIdle`: at the measured rate rather than in a burst.
    fn on_idle_restart(&mut self, idle: &IdleEvent, window: &mut Window) {
        self.idle_restart = true;
        self.lumps.begin(idle.now);
        if self.phase.is_probe_bw() {
            self.keep_pace(Gain::ONE);
        } else if let Phase::ProbeRtt(Some(dwell)) = self.phase {
            self.end_probe_rtt(idle.now, dwell, window);
        }
    }

    fn facts(&self) -> LawFacts {
        LawFacts {
            owns_window: true,
            needs_rate: true,
            needs_losses: true,
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
