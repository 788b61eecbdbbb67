//! The runs of an experiment in the order in which they are made, and the part of them that is a shard.

use std::fmt;
use std::str::FromStr;

use skywave_sim::spec::Spec;

use super::key::{Meaning, RunKey, Specification, of_all};
use super::{Design, RecordSeries, prepared};

/// Shard: one of several parts of an experiment's runs, each of which can be made on another machine.
///
/// The runs are dealt out to the shards like cards, in the order of the plan (all points with the first seed, then with
/// the second one): so the sizes of shards differ by at most one run. If the number of points is a multiple of the
/// number of shards, a shard has the same points with every seed, so that one shard may take much longer than another.
///
/// ```
/// let shard: skywave_lab::experiment::Shard = "3/64".parse().unwrap();
/// assert_eq!((shard.number(), shard.count()), (3, 64));
/// assert!("0/64".parse::<skywave_lab::experiment::Shard>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    number: usize,
    count: usize,
}

/// Error of reading a shard from a text that is not of the form `3/64`, or whose numbers [`Shard::new`] refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a number of a shard and how many there are, as in 3/64: from 1/64 to 64/64")]
pub struct NoShard;

impl Shard {
    /// Most shards into which an experiment may be divided.
    pub const MOST: usize = 1_000_000;

    /// Shard `number` (from 1) of `count` shards; `None` if `number` is not in 1 to `count`, or `count` is above
    /// [`Self::MOST`].
    pub fn new(number: usize, count: usize) -> Option<Self> {
        let is_one = (1..=count).contains(&number) && count <= Self::MOST;
        is_one.then_some(Self { number, count })
    }

    /// Number of the shard, from 1.
    pub fn number(self) -> usize {
        self.number
    }

    /// Number of shards into which the experiment is divided.
    pub fn count(self) -> usize {
        self.count
    }

    /// Whether the run at this place of the plan is in it.
    pub(super) fn has(self, place: usize) -> bool {
        place % self.count == self.number - 1
    }

    /// Number of runs in this shard of an experiment that has `runs` runs in all.
    pub fn share(self, runs: usize) -> usize {
        runs / self.count + usize::from(runs % self.count >= self.number)
    }
}

impl FromStr for Shard {
    type Err = NoShard;

    fn from_str(text: &str) -> Result<Self, NoShard> {
        let (number, count) = text.split_once('/').ok_or(NoShard)?;
        let number = number.parse().map_err(|_| NoShard)?;
        Self::new(number, count.parse().map_err(|_| NoShard)?).ok_or(NoShard)
    }
}

/// As in `3/64`.
impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}

/// One run of a plan. A million of them are in memory, so it is small.
#[derive(Clone, Copy, Debug)]
pub(super) struct Planned {
    hash: RunKey,
    point: u32,
    seed_index: u32,
    is_kept: bool,
}

impl Planned {
    pub(super) fn point(&self) -> usize {
        self.point as usize
    }

    pub(super) fn seed_index(&self) -> usize {
        self.seed_index as usize
    }

    /// `None` for a run that is neither kept nor reused, because it has a policy member of a user's
    /// own: the specification does not say what that does, and it may do something else the next
    /// time.
    pub(super) fn key(&self) -> Option<RunKey> {
        self.is_kept.then_some(self.hash)
    }

    pub(super) fn spec<D: Design + ?Sized>(&self, design: &D, series: RecordSeries) -> Spec {
        let seed = design.seeds()[self.seed_index()];
        prepared(design, self.point(), seed, self.seed_index(), series)
    }
}

/// The runs of an experiment, seed by seed.
#[derive(Debug)]
pub(super) struct Plan {
    runs: Vec<Planned>,
    /// Places of the runs that are kept, by their keys.
    by_key: Vec<u32>,
}

impl Plan {
    /// All runs.
    pub(super) fn of<D: Design + ?Sized>(design: &D, series: RecordSeries, engine: &str) -> Self {
        let mut runs = Vec::with_capacity(design.points() * design.seeds().len());
        each(design, series, engine, |run, meaning, spec| {
            runs.push(Planned {
                hash: meaning.with_seed(run.seed),
                point: run.point,
                seed_index: run.seed_index,
                is_kept: !spec.has_custom(),
            });
        });
        runs.sort_unstable_by_key(|p| (p.seed_index, p.point));
        Self::with(runs)
    }

