//! The cycle that probes for a larger rate (the draft's "ProbeBW"): down, so that the queue goes and others
//! find room; cruise, for two to three seconds or as many round trips as Reno would take to grow as much;
//! refill, so that the pipe is full when the probe begins; up, until the path carries no more or loses too
//! much.

use super::phase::Phase;
use super::{Bbr3, NO_RATE, Seen};
use crate::rng::Stream;
use crate::tcp::window::Window;
use crate::time::{Duration, Time};
use crate::units::Segments;

/// Wait for a probe that is not due sooner by round trips; another second at most is drawn.
const WAIT: Duration = Duration::from_secs(2);
const DRAWN: Duration = Duration::from_secs(1);
/// Most round trips between two probes, the one that is drawn included: what Reno needs where it works
/// well.
const RENO_ROUNDS: f64 = 63.0;
/// The bound's growth doubles no more often than so in a probe.
const DOUBLINGS: u32 = 30;

/// Relation of the incoming ACKs to the latest bandwidth probe (BBR.ack_phase).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
enum Acks {
    /// No probe: its feedback is complete, or there was none yet.
    #[default]
    Usual,
    /// The pipe is being filled for a probe (REFILL).
    Refilling,
    /// The probe has begun, but ACKs still answer data sent before it.
    Starting,
    /// ACKs answer data of the probe.
    Feedback,
    /// Nothing more is sent for the probe; ACKs answer the rest of its data.
    Stopping,
}

/// Where the cycle stands.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Probing {
    acks: Acks,
    /// Segments sent for a probe are on their way, and its losses were not answered yet
    /// (BBR.is_bw_probe_sample).
    pub(super) is_sample: bool,
    /// The latest probe lost too much (BBR.prev_probe_too_high).
    pub(super) was_too_much: bool,
    /// The latest one ended early, where the one before it had lost too much
    /// (BBR.prev_probe_precautionary).
    was_cautious: bool,
    /// Round trips since the latest one, and zero or one that is drawn (BBR.rounds_since_probe_up).
    rounds: u64,
    /// When the cycle began, and how long it waits before it probes (BBR.bw_probe_wait).
    since: Time,
    wait: Duration,
    growth: Growth,
}

/// How the long-term bound grows in a probe that runs into it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Growth {
    /// Round trips so far (BBR.bw_probe_up_rounds).
    rounds: u32,
    /// Acknowledged since it last grew, and what must be for it to grow by a segment
    /// (BBR.probe_up_acked_per_inc); `None` while it does not grow.
    acked: Segments,
    per_segment: Option<Segments>,
}

impl Growth {
    /// By twice as much as in the round trip before (`RaiseInflightLongtermSlope`).
    pub(super) fn steepen(&mut self, cwnd: Segments) {
        let segments = 1_u32 << self.rounds;
        self.rounds = (self.rounds + 1).min(DOUBLINGS);
        self.per_segment = Some((cwnd / f64::from(segments)).max(Segments::ONE));
    }

    /// `arrived` segments were acknowledged: by how much the bound grows.
    pub(super) fn on_ack(&mut self, arrived: Segments) -> Segments {
        let Some(per_segment) = self.per_segment else {
            return Segments::ZERO;
        };
        self.acked += arrived;
        let grown = (self.acked.0 / per_segment.0).floor();
        self.acked = self.acked - per_segment * grown;
        Segments(grown)
    }
}

impl Probing {
    /// An ACK came; `round`: a round trip is over.
    pub(super) fn on_ack(&mut self, round: bool) {
        self.rounds += u64::from(round);
    }

    /// Nothing more is sent for a probe.
    pub(super) fn stop(&mut self) {
        self.acks = Acks::Stopping;
    }

    /// `PickProbeWait`. Drawn from the time of the ACK, as a law has no random numbers of its
    /// own: flows whose ACKs come in the same nanosecond draw the same.
    fn wait_from(&mut self, now: Time) {
        let mut draw = Stream::named(now.as_nanos(), "congestion.bbr3", "wait");
        self.rounds = draw.uniform_int(0, 1);
        self.wait = WAIT + draw.uniform_duration(Duration::ZERO, DRAWN);
        self.since = now;
    }
}

impl Bbr3 {
    /// `StartProbeBW_DOWN`.
    pub(super) fn start_down(&mut self, now: Time) {
        self.losses.is_loss = false;
        self.latest = super::Latest::default();
        self.probing.growth.per_segment = None;
        self.probing.wait_from(now);
        self.probing.stop();
        self.rounds.begin_again(self.delivered);
        self.phase = Phase::Down;
    }

    /// `StartProbeBW_REFILL`.
    pub(super) fn start_refill(&mut self) {
        self.bounds.forget_short_term();
        self.probing.growth.rounds = 0;
        self.probing.growth.acked = Segments::ZERO;
        self.probing.was_cautious = false;
        self.probing.acks = Acks::Refilling;
        self.rounds.begin_again(self.delivered);
        self.phase = Phase::Refill;
    }

