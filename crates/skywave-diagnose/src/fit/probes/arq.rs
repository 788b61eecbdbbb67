//! Retransmission by the link: delays that are whole multiples of its round trip above the base.

use super::sample::{NORMAL, Sample, median, spread};
use crate::fit::Estimate;
use crate::fit::special::proportion;

/// Retransmission by the link itself (ARQ), as probes show it: some delays are above the base by whole multiples of a
/// time. Probes do not tell in which direction the link retransmits, or if in both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arq {
    /// Time from a failed transmission over the link to the next one, seconds.
    pub round_trip_s: Estimate,
    /// Probability that a single transmission over the link fails.
    pub p: Estimate,
    /// Most retransmissions of one probe that were seen.
    pub most_retries: u32,
    /// Whether later probes wait for one that the link retransmits. `None` if the probes are too far apart to tell.
    pub in_order: Option<bool>,
}

/// Bounds of a link's round trip.
const ROUND_TRIPS_S: (f64, f64) = (0.02, 0.4);
/// A multiple is met within this.
const NEAR_S: f64 = 0.003;
/// Variation of the other delays above which no lattice can be told.
const NOISE_S: f64 = 0.001;
/// Delayed probes without which there is no lattice.
const FEWEST: usize = 5;
/// Least error of a host's time.
const HOST_ERROR_S: f64 = 0.000_1;
/// Share of delayed probes that must be on the lattice.
const ON_LATTICE: f64 = 0.9;

/// Delayed probe.
#[derive(Clone, Copy, PartialEq)]
enum Delayed {
    /// By so many retransmissions.
    Retried(u32),
    /// Behind the one before it.
    Waited,
}

/// A lattice, and for each sample whether the link delayed it.
pub(super) struct Lattice {
    pub(super) arq: Arq,
    pub(super) delayed: Vec<bool>,
}

/// Finds a lattice above the least delays of all. Delays that come one after the other more often than by chance
/// are steps of the base.
pub(super) fn find(samples: &[Sample]) -> Option<Lattice> {
    let mut sorted: Vec<f64> = samples.iter().map(Sample::middle_s).collect();
    sorted.sort_by(f64::total_cmp);
    let (base, tenth) = (*sorted.get(sorted.len() / 50)?, sorted[sorted.len() / 10]);
    let above: Vec<f64> = samples.iter().map(|s| s.middle_s() - base).collect();
    let delays = Delays::new(samples, &above)?;
    (tenth - base <= NOISE_S && delays.are_independent()).then(|| delays.lattice())
}

/// Finds a lattice in the delays of samples above their levels' medians.
pub(super) fn find_above(samples: &[Sample], above: &[f64]) -> Option<Lattice> {
    let (_, deviation) = spread(above)?;
    let delays = Delays::new(samples, above)?;
    (deviation * NORMAL <= NOISE_S).then(|| delays.lattice())
}

/// Delays that lie on a lattice.
struct Delays<'a> {
    samples: &'a [Sample],
    above: &'a [f64],
    kinds: Vec<Option<Delayed>>,
    /// Probes that were sent while the one before them was still delayed, in order.
    behind: Vec<usize>,
    /// Above half of the round trip, on the lattice or not.
    far: Vec<bool>,
}

impl<'a> Delays<'a> {
    /// `None` if there are too few delays, or too many off the lattice.
    fn new(samples: &'a [Sample], above: &'a [f64]) -> Option<Self> {
        let behind = behind(samples, above);
        let waits = |i: usize| {
            let left = || above[i - 1] - (samples[i].sent_s - samples[i - 1].sent_s);
            behind.binary_search(&i).is_ok() && (above[i] - left()).abs() < NEAR_S
        };
        let range = ROUND_TRIPS_S.0..ROUND_TRIPS_S.1;
        let in_range = (0..above.len()).filter(|&i| range.contains(&above[i]) && !waits(i));
        let round_trip = mode(in_range.map(|i| above[i]).collect())?;
        let kind = |i: usize| {
            let k = libm::round(above[i] / round_trip);
            if waits(i) {
                Some(Delayed::Waited)
            } else if k >= 1.0 && (above[i] - k * round_trip).abs() < NEAR_S {
                Some(Delayed::Retried(k as u32))
            } else {
                None
            }
        };
        let kinds: Vec<Option<Delayed>> = (0..above.len()).map(kind).collect();
        let far: Vec<bool> = above.iter().map(|&a| a > round_trip / 2.0).collect();
        let all = far.iter().filter(|&&far| far).count();
        let on = (0..far.len())
            .filter(|&i| far[i] && kinds[i].is_some())
            .count();
        let retried =
            |wanted: fn(u32) -> bool| kinds.iter().filter(|&&k| wanted(retries(k))).count();
        let (once, more) = (retried(|k| k == 1), retried(|k| k > 1));
        let is_lattice = once >= FEWEST && more <= once && on as f64 >= ON_LATTICE * all as f64;
        is_lattice.then_some(Self {
            samples,
            above,
            kinds,
            behind,
            far,
        })
    }

