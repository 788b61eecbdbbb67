//! The state machine (section 4.3 of the draft): STARTUP doubles the rate each round trip until the path
//! delivers no more, DRAIN empties the queue that this has left, PROBE_BW asks for more in one of eight
//! phases and lets the queue go in the next, PROBE_RTT shows the round trip without a queue.

use super::{Bbr, Dwell, FEWEST, Gain};
use crate::rng::Stream;
use crate::tcp::flight::RateSample;
use crate::tcp::window::{AckEvent, Window};
use crate::time::Time;
use crate::units::Segments;

/// 2/ln 2, the least that doubles the rate each round trip (section 4.3.2.1).
pub(super) const HIGH_GAIN: Gain = Gain(2.885);
const DRAIN_GAIN: Gain = Gain(1.0 / 2.885);
/// BDPs that may be in flight in PROBE_BW, as ACKs may be delayed (section 4.2.3.2).
const CWND_GAIN: Gain = Gain(2.0);

const PHASES: usize = 8;
/// Pacing gains of the eight phases of PROBE_BW, in order (section 4.3.4.2).
const CYCLE: [Gain; PHASES] = [
    Gain(1.25),
    Gain(0.75),
    Gain::ONE,
    Gain::ONE,
    Gain::ONE,
    Gain::ONE,
    Gain::ONE,
    Gain::ONE,
];

/// State of BBR's state machine (section 4.3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Phase {
    Startup,
    Drain,
    ProbeBw(Cycle),
    /// Since when few segments are in flight; `None` while more are.
    ProbeRtt(Option<Dwell>),
}

/// A place in the cycle of gains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cycle {
    pub(super) index: usize,
    pub(super) since: Time,
}

impl Cycle {
    /// Anywhere but in the phase that drains, so that flows which begin together do not ask together
    /// (section 4.3.4.3). Drawn from the time of the ACK, as a law has no random numbers of its
    /// own: flows whose ACKs come in the same nanosecond draw the same.
    fn at_random(now: Time) -> Self {
        let mut draw = Stream::named(now.as_nanos(), "congestion.bbr", "cycle");
        let steps = draw.uniform_int(0, PHASES as u64 - 2) as usize;
        Self {
            index: (PHASES - steps) % PHASES,
            since: now,
        }
    }

    fn next(self, now: Time) -> Self {
        Self {
            index: (self.index + 1) % PHASES,
            since: now,
        }
    }

    pub(super) fn gain(self) -> Gain {
        CYCLE[self.index]
    }

    /// Whether this is the phase with gain 1.25, which asks the path for more.
    pub(super) fn is_probing(self) -> bool {
        self.index == 0
    }
}

impl Phase {
    pub(super) fn pacing_gain(&self) -> Gain {
        match self {
            Self::Startup => HIGH_GAIN,
            Self::Drain => DRAIN_GAIN,
            Self::ProbeBw(cycle) => cycle.gain(),
            Self::ProbeRtt(_) => Gain::ONE,
        }
    }

    pub(super) fn cwnd_gain(&self) -> Gain {
        match self {
            Self::Startup | Self::Drain => HIGH_GAIN,
            Self::ProbeBw(_) => CWND_GAIN,
            Self::ProbeRtt(_) => Gain::ONE,
        }
    }

    pub(super) fn is_probe_rtt(&self) -> bool {
        matches!(self, Self::ProbeRtt(_))
    }
}

impl Bbr {
    /// Goes on to another phase, if it is time; `round`: a round trip is over.
    pub(super) fn advance(
        &mut self,
        ack: &AckEvent,
        sample: &RateSample,
        round: bool,
        window: &mut Window,
    ) {
        if let Phase::ProbeBw(cycle) = self.phase
            && self.is_next_due(cycle, ack, sample)
        {
            self.phase = Phase::ProbeBw(cycle.next(ack.now));
        }
        if round && !self.starved.limits(sample) {
            self.full_pipe.on_round(self.bandwidth.get());
        }
        self.check_drain(ack.now, sample, window);
        let late = sample.flight_before <= u64::from(self.mss);
        let expired = self.min_rtt.update(ack.now, sample.rtt, late);
        self.note_model();
        if expired && !self.idle_restart && !self.phase.is_probe_rtt() {
            self.repair.save(window.cwnd, &self.phase);
            self.phase = Phase::ProbeRtt(None);
            self.starved.begin(sample);
        }
        if let Phase::ProbeRtt(dwell) = self.phase {
            self.probe_rtt(ack.now, sample, round, dwell, window);
        }
    }

    /// Whether a phase of PROBE_BW is over (section 4.3.4.3): after a round trip, but not before what it
    /// is for is done, if that can be.
    fn is_next_due(&self, cycle: Cycle, ack: &AckEvent, sample: &RateSample) -> bool {
        let full_length = ack.now.since(cycle.since) > self.min_rtt.get();
        let flight = self.in_segments(sample.flight_before);
        let gain = cycle.gain();
        if gain > Gain::ONE {
            full_length && (ack.lost > Segments::ZERO || flight >= self.inflight(gain))
        } else if gain < Gain::ONE {
            full_length || flight <= self.inflight(Gain::ONE)
        } else {
            full_length
        }
    }

    /// Section 4.3.3.
    fn check_drain(&mut self, now: Time, sample: &RateSample, window: &mut Window) {
        if self.phase == Phase::Startup && self.full_pipe.is_reached() {
            self.phase = Phase::Drain;
            window.ssthresh = self.inflight(Gain::ONE);
        }
        if self.phase == Phase::Drain
            && self.in_segments(sample.flight_now) <= self.inflight(Gain::ONE)
        {
            self.phase = Phase::ProbeBw(Cycle::at_random(now));
        }
    }

    /// Section 4.3.5: at most four segments in flight for 200 ms and a round trip.
    fn probe_rtt(
        &mut self,
        now: Time,
        sample: &RateSample,
        round: bool,
        dwell: Option<Dwell>,
        window: &mut Window,
    ) {
        self.starved.go_on(sample);
        if let Some(mut dwell) = dwell {
            dwell.on_ack(round);
            self.phase = Phase::ProbeRtt(Some(dwell));
            if dwell.has_lasted_a_round() {
                self.end_probe_rtt(now, dwell, window);
            }
        } else if self.in_segments(sample.flight_now) <= FEWEST {
            self.phase = Phase::ProbeRtt(Some(Dwell::begin(now)));
            self.rounds.begin_again(sample.total_delivered);
        }
    }

    /// Goes back to where PROBE_RTT began, with the window of then, if it has lasted long enough.
    pub(super) fn end_probe_rtt(&mut self, now: Time, dwell: Dwell, window: &mut Window) {
        if !dwell.has_passed(now) {
            return;
        }
        self.min_rtt.confirm(now);
        window.cwnd = self.repair.restored(window.cwnd);
        self.phase = if self.full_pipe.is_reached() {
            Phase::ProbeBw(Cycle::at_random(now))
        } else {
            Phase::Startup
        };
    }
}
