//! Whether a policer is on the path: it lets a certain rate through, and drops the rest without a queue.
//!
//! The largest rate of ten round trips is too high there: after a drain the policer has saved up, and lets a burst
//! through. A sender that loses much of what it sends, at a steady rate and without a queue, tries at the mean rate of
//! arrival. If twice next to nothing is lost then, it keeps to that rate, and asks for more and more until it loses.

use super::losses::Tally;
use super::range::Range;
use crate::time::Time;
use crate::units::Rate;

/// Cycles that the sender measures before its first trial, and after a trial that succeeded.
const CYCLES: u32 = 4;
/// Fewest segments that a measurement before a trial needs.
const ENOUGH: f64 = 100.0;
/// Share of the segments, beyond the usual share of losses, that a sender must lose before it makes a trial.
const MUCH: f64 = 0.05;
/// Largest difference between the arrival rates of the measured cycles, as a part of the smallest of them: a larger
/// difference rules a trial out.
const STEADY: f64 = 0.1;
/// Segments of one cycle by which its arrival rate may be off, because segments are whole: added to [`STEADY`].
const QUANTA: f64 = 4.0;

/// Fewest segments that a trial sends.
const TRIED: f64 = 60.0;
/// Largest share of losses with which a trial succeeds.
const NOTHING: f64 = 0.01;
/// Standard deviations by which two shares of losses must differ to count as different.
const DEVIATIONS: f64 = 2.0;
/// Successful trials in a row that prove a policer.
const PROOFS: u32 = 2;
/// Most cycles that the sender measures before a trial: it measures twice as many whenever it finds no policer.
const LONGEST_PATIENCE: u32 = 64;

/// Growth of the rate after the first cycle without excess losses, as a part of the rate; the n-th cycle adds n times
/// this part.
const GROWTH: f64 = 0.005;
/// Share of losses that is excess, with the deviations on top. If the rate has grown by more than this part, excess
/// losses bring it back to the policer's rate; otherwise they have another cause.
const EXCESS: f64 = 0.02;
/// Cycles without excess losses after which the sender takes the policer for gone.
const CALM: u32 = 16;

/// State of the search for a policer, and the rate that the sender keeps to because of one.
#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    /// Measures what it loses.
    Free,
    /// Sends at the mean arrival rate, to see whether it loses less than the tally `before`.
    Trial { rate: Rate, before: Tally },
    /// Keeps to `rate`, which grows from the policer's rate `limit`.
    Held { rate: Rate, limit: Rate },
}

/// Facts known of the latest cycle when all that was sent before its drain has arrived or is lost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) now: Time,
    /// Bytes delivered until now.
    pub(super) delivered: u64,
    /// Sent between the latest two drains.
    pub(super) sent: Tally,
    /// The share that the channel loses.
    pub(super) usual: f64,
    /// Whether a queue remains after the drain.
    pub(super) queue: bool,
    /// Whether the application had nothing more to send, so that the rates are its own.
    pub(super) app_limited: bool,
}

/// Arrival rate of one cycle, outside of its drain.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    rate: Rate,
    /// Segments that arrived at it.
    segments: f64,
}

/// Measurements since a state began.
#[derive(Clone, Copy, Debug, Default)]
struct Measured {
    cycles: u32,
    /// Segments sent and lost outside of drains.
    tally: Tally,
    /// Arrival rates of the cycles, in bits a second.
    rates: Range,
}

/// Evidence of a policer on the path, and the rate that it lets through.
#[derive(Clone, Copy, Debug)]
pub(super) struct Policed {
    state: State,
    measured: Measured,
    /// Cycles that the sender measures before its next trial.
    patience: u32,
    /// Trials in a row that have succeeded.
    proofs: u32,
    /// When the present measurement of the rate of arrival began, and the bytes delivered until then.
    since: Option<(Time, u64)>,
    latest: Option<Arrival>,
}

impl Default for Policed {
    fn default() -> Self {
        Self {
            state: State::Free,
            measured: Measured::default(),
            patience: CYCLES,
            proofs: 0,
            since: None,
            latest: None,
        }
    }
}

impl Policed {
    /// Forgets all but its patience, as the sender did not go through its cycle, or did not fill the path.
    pub(super) fn begin_again(&mut self) {
        *self = Self {
            patience: self.patience,
            ..Self::default()
        };
    }