    /// `StartProbeBW_UP`.
    fn start_up(&mut self, seen: &Seen, cwnd: Segments) {
        self.probing.acks = Acks::Starting;
        self.rounds.begin_again(self.delivered);
        self.full_pipe.look_beyond(seen.rate.unwrap_or(NO_RATE));
        self.phase = Phase::Up;
        self.probing.growth.steepen(cwnd);
    }

    /// `UpdateProbeBWCyclePhase`.
    pub(super) fn advance_cycle(&mut self, seen: &Seen, window: &Window) {
        if !self.was_full || self.adapt_long_term(seen, window.cwnd) {
            return;
        }
        match self.phase {
            Phase::Down | Phase::Cruise if self.is_probe_due(seen, window.cwnd) => {
                self.start_refill();
            }
            Phase::Down if self.is_time_to_cruise(seen) => self.phase = Phase::Cruise,
            Phase::Refill if seen.round => {
                self.probing.is_sample = true;
                self.start_up(seen, window.cwnd);
            }
            Phase::Up => self.go_down_in_time(seen, window.cwnd),
            _ => {}
        }
    }

    /// `IsTimeToProbeBW`: after the time that was drawn, or when Reno would have grown by what is in flight.
    fn is_probe_due(&self, seen: &Seen, cwnd: Segments) -> bool {
        let probing = &self.probing;
        let rounds = self.target_inflight(cwnd).0.min(RENO_ROUNDS);
        seen.ack.now > probing.since + probing.wait || probing.rounds as f64 >= rounds
    }

    /// `IsTimeToCruise`: the queue is gone, and there is room for others.
    fn is_time_to_cruise(&self, seen: &Seen) -> bool {
        let in_flight = self.in_segments(seen.sample.flight_now);
        let room = self.bounds.with_headroom();
        room.is_none_or(|room| in_flight <= room)
            && in_flight <= self.inflight(self.max_bandwidth.get())
    }

    /// Ends a probe that has told what it can, and lost little so far.
    fn go_down_in_time(&mut self, seen: &Seen, cwnd: Segments) {
        if self.is_time_to_go_down(seen, cwnd) {
            self.probing.was_too_much = false;
            self.start_down(seen.ack.now);
        }
    }

    /// `IsTimeToGoDown`.
    fn is_time_to_go_down(&mut self, seen: &Seen, cwnd: Segments) -> bool {
        if let Some(bound) = self.bounds.long_term {
            let in_flight = self.in_segments(seen.sample.flight_now);
            if self.probing.was_too_much && in_flight >= bound {
                self.probing.was_cautious = true;
                return true;
            }
            if self.window_use.is_limiting() && cwnd >= bound {
                // The rate cannot grow for the bound.
                self.full_pipe.look_beyond(seen.rate.unwrap_or(NO_RATE));
                return false;
            }
        }
        self.full_pipe.is_reached()
    }

    /// `AdaptLongTermModel`: follows the ACKs of a probe, and raises the long-term bound where nothing speaks
    /// against it. Whether it has gone on to another phase.
    fn adapt_long_term(&mut self, seen: &Seen, cwnd: Segments) -> bool {
        if seen.round && self.probing.acks == Acks::Starting {
            self.probing.acks = Acks::Feedback;
        }
        if seen.round && self.probing.acks == Acks::Stopping && self.end_feedback(seen) {
            return true;
        }
        let sample = seen.sample;
        if let Some(bound) = self.bounds.long_term
            && !self.is_too_much(sample.lost, sample.flight_at_send)
        {
            let carried = self.in_segments(sample.flight_at_send);
            self.bounds.long_term = Some(bound.max(carried));
            if self.phase == Phase::Up {
                self.grow_long_term(seen, cwnd);
            }
        }
        false
    }

    /// Ends a probe whose data is all acknowledged. Starts the next one at once, and returns true,
    /// if this one ended early as a precaution and did not lose too much.
    fn end_feedback(&mut self, seen: &Seen) -> bool {
        self.probing.is_sample = false;
        self.probing.acks = Acks::Usual;
        let in_cycle = self.phase.is_probe_bw();
        if in_cycle && !self.starved.limits(seen.sample) {
            self.cycles += 1;
        }
        let again = in_cycle && self.probing.was_cautious && !self.probing.was_too_much;
        if again {
            self.start_refill();
        }
        again
    }

    /// `ProbeInflightLongtermUpward`.
    fn grow_long_term(&mut self, seen: &Seen, cwnd: Segments) {
        let Some(bound) = self.bounds.long_term else {
            return;
        };
        if !self.window_use.is_limiting() || cwnd < bound {
            return;
        }
        let grown = self.probing.growth.on_ack(seen.ack.delivered);
        self.bounds.long_term = Some(bound + grown);
        if seen.round {
            self.probing.growth.steepen(cwnd);
        }
    }
}