    /// Behind a delayed probe only those are seen that were retransmitted more often: these tell nothing. Nor does what
    /// is far above the base and off the lattice.
    fn tells(&self, i: usize) -> bool {
        self.behind.binary_search(&i).is_err() && (self.kinds[i].is_some() || !self.far[i])
    }

    /// Retransmissions do not follow each other more often than by chance.
    fn are_independent(&self) -> bool {
        let hit = |i: usize| f64::from(u32::from(retries(self.kinds[i]) > 0));
        let told: Vec<usize> = (0..self.kinds.len()).filter(|&i| self.tells(i)).collect();
        let share = told.iter().map(|&i| hit(i)).sum::<f64>() / told.len() as f64;
        let pairs = told.windows(2).filter(|w| w[0] + 1 == w[1]);
        let (first, both) = pairs.fold((0.0, 0.0), |(first, both), w| {
            (first + hit(w[0]), both + hit(w[0]) * hit(w[1]))
        });
        let expected = first * share;
        both <= expected + 3.0 * libm::sqrt(expected) + 2.0
    }

    fn lattice(self) -> Lattice {
        let (mut failed, mut passed) = (0, 0);
        for (_, &kind) in self
            .kinds
            .iter()
            .enumerate()
            .filter(|&(i, _)| self.tells(i))
        {
            failed += u64::from(retries(kind));
            passed += 1;
        }
        let is_waiting = |&&i: &&usize| self.kinds[i] == Some(Delayed::Waited);
        let waiting = self.behind.iter().filter(is_waiting).count();
        let most = self.kinds.iter().map(|&k| retries(k)).max();
        Lattice {
            arq: Arq {
                round_trip_s: self.round_trip(),
                p: proportion(failed, failed + passed),
                most_retries: most.unwrap_or(0),
                in_order: (self.behind.len() >= FEWEST).then_some(2 * waiting > self.behind.len()),
            },
            // A host's pause may hide why a probe is late, but not that it is.
            delayed: (0..self.far.len())
                .map(|i| retries(self.kinds[i]) > 0 || !self.tells(i))
                .collect(),
        }
    }

    /// Difference of the medians of delays with one retransmission and without any.
    fn round_trip(&self) -> Estimate {
        let of = |is: &dyn Fn(Option<Delayed>) -> bool| {
            let chosen: Vec<usize> = (0..self.kinds.len())
                .filter(|&i| is(self.kinds[i]))
                .collect();
            let above: Vec<f64> = chosen.iter().map(|&i| self.above[i]).collect();
            let widths = chosen
                .iter()
                .map(|&i| self.samples[i].high_s - self.samples[i].low_s);
            let (centre, deviation) = spread(&above).unwrap_or_default();
            // A median's standard error is 1.25 times that of the mean.
            let error = 2.5 * deviation * NORMAL / libm::sqrt(above.len().max(1) as f64);
            (centre, error, median(widths.collect()).unwrap_or_default())
        };
        let once = of(&|kind| retries(kind) == 1);
        let direct = of(&|kind| kind.is_none());
        let value = once.0 - direct.0;
        // Each reading may be rounded all the same way.
        let rounded = f64::midpoint(once.2, direct.2);
        let error = libm::hypot(once.1, direct.1).max(HOST_ERROR_S) + rounded;
        Estimate::new(value, value - error, value + error)
    }
}

fn retries(kind: Option<Delayed>) -> u32 {
    match kind {
        Some(Delayed::Retried(k)) => k,
        _ => 0,
    }
}

/// Probes that were sent while the one before them was still delayed.
fn behind(samples: &[Sample], above: &[f64]) -> Vec<usize> {
    let is_behind = |&i: &usize| {
        let left = above[i - 1] - (samples[i].sent_s - samples[i - 1].sent_s);
        samples[i - 1].index + 1 == samples[i].index && left > NEAR_S
    };
    (1..samples.len()).filter(is_behind).collect()
}

/// Centre of the values that are closest together.
fn mode(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let mut best = 0..0;
    let mut end = 0;
    for start in 0..values.len() {
        while end < values.len() && values[end] - values[start] <= 2.0 * NEAR_S {
            end += 1;
        }
        if end - start > best.len() {
            best = start..end;
        }
    }
    (best.len() >= FEWEST).then(|| median(values[best].to_vec()))?
}