    /// A sender that keeps to `rate`, as if two trials had proved a policer.
    #[cfg(test)]
    pub(super) fn held(rate: Rate) -> Self {
        let state = State::Held { rate, limit: rate };
        Self {
            state,
            ..Self::default()
        }
    }

    /// Rate to keep to instead of the path's, without probes and without making up for losses.
    pub(super) fn rate(&self) -> Option<Rate> {
        match self.state {
            State::Free => None,
            State::Trial { rate, .. } | State::Held { rate, .. } => Some(rate),
        }
    }

    /// A drain begins, which changes the rate of arrival: `delivered` bytes of `mss` a segment until now.
    pub(super) fn on_drain(&mut self, now: Time, delivered: u64, mss: u32) {
        let Some((since, before)) = self.since.take() else {
            return;
        };
        let bytes = delivered.saturating_sub(before);
        let rate = Rate::of(bytes, now.since(since)).filter(|rate| rate.as_bps() > 0);
        self.latest = rate.map(|rate| Arrival {
            rate,
            segments: bytes as f64 / f64::from(mss.max(1)),
        });
        if let Some(rate) = rate {
            self.measured.rates = self.measured.rates.with(rate.as_bps_f64());
        }
    }

    /// All is known of what was sent between the latest two drains.
    pub(super) fn on_known(&mut self, known: &Known) {
        let Known { sent, queue, .. } = *known;
        if known.app_limited {
            self.begin_again();
        }
        self.since = Some((known.now, known.delivered));
        self.measured.cycles += 1;
        let cycles = self.measured.cycles;
        // The sender sent the segments of a trial's first cycle before the trial began.
        if !(matches!(self.state, State::Trial { .. }) && cycles == 1) {
            self.measured.tally.add(sent);
        }
        let tally = self.measured.tally;
        let share = tally.share();
        match self.state {
            State::Free if cycles >= self.patience && tally.sent >= ENOUGH => {
                let much = share - known.usual >= MUCH;
                let steady = self.latest.filter(|latest| self.is_steady(latest));
                let arrival = steady.filter(|_| much && !queue);
                self.enter(arrival.map_or(State::Free, |arrival| State::Trial {
                    rate: arrival.rate,
                    before: tally,
                }));
            }
            State::Trial { rate, before } if tally.sent >= TRIED => {
                let fewer = before.share() - share;
                if share <= NOTHING && fewer > DEVIATIONS * before.deviation(tally.sent) {
                    self.proofs += 1;
                    self.patience = CYCLES;
                    let held = State::Held { rate, limit: rate };
                    self.enter(if self.proofs >= PROOFS {
                        held
                    } else {
                        State::Free
                    });
                } else {
                    self.give_up();
                }
            }
            State::Held { .. } if queue || cycles >= CALM => self.give_up(),
            State::Held { rate, limit } => {
                if share <= EXCESS + DEVIATIONS * tally.deviation(f64::INFINITY) {
                    let growth = 1.0 + GROWTH * f64::from(cycles);
                    let rate = Rate::from_bps((rate.as_bps_f64() * growth) as u64);
                    self.state = State::Held { rate, limit };
                } else if rate.as_bps_f64() > limit.as_bps_f64() * (1.0 + EXCESS) {
                    self.enter(State::Held { rate: limit, limit });
                } else {
                    self.give_up();
                }
            }
            State::Free | State::Trial { .. } => {}
        }
    }

    fn is_steady(&self, latest: &Arrival) -> bool {
        let Range { low, high } = self.measured.rates;
        high <= low * (1.0 + STEADY + QUANTA / latest.segments.max(1.0))
    }

    fn enter(&mut self, state: State) {
        self.state = state;
        self.measured = Measured::default();
    }

