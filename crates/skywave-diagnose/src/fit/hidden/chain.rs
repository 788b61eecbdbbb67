//! The likelihood of losses under a chain of two states, by the forward algorithm.

use super::Observation;

/// Probability of a loss in the bad state. Not 1: one survivor in a bad spell would make it impossible.
const LOSS_BAD: f64 = 0.98;
const SURVIVAL_BAD: f64 = 1.0 - LOSS_BAD;

/// A sequence of observations under a chain whose two rates are asked for.
pub(super) trait Chain {
    /// Logarithm of the likelihood with these rates from good to bad and back; minus infinity if the chain has none
    /// such.
    fn log_likelihood(&self, to_bad: f64, to_good: f64) -> f64;
}

/// Probabilities of the two states and what has been observed, scaled.
struct Forward {
    good: f64,
    bad: f64,
    log_scale: f64,
}

impl Forward {
    /// In balance.
    fn new(to_bad: f64, to_good: f64) -> Self {
        let bad = to_bad / (to_bad + to_good);
        Self {
            good: 1.0 - bad,
            bad,
            log_scale: 0.0,
        }
    }

    /// The logarithm is only taken when the numbers have become small.
    fn rescale(&mut self) {
        let sum = self.good + self.bad;
        if sum < 1e-100 {
            self.log_scale += libm::log(sum);
            self.good /= sum;
            self.bad /= sum;
        }
    }

    /// Logarithm of the probability of all that has been observed.
    fn log_likelihood(&self) -> f64 {
        self.log_scale + libm::log(self.good + self.bad)
    }
}

/// Packets in a row with the same fate.
struct Run {
    lost: Option<bool>,
    length: usize,
}

/// Observations in runs, for the chain that steps by packets.
pub(super) struct Packets(Vec<Run>);

/// The longest step through survivors that is taken at once is 2^7 packets: longer ones would leave the range of
/// numbers.
const POWERS: usize = 8;

impl Packets {
    pub(super) fn new(observations: &[Observation]) -> Self {
        let mut runs: Vec<Run> = Vec::new();
        for Observation { lost, .. } in observations {
            match runs.last_mut() {
                Some(run) if run.lost == *lost => run.length += 1,
                _ => runs.push(Run {
                    lost: *lost,
                    length: 1,
                }),
            }
        }
        Self(runs)
    }
}

/// Step of (good, bad) past a survivor: the rows are the states before, the columns those after.
type Matrix = [[f64; 2]; 2];

fn squared([[a, b], [c, d]]: Matrix) -> Matrix {
    [[a * a + b * c, b * (a + d)], [c * (a + d), d * d + b * c]]
}

impl Chain for Packets {
    fn log_likelihood(&self, to_bad: f64, to_good: f64) -> f64 {
        if to_bad > 0.9 || to_good > 1.0 {
            return f64::NEG_INFINITY;
        }
        let mut powers = [[[0.0; 2]; 2]; POWERS];
        powers[0] = [
            [1.0 - to_bad, to_bad * SURVIVAL_BAD],
            [to_good, (1.0 - to_good) * SURVIVAL_BAD],
        ];
        for i in 1..POWERS {
            powers[i] = squared(powers[i - 1]);
        }
        let memory = 1.0 - to_bad - to_good;
        let balance = to_bad / (to_bad + to_good);
        let mut state = Forward::new(to_bad, to_good);
        for Run { lost, length } in &self.0 {
            match lost {
                None => {
                    let sum = state.good + state.bad;
                    let away = state.bad - balance * sum;
                    state.bad = balance * sum + away * libm::pow(memory, *length as f64);
                    state.good = sum - state.bad;
                }
                Some(false) => {
                    let mut left = *length;
                    while left > 0 {
                        let power = (left.ilog2() as usize).min(POWERS - 1);
                        let [[gg, gb], [bg, bb]] = powers[power];
                        let Forward { good, bad, .. } = state;
                        state.good = good * gg + bad * bg;
                        state.bad = good * gb + bad * bb;
                        state.rescale();
                        left -= 1 << power;
                    }
                }
                Some(true) => {
                    for _ in 0..*length {
                        let bad = state.good * to_bad + state.bad * (1.0 - to_good);
                        (state.good, state.bad) = (0.0, bad * LOSS_BAD);
                        state.rescale();
                    }
                }
            }
        }
        state.log_likelihood()
    }
}

/// Observations with the times since the one before, for the chain in time.
pub(super) struct Timed(Vec<(f64, bool)>);

impl Timed {
    pub(super) fn new(observations: &[Observation]) -> Self {
        let mut last = None::<f64>;
        let known = observations
            .iter()
            .filter_map(|o| Some((o.time_s, o.lost?)));
        Self(
            known
                .map(|(time_s, lost)| {
                    let since = last.map_or(0.0, |last| (time_s - last).max(0.0));
                    last = Some(time_s);
                    (since, lost)
                })
                .collect(),
        )
    }

    /// Mean number of packets in a row that find the bad state, which is left at this rate.
    pub(super) fn mean_burst(&self, to_good: f64) -> f64 {
        let (mut stays, mut losses) = (0.0, 0.0);
        for pair in self.0.windows(2) {
            if pair[0].1 {
                stays += libm::exp(-to_good * pair[1].0);
                losses += 1.0;
            }
        }
        losses / f64::max(losses - stays, 1e-9)
    }
}

impl Chain for Timed {
    fn log_likelihood(&self, to_bad: f64, to_good: f64) -> f64 {
        let rate = to_bad + to_good;
        if !rate.is_finite() {
            return f64::NEG_INFINITY;
        }
        let balance = to_bad / rate;
        let mut state = Forward::new(to_bad, to_good);
        for &(since, lost) in &self.0 {
            let x = rate * since;
            // Nearly all steps are short, and the series is several times faster.
            let forgotten = if x < 0.02 {
                x * (1.0 - x * (0.5 - x * (1.0 / 6.0 - x / 24.0)))
            } else {
                1.0 - libm::exp(-x)
            };
            let (to_bad, to_good) = (balance * forgotten, (1.0 - balance) * forgotten);
            let Forward { good, bad, .. } = state;
            let now_bad = good * to_bad + bad * (1.0 - to_good);
            (state.good, state.bad) = if lost {
                (0.0, now_bad * LOSS_BAD)
            } else {
                (
                    good * (1.0 - to_bad) + bad * to_good,
                    now_bad * SURVIVAL_BAD,
                )
            };
            state.rescale();
        }
        state.log_likelihood()
    }
}
