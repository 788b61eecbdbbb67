//! The cycle of a sender that is alone: it probes for more, drains what that has queued, and cruises, as BBR
//! does (draft-cardwell-iccrg-bbr-00 section 4.3.4). The probe is a small one; where it finds more, which shows up to
//! two round trips later, the next one follows at once, and is larger.

use crate::rng::Stream;
use crate::time::Time;

/// Steps of a cycle, a round trip each: the probe, the drain, and cruising.
const STEPS: usize = 8;
const PROBE: usize = 0;
const DRAIN: usize = 1;
/// In this step all is known of what was sent in the drain, and what it did to the queue shows.
const KNOWN: usize = 4;

/// Pace of the first probe, of the one that follows it, and of those after them, in parts of the rate.
const PROBES: [f64; 3] = [1.1, 1.25, 2.0];
/// Pace of the drain.
const DRAINED: f64 = 0.75;
/// A probe has found more if the rate grew by this part of what it asked for.
const FOUND: f64 = 0.6;
/// A drain takes at least this part of a round trip: what it sends tells the channel's losses.
const LEAST_DRAIN: f64 = 0.5;
/// A probe that does not get more into flight ends after this many round trips.
const LONGEST_PROBE: f64 = 3.0;

/// A place in the cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cycle {
    step: usize,
    since: Time,
    /// The rate before the latest probe, and how many have followed the first one.
    rate_before: f64,
    repeats: usize,
}

/// Measurements that tell whether a step of the cycle is over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    pub(super) now: Time,
    /// The round trip without a queue, in seconds.
    pub(super) base: f64,
    /// In flight before the ACK, in parts of what is in flight without a queue.
    pub(super) flight: f64,
    /// The rate that the cycle follows, in any unit.
    pub(super) rate: f64,
}

/// Step of the cycle that begins now, as far as others need to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Begins {
    /// The drain.
    Drain,
    /// Something else, after the drain.
    Cruise,
    /// The step in which all is known of the drain.
    Known,
    /// Another cycle.
    Cycle,
    /// Any other step.
    Other,
}

impl Cycle {
    /// Anywhere but in the drain, so that flows which begin together do not probe together. Drawn from the time,
    /// as a law has no random numbers of its own.
    pub(super) fn at_random(now: Time) -> Self {
        let mut draw = Stream::named(now.as_nanos(), "congestion.capacity", "cycle");
        let back = draw.uniform_int(0, STEPS as u64 - 2) as usize;
        Self {
            step: (STEPS - back) % STEPS,
            since: now,
            rate_before: 0.0,
            repeats: 0,
        }
    }

    /// At the largest probe: jitter or a step of the path may have ended the start, which measured `rate`, too early, and then
    /// the path has much more. Flows that begin together ask together here.
    pub(super) fn after_start(now: Time, rate: f64) -> Self {
        Self {
            step: PROBE,
            since: now,
            rate_before: rate,
            repeats: PROBES.len() - 1,
        }
    }

    /// Pace of this step, in parts of the rate; `cruise` is that of cruising.
    pub(super) fn gain(&self, cruise: f64) -> f64 {
        match self.step {
            PROBE => self.probe(),
            DRAIN => DRAINED * cruise,
            _ => cruise,
        }
    }

    fn probe(&self) -> f64 {
        PROBES[self.repeats.min(PROBES.len() - 1)]
    }

    /// By which part of the path's rate the latest probe exceeds it.
    pub(super) fn asked(&self) -> f64 {
        self.probe() - 1.0
    }

    /// The latest probe has found more, and this is the one that follows it.
    pub(super) fn follows_up(&self) -> bool {
        self.step == PROBE && self.repeats > 0
    }

    /// Nothing that the sender did before shows any more.
    pub(super) fn is_steady(&self) -> bool {
        self.step >= KNOWN
    }

    /// Goes on to the next step if this one is over; what begins then.
    pub(super) fn advance(&mut self, progress: &Progress) -> Option<Begins> {
        if !self.is_over(progress) {
            return None;
        }
        let found = self.rate_before * (1.0 + FOUND * self.asked());
        if self.step < KNOWN && self.rate_before > 0.0 && progress.rate > found {
            let drained = self.step == DRAIN;
            *self = Self {
                step: PROBE,
                since: progress.now,
                rate_before: progress.rate,
                repeats: self.repeats + 1,
            };
            return drained.then_some(Begins::Cruise);
        }
        let step = (self.step + 1) % STEPS;
        *self = Self {
            step,
            since: progress.now,
            ..*self
        };
        if !(DRAIN..KNOWN).contains(&step) {
            (self.rate_before, self.repeats) = (progress.rate, 0);
        }
        Some(match step {
            PROBE => Begins::Cycle,
            DRAIN => Begins::Drain,
            2 => Begins::Cruise,
            KNOWN => Begins::Known,
            _ => Begins::Other,
        })
    }