    /// Measures anew, and for longer: what was seen was not a policer, or is hidden by a queue.
    fn give_up(&mut self) {
        self.proofs = 0;
        self.patience = (self.patience * 2).min(LONGEST_PATIENCE);
        self.enter(State::Free);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Duration;

    const MSS: u32 = 1000;

    /// A path that is looked at once a cycle of 800 ms.
    struct Path {
        policed: Policed,
        now: Time,
        delivered: u64,
        usual: f64,
        app_limited: bool,
    }

    impl Path {
        fn new() -> Self {
            Self {
                policed: Policed::default(),
                now: Time::ZERO,
                delivered: 0,
                usual: 0.0,
                app_limited: false,
            }
        }

        /// A cycle in which `arrives` of a hundred segments did, and whether there was a queue.
        fn cycle(&mut self, arrives: f64, queue: bool) {
            let (sent, lost) = (100.0, 100.0 - arrives);
            let mss = u64::from(MSS);
            self.policed.on_known(&Known {
                now: self.now,
                delivered: self.delivered,
                sent: Tally { sent, lost },
                usual: self.usual,
                queue,
                app_limited: self.app_limited,
            });
            self.now += Duration::from_millis(800);
            self.delivered += arrives as u64 * mss;
            self.policed.on_drain(self.now, self.delivered, MSS);
        }

        /// Sending rates of `cycles` cycles behind a policer, as parts of the policer's rate.
        fn behind_a_policer(&mut self, cycles: u32) -> Vec<f64> {
            let limit = 100.0 * f64::from(MSS) * 8.0 / 0.8 * 0.85;
            (0..cycles)
                .map(|_| {
                    let rate = self.policed.rate().map_or(limit / 0.85, Rate::as_bps_f64);
                    self.cycle((100.0 * limit / rate).min(100.0), false);
                    rate / limit
                })
                .collect()
        }
    }

    #[test]
    fn a_policer_is_proved_by_two_trials_and_asked_for_more_until_it_drops() {
        let mut path = Path::new();
        let rates = path.behind_a_policer(60);
        let held = rates.iter().rposition(|rate| *rate > 1.15).unwrap();
        assert!(held < 20, "proved in {held} cycles: {rates:?}");
        let most = rates[held + 1..].iter().fold(0.0, |a: f64, b| a.max(*b));
        assert!((1.03..1.125).contains(&most), "asks: {most}");
        let mean = rates[held + 1..].iter().sum::<f64>() / (59 - held) as f64;
        assert!((1.0..1.05).contains(&mean), "{mean}");
    }

    #[test]
    fn a_channel_that_loses_at_any_rate_has_no_policer() {
        let mut path = Path::new();
        let kept = (0..200).filter(|_| {
            path.cycle(90.0, false);
            path.policed.rate().is_some()
        });
        // Two cycles a trial, which come after 4, 8, 16, 32, 64, and 64 cycles.
        assert_eq!(kept.count(), 12);
        assert!(!matches!(path.policed.state, State::Held { .. }));
    }

    #[test]
    fn what_drains_lose_too_is_no_reason_to_try() {
        let mut path = Path::new();
        path.usual = 0.08;
        for _ in 0..100 {
            path.cycle(90.0, false);
            assert_eq!(path.policed.rate(), None);
        }
    }

    #[test]
    fn a_queue_or_a_rate_that_varies_is_no_policer() {
        let mut path = Path::new();
        for arrives in [90.0, 60.0].iter().cycle().take(40) {
            path.cycle(*arrives, false);
            assert_eq!(path.policed.rate(), None, "varies");
        }
        let mut path = Path::new();
        for _ in 0..40 {
            path.cycle(85.0, true);
            assert_eq!(path.policed.rate(), None, "queue");
        }
    }

    #[test]
    fn an_application_that_sends_little_says_nothing_of_a_policer() {
        let mut path = Path::new();
        path.behind_a_policer(30);
        assert!(path.policed.rate().is_some());
        path.app_limited = true;
        path.behind_a_policer(30);
        assert_eq!(path.policed.rate(), None);
        assert_eq!(path.policed.patience, CYCLES);
    }

    #[test]
    fn a_faster_path_is_found() {
        let mut path = Path::new();
        path.behind_a_policer(30);
        let cycles = (0..100).take_while(|_| {
            path.cycle(100.0, false);
            path.policed.rate().is_some()
        });
        assert!(cycles.count() <= CALM as usize);
        assert_eq!(path.policed.patience, 2 * CYCLES);
    }

    #[test]
    fn losses_at_the_rate_of_the_policer_are_of_something_else() {
        let mut path = Path::new();
        path.policed = Policed::held(Rate::from_bps(800_000));
        path.cycle(85.0, false);
        assert_eq!(path.policed.rate(), None);
    }
}