    fn with(runs: Vec<Planned>) -> Self {
        let places = runs.iter().zip(0..).filter(|(run, _)| run.is_kept);
        let mut by_key: Vec<u32> = places.map(|(_, place)| place).collect();
        by_key.sort_unstable_by_key(|&place| (runs[place as usize].hash, place));
        Self { runs, by_key }
    }

    /// The hash of all that decides the results.
    pub(super) fn hash(&self) -> u128 {
        of_all(self.runs.iter().map(|run| run.hash))
    }

    /// The runs of a shard alone.
    pub(super) fn part(self, shard: Shard) -> Self {
        let numbered = self.runs.into_iter().enumerate();
        let wanted = numbered.filter(|(place, _)| shard.has(*place));
        Self::with(wanted.map(|(_, run)| run).collect())
    }

    /// All runs, in the order in which they are made.
    pub(super) fn runs(&self) -> &[Planned] {
        &self.runs
    }

    /// The places of runs with this key: of several, if two points mean the same.
    pub(super) fn places(&self, key: RunKey) -> &[u32] {
        let of = |place: &u32| self.runs[*place as usize].hash;
        let from = self.by_key.partition_point(|place| of(place) < key);
        let same = self.by_key[from..].partition_point(|place| of(place) == key);
        &self.by_key[from..from + same]
    }
}

/// A run as it is met while a plan is made.
struct Met {
    point: u32,
    seed_index: u32,
    seed: u64,
}

/// Calls `one` with every run, point by point, and what it means without its seed.
fn each<D: Design + ?Sized>(
    design: &D,
    series: RecordSeries,
    engine: &str,
    mut one: impl FnMut(&Met, Meaning, &Spec),
) {
    for (point, point_index) in (0..design.points()).zip(0..) {
        let mut last: Option<(Spec, Meaning)> = None;
        for ((seed_index, &seed), index) in design.seeds().iter().enumerate().zip(0..) {
            let mut spec = prepared(design, point, seed, seed_index, series);
            spec.seed = 0;
            // Seeds of a point differ in nothing else as a rule: hash the point once.
            let meaning = match &last {
                Some((same, meaning)) if *same == spec => *meaning,
                _ => Meaning::of(&spec, engine),
            };
            let met = Met {
                point: point_index,
                seed_index: index,
                seed,
            };
            one(&met, meaning, &spec);
            last = Some((spec, meaning));
        }
    }
}

/// The specifications of all runs, in the order in which the runs are made, and whether each records time series.
pub(super) fn specifications<D: Design + ?Sized>(
    design: &D,
    series: RecordSeries,
    engine: &str,
) -> Vec<(Specification, bool)> {
    let mut all = Vec::with_capacity(design.points() * design.seeds().len());
    each(design, series, engine, |run, meaning, spec| {
        let place = (run.seed_index, run.point);
        all.push((place, (meaning.specification(), spec.series)));
    });
    all.sort_unstable_by_key(|(place, _)| *place);
    all.into_iter().map(|(_, one)| one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_run_is_in_one_shard() {
        for count in 1..9 {
            let shards = (1..=count).map(|number| Shard::new(number, count).unwrap());
            let shards: Vec<Shard> = shards.collect();
            for runs in 0..30 {
                let shares: usize = shards.iter().map(|shard| shard.share(runs)).sum();
                assert_eq!(shares, runs);
                for shard in &shards {
                    let has = (0..runs).filter(|&place| shard.has(place)).count();
                    assert_eq!(has, shard.share(runs), "{shard} of {runs}");
                }
            }
            for place in 0..30 {
                assert_eq!(shards.iter().filter(|shard| shard.has(place)).count(), 1);
            }
        }
    }

    #[test]
    fn what_is_no_shard_is_refused() {
        for text in [
            "",
            "3",
            "0/4",
            "5/4",
            "1/0",
            "-1/4",
            "1/4/2",
            "a/b",
            "1/9999999",
        ] {
            assert_eq!(text.parse::<Shard>(), Err(NoShard), "{text}");
        }
        assert_eq!(
            "4/4".parse(),
            Ok(Shard {
                number: 4,
                count: 4
            })
        );
    }
}
