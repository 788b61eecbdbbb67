//! The state machine (the draft's "State Machine Operation") but for the cycle that probes: STARTUP doubles
//! the rate each round trip until the path delivers no more or loses too much, DRAIN empties the queue that
//! this has left, PROBE_RTT shows the round trip without a queue.

use super::{Bbr3, Dwell, Gain, Seen};
use crate::tcp::window::Window;
use crate::time::Time;

/// The pace of STARTUP (BBR.StartupPacingGain), 4·ln 2.
pub(super) const STARTUP_GAIN: Gain = Gain(2.77);
const DRAIN_GAIN: Gain = Gain(0.5);
/// After this number of round trips DRAIN ends, whatever is in flight.
const LONGEST_DRAIN: u64 = 3;

/// State of BBR's state machine: STARTUP, DRAIN, the four steps of PROBE_BW, PROBE_RTT.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Phase {
    Startup,
    /// DRAIN; holds the number of the round trip in which it began.
    Drain(u64),
    /// PROBE_BW_DOWN: sends less than the path carries, so that a queue goes and others get room.
    Down,
    /// PROBE_BW_CRUISE: sends as much as the path carries.
    Cruise,
    /// PROBE_BW_REFILL: sends as much as the path carries, without the short-term bounds.
    Refill,
    /// PROBE_BW_UP: sends more, to see whether the path carries it.
    Up,
    /// Since when few segments are in flight; `None` while more are.
    ProbeRtt(Option<Dwell>),
}

impl Phase {
    pub(super) fn pacing_gain(&self) -> Gain {
        match self {
            Self::Startup => STARTUP_GAIN,
            Self::Drain(_) => DRAIN_GAIN,
            Self::Down => Gain(0.9),
            Self::Cruise | Self::Refill | Self::ProbeRtt(_) => Gain::ONE,
            Self::Up => Gain(1.25),
        }
    }

    pub(super) fn cwnd_gain(&self) -> Gain {
        match self {
            Self::Up => Gain(2.25),
            Self::ProbeRtt(_) => Gain(0.5),
            _ => Gain(2.0),
        }
    }

    /// `IsInAProbeBWState`.
    pub(super) fn is_probe_bw(&self) -> bool {
        matches!(self, Self::Down | Self::Cruise | Self::Refill | Self::Up)
    }

    /// `IsProbingBW`: a loss is what it asks for.
    pub(super) fn is_probing(&self) -> bool {
        matches!(self, Self::Startup | Self::Refill | Self::Up)
    }

    pub(super) fn is_probe_rtt(&self) -> bool {
        matches!(self, Self::ProbeRtt(_))
    }
}

impl Bbr3 {
    /// Goes on to another phase, if it is time.
    pub(super) fn advance(&mut self, seen: &Seen, window: &mut Window) {
        self.check_full_pipe(seen);
        self.check_startup_loss(seen);
        if self.phase == Phase::Startup && self.was_full {
            self.phase = Phase::Drain(self.rounds.count());
        }
        self.check_drain(seen);
        self.advance_cycle(seen, window);
        let due = self.min_rtt.update(seen.ack.now, seen.sample.rtt);
        if due && !self.idle_restart && !self.phase.is_probe_rtt() {
            self.saved.save(window.cwnd, false);
            self.phase = Phase::ProbeRtt(None);
            self.starved.begin(seen.sample);
            self.probing.stop();
            self.rounds.begin_again(self.delivered);
        }
        if let Phase::ProbeRtt(dwell) = self.phase {
            self.probe_rtt(seen, dwell, window);
        }
    }

    /// `CheckFullBWReached`.
    fn check_full_pipe(&mut self, seen: &Seen) {
        if let Some(rate) = seen.rate
            && seen.round
            && !self.starved.limits(seen.sample)
        {
            self.full_pipe.on_round(rate);
            self.was_full |= self.full_pipe.is_reached();
        }
    }

    /// `CheckDrainDone`.
    fn check_drain(&mut self, seen: &Seen) {
        if let Phase::Drain(since) = self.phase {
            let in_flight = self.in_segments(seen.sample.flight_now);
            let is_drained = in_flight <= self.inflight(self.bandwidth());
            if is_drained || self.rounds.count() > since + LONGEST_DRAIN {
                self.start_down(seen.ack.now);
            }
        }
    }

    /// `HandleProbeRTT`.
    fn probe_rtt(&mut self, seen: &Seen, dwell: Option<Dwell>, window: &mut Window) {
        let (now, sample) = (seen.ack.now, seen.sample);
        self.starved.go_on(sample);
        if let Some(mut dwell) = dwell {
            dwell.on_ack(seen.round);
            self.phase = Phase::ProbeRtt(Some(dwell));
            if dwell.has_lasted_a_round() {
                self.end_probe_rtt(now, dwell, window);
            }
        } else if self.in_segments(sample.flight_now) <= self.probe_rtt_window() {
            self.phase = Phase::ProbeRtt(Some(Dwell::begin(now)));
            self.rounds.begin_again(self.delivered);
        }
    }

    /// `CheckProbeRTTDone`: goes back to where PROBE_RTT began, with the window of then, if it has lasted
    /// long enough.
    pub(super) fn end_probe_rtt(&mut self, now: Time, dwell: Dwell, window: &mut Window) {
        if !dwell.has_passed(now) {
            return;
        }
        self.min_rtt.confirm(now);
        window.cwnd = self.saved.restored(window.cwnd);
        self.bounds.forget_short_term();
        if self.was_full {
            self.start_down(now);
            self.phase = Phase::Cruise;
        } else {
            self.phase = Phase::Startup;
        }
    }
}
