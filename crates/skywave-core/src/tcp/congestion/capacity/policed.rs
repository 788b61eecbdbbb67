//! Whether the path lets through so much and no more without a queue, as behind a policer.
//!
//! The largest rate of ten round trips is too high there: after a drain the policer has saved up, and lets a burst
//! through. A sender that loses much of what it sends, at a steady rate and without a queue, tries at the mean rate of
//! arrival. If twice next to nothing is lost then, it keeps to that rate, and asks for more and more until it loses.

use super::losses::Tally;
use crate::time::Time;
use crate::units::Rate;

/// Cycles of the first measurement, and of one after a trial that succeeded, with at least so many segments.
const CYCLES: u32 = 4;
const ENOUGH: f64 = 100.0;
/// Losing this part of them, beyond the usual share, is a reason to try, ...
const MUCH: f64 = 0.05;
/// ... if the rates of the cycles differ by this part at most, and by so many segments.
const STEADY: f64 = 0.1;
const QUANTA: f64 = 4.0;

/// A trial takes so many segments, ...
const TRIED: f64 = 60.0;
/// ... succeeds if at most this part of them is lost, and fewer than before by so many standard deviations ...
const NOTHING: f64 = 0.01;
const DEVIATIONS: f64 = 2.0;
/// ... and proves a policer when it has succeeded so often in a row.
const PROOFS: u32 = 2;
/// Cycles of a measurement at most: each time that no policer is found after a trial they are twice as many.
const LONGEST_PATIENCE: u32 = 64;

/// The rate that is kept to grows by this part times the cycles without excess losses, ...
const GROWTH: f64 = 0.005;
/// ... which are losses of this part and the deviations. A rate that has grown by this part falls back then; at
/// one that has not, losses are of something else.
const EXCESS: f64 = 0.02;
/// After so many cycles of growth there is no policer.
const CALM: u32 = 16;

/// State of the search for a policer, and the rate that the sender keeps to because of one.
#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    /// Measures what it loses.
    Free,
    /// Tries what happens at the mean rate of arrival, having lost this of what it sent before.
    Trial { rate: Rate, before: Tally },
    /// Keeps to a rate, which has grown from that of the policer.
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

/// Evidence of a policer on the path, and the rate that it lets through.
#[derive(Clone, Copy, Debug)]
pub(super) struct Policed {
    state: State,
    /// Since the state began: cycles, and what was sent outside of drains.
    cycles: u32,
    tally: Tally,
    /// Cycles of a measurement before a trial.
    patience: u32,
    /// Trials in a row that have succeeded.
    proofs: u32,
    /// When the present measurement of the rate of arrival began, and the bytes delivered until then.
    since: Option<(Time, u64)>,
    /// The latest rate of arrival, the least and the largest one since the state began, and the segments of the
    /// latest.
    mean: Option<Rate>,
    least: f64,
    largest: f64,
    segments: f64,
}

impl Default for Policed {
    fn default() -> Self {
        Self {
            state: State::Free,
            cycles: 0,
            tally: Tally::default(),
            patience: CYCLES,
            proofs: 0,
            since: None,
            mean: None,
            least: f64::INFINITY,
            largest: 0.0,
            segments: 0.0,
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
        self.mean = Rate::of(bytes, now.since(since)).filter(|rate| rate.as_bps() > 0);
        if let Some(mean) = self.mean.map(Rate::as_bps_f64) {
            self.least = self.least.min(mean);
            self.largest = self.largest.max(mean);
            self.segments = bytes as f64 / f64::from(mss.max(1));
        }
    }

    /// All is known of what was sent between the latest two drains.
    pub(super) fn on_known(&mut self, known: &Known) {
        let Known { sent, queue, .. } = *known;
        if known.app_limited {
            self.begin_again();
        }
        self.since = Some((known.now, known.delivered));
        self.cycles += 1;
        // A trial's first segments were sent before it began.
        if !(matches!(self.state, State::Trial { .. }) && self.cycles == 1) {
            self.tally.add(sent);
        }
        let share = self.tally.share();
        match self.state {
            State::Free if self.cycles >= self.patience && self.tally.sent >= ENOUGH => {
                let before = self.tally;
                let much = share - known.usual >= MUCH;
                let trial = self.mean.filter(|_| much && !queue && self.is_steady());
                self.enter(trial.map_or(State::Free, |rate| State::Trial { rate, before }));
            }
            State::Trial { rate, before } if self.tally.sent >= TRIED => {
                let fewer = before.share() - share;
                if share <= NOTHING && fewer > DEVIATIONS * before.deviation(self.tally.sent) {
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
            State::Held { .. } if queue || self.cycles >= CALM => self.give_up(),
            State::Held { rate, limit } => {
                if share <= EXCESS + DEVIATIONS * self.tally.deviation(f64::INFINITY) {
                    let growth = 1.0 + GROWTH * f64::from(self.cycles);
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

    fn is_steady(&self) -> bool {
        self.largest <= self.least * (1.0 + STEADY + QUANTA / self.segments.max(1.0))
    }

    fn enter(&mut self, state: State) {
        self.state = state;
        self.cycles = 0;
        self.tally = Tally::default();
        self.least = f64::INFINITY;
        self.largest = 0.0;
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

        /// Parts of the policer's rate at which it sends in each of so many cycles.
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