    fn is_over(&self, progress: &Progress) -> bool {
        let rounds = progress.now.since(self.since).as_secs_f64() / progress.base.max(1e-9);
        let full_length = rounds > 1.0;
        match self.step {
            PROBE => full_length && (progress.flight >= self.probe() || rounds > LONGEST_PROBE),
            DRAIN => full_length || progress.flight <= 1.0 && rounds > LEAST_DRAIN,
            _ => full_length,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Duration;

    const BASE: f64 = 0.1;

    fn begun() -> Cycle {
        Cycle {
            step: PROBE,
            since: Time::ZERO,
            rate_before: 100.0,
            repeats: 0,
        }
    }

    fn at(ms: u64, flight: f64, rate: f64) -> Progress {
        Progress {
            now: Time::ZERO + Duration::from_millis(ms),
            base: BASE,
            flight,
            rate,
        }
    }

    #[test]
    fn a_probe_waits_for_what_it_asks_and_is_followed_up() {
        let mut cycle = begun();
        assert_eq!(cycle.gain(1.0), 1.1);
        assert_eq!(
            cycle.advance(&at(101, 1.05, 100.0)),
            None,
            "not yet in flight"
        );
        for (time, rate, gain) in [(102, 107.0, 1.25), (203, 124.0, 2.0), (304, 200.0, 2.0)] {
            assert_eq!(cycle.advance(&at(time, 9.0, rate)), None, "it grows");
            assert_eq!(cycle.gain(1.0), gain);
        }
        assert_eq!(cycle.advance(&at(405, 9.0, 300.0)), Some(Begins::Drain));
        assert_eq!(cycle.gain(0.9), DRAINED * 0.9);
    }

    #[test]
    fn what_shows_after_the_probe_is_followed_up_too() {
        // What was asked for arrives a round trip later, or two where delays vary.
        for step in [DRAIN, 2, 3] {
            let mut cycle = Cycle { step, ..begun() };
            let begins = cycle.advance(&at(101, 1.0, 107.0));
            assert_eq!(begins, (step == DRAIN).then_some(Begins::Cruise));
            assert_eq!(cycle.gain(1.0), 1.25, "after step {step}");
        }
        let mut cycle = begun();
        for round in 1..=4 {
            cycle.advance(&at(round * 101, 9.0, 105.0));
        }
        assert_eq!(cycle.step, KNOWN, "too little more");
        cycle.advance(&at(505, 9.0, 200.0));
        assert_eq!(cycle.step, KNOWN + 1, "nothing was asked for");
    }

    #[test]
    fn a_probe_that_asks_in_vain_ends() {
        let mut cycle = begun();
        assert_eq!(cycle.advance(&at(299, 1.0, 100.0)), None);
        assert_eq!(cycle.advance(&at(301, 1.0, 100.0)), Some(Begins::Drain));
    }

    #[test]
    fn the_first_cycle_asks_for_twice_the_rate_and_again_if_it_is_there() {
        let mut cycle = Cycle::after_start(Time::ZERO, 100.0);
        assert_eq!(cycle.gain(1.0), 2.0);
        assert_eq!(
            cycle.advance(&at(101, 9.0, 161.0)),
            None,
            "the start had not ended"
        );
        assert_eq!(cycle.gain(1.0), 2.0);
        assert_eq!(cycle.advance(&at(202, 9.0, 250.0)), Some(Begins::Drain));
    }

    #[test]
    fn a_drain_takes_half_a_round_trip_or_until_it_is_done() {
        let drain = Cycle {
            step: DRAIN,
            ..begun()
        };
        for (ms, flight, over) in [
            (49, 0.5, false),
            (51, 0.9, true),
            (51, 1.1, false),
            (101, 1.1, true),
        ] {
            let mut cycle = drain;
            let begins = cycle.advance(&at(ms, flight, 100.0));
            assert_eq!(begins.is_some(), over, "{ms} ms, {flight}");
        }
    }

    #[test]
    fn a_cycle_has_eight_steps_and_is_steady_in_the_second_half() {
        use Begins::{Cruise, Cycle as Again, Drain, Known, Other};
        let mut cycle = begun();
        let mut seen = Vec::new();
        let steady: Vec<bool> = (1..=8)
            .map(|round| {
                seen.extend(cycle.advance(&at(round * 101, 2.0, 100.0)));
                cycle.is_steady()
            })
            .collect();
        assert_eq!(steady, [false, false, false, true, true, true, true, false]);
        assert_eq!(
            seen,
            [Drain, Cruise, Other, Known, Other, Other, Other, Again]
        );
    }

    #[test]
    fn no_cycle_begins_with_the_drain() {
        for ns in 0..1000 {
            assert_ne!(Cycle::at_random(Time::from_nanos(ns)).step, DRAIN);
        }
    }
}
