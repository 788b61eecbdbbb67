//! One island: its stream, its population, what it has seen.

use std::collections::{BTreeMap, BTreeSet};

use skywave_core::rng::Stream;
use skywave_scenario::Key;

use super::Found;
use super::genome::Genome;
use crate::{Candidate, Kind, keys_off, kind};

/// Number of candidates in the first generation of an island, which is an independent search by evolution, and in the
/// first after the island starts anew; later generations are smaller.
pub const FIRST: usize = 48;
/// Children of a generation.
const LATER: usize = 16;
/// Candidates that live on, and how many of these may have the same keys set.
const PARENTS: usize = 8;
const ALIKE: usize = 4;
/// Generations without progress before an island begins anew.
const PATIENCE: usize = 10;
/// Less than this share of the best value is no progress.
const PROGRESS: f64 = 0.02;
/// Values below this are as good as zero.
const NOTHING: f64 = 1e-3;
/// Generations of which no candidate says anything before an island is given up.
const FRUITLESS: usize = 3;
/// Probability that a child has no parents.
const STRANGER: f64 = 0.1;
/// Draws until a candidate is found that was not seen.
const TRIES: usize = 20;

/// A candidate that is or was judged.
#[derive(Clone, Debug)]
struct Member {
    genome: Genome,
    candidate: Candidate,
    value: f64,
}

impl Member {
    /// Whether the same choices of the same keys are set.
    fn is_like(&self, other: &Self) -> bool {
        kind(&self.candidate) == kind(&other.candidate)
    }
}

/// The state of an island between two generations, and within one.
#[derive(Debug)]
pub(super) struct Island {
    number: usize,
    stream: Stream,
    /// The rest of the first candidates of this beginning.
    first: Vec<Genome>,
    parents: Vec<Member>,
    /// Candidates of this generation: judged ones, and those that are being judged.
    children: Vec<Member>,
    asked: Vec<(Genome, Candidate)>,
    seen: BTreeSet<Candidate>,
    judged: usize,
    /// Best value of this beginning, and generations since it became better.
    best: f64,
    since: usize,
    fruitless: usize,
    /// Choices of keys that this beginning does without: one of each best candidate before, so that another kind of path
    /// is found.
    barred: BTreeSet<(usize, usize)>,
    /// The best candidate of each kind.
    found: BTreeMap<Kind, Found>,
}

impl Island {
    pub(super) fn new(number: usize, seed: u64, keys: &[Key]) -> Self {
        let stream = Stream::named(seed, &format!("island.{number}"), "search");
        let mut island = Self {
            number,
            stream,
            first: Vec::new(),
            parents: Vec::new(),
            children: Vec::new(),
            asked: Vec::new(),
            seen: BTreeSet::new(),
            judged: 0,
            best: f64::INFINITY,
            since: 0,
            fruitless: 0,
            barred: BTreeSet::new(),
            found: BTreeMap::new(),
        };
        island.begin(keys);
        island
    }

    fn begin(&mut self, keys: &[Key]) {
        self.first = Genome::spread(FIRST, keys, &mut self.stream);
        self.parents.clear();
        (self.best, self.since) = (f64::INFINITY, 0);
    }

    /// Whether another generation would be more than `each` candidates, or the last ones had none.
    pub(super) fn is_over(&self, each: usize) -> bool {
        self.judged + self.wants() > each || self.fruitless >= FRUITLESS
    }

    /// Candidates of the next generation.
    fn wants(&self) -> usize {
        if self.parents.is_empty() {
            FIRST
        } else {
            LATER
        }
    }

    /// Draws what this generation lacks, which was never drawn before.
    pub(super) fn draw(&mut self, keys: &[Key]) -> Vec<Candidate> {
        let lacks = self.wants().saturating_sub(self.children.len());
        for _ in 0..lacks {
            for _ in 0..TRIES {
                let genome = self.next(keys).without(keys, &self.barred);
                let candidate = genome.candidate(keys);
                if keys_off(&candidate) > 0 && self.seen.insert(candidate.clone()) {
                    self.asked.push((genome, candidate));
                    break;
                }
            }
        }
        self.asked
            .iter()
            .map(|(_, candidate)| candidate.clone())
            .collect()
    }

    fn next(&mut self, keys: &[Key]) -> Genome {
        if let Some(genome) = self.first.pop() {
            return genome;
        }
        if self.parents.is_empty() || self.stream.chance(STRANGER) {
            return Genome::random(keys, &mut self.stream);
        }
        let (one, other) = (self.parent(), self.parent());
        let parents = (&self.parents[one].genome, &self.parents[other].genome);
        parents.0.child(parents.1, keys, &mut self.stream)
    }

    /// The better of two parents, which are in order.
    fn parent(&mut self) -> usize {
        let last = self.parents.len() as u64 - 1;
        let one = self.stream.uniform_int(0, last);
        one.min(self.stream.uniform_int(0, last)) as usize
    }

    /// Takes the values of what was drawn last; those without one are none of the island's.
    pub(super) fn take(&mut self, values: &[Option<f64>]) {
        let asked = std::mem::take(&mut self.asked);
        for ((genome, candidate), value) in asked.into_iter().zip(values) {
            if let Some(value) = *value {
                self.judged += 1;
                self.keep(&candidate, value);
                self.children.push(Member {
                    genome,
                    candidate,
                    value,
                });
            }
        }
    }

    /// Chooses who lives on.
    pub(super) fn end_generation(&mut self, keys: &[Key]) {
        self.first.clear();
        self.fruitless = if self.children.is_empty() {
            self.fruitless + 1
        } else {
            0
        };
        let mut all = std::mem::take(&mut self.parents);
        all.append(&mut self.children);
        all.sort_by(|a, b| {
            let key = |member: &Member| keys_off(&member.candidate);
            let by_value = a.value.total_cmp(&b.value);
            by_value.then_with(|| (key(a), &a.candidate).cmp(&(key(b), &b.candidate)))
        });
        for member in all {
            let alike = self.parents.iter().filter(|other| member.is_like(other));
            if self.parents.len() < PARENTS && alike.count() < ALIKE {
                self.parents.push(member);
            }
        }
        let now = self
            .parents
            .first()
            .map_or(f64::INFINITY, |best| best.value);
        if now < self.best * (1.0 - PROGRESS) && self.best > NOTHING {
            (self.best, self.since) = (now, 0);
        } else {
            self.since += 1;
        }
        if self.since >= PATIENCE {
            self.bar(keys);
            self.begin(keys);
        }
    }

    /// Bars a choice of the best candidate; all are free again when half of them are barred.
    fn bar(&mut self, keys: &[Key]) {
        let best = self.parents.first().into_iter();
        let set: Vec<(usize, usize)> = best
            .flat_map(|best| kind(&best.candidate).into_iter().enumerate())
            .filter_map(|(key, choice)| Some((key, choice?)))
            .collect();
        if set.is_empty() {
            return;
        }
        let one = self.stream.uniform_int(0, set.len() as u64 - 1) as usize;
        self.barred.insert(set[one]);
        if 2 * self.barred.len() > keys.iter().map(Key::choices).sum() {
            self.barred.clear();
        }
    }

    /// Keeps a candidate that is the best of its kind so far.
    fn keep(&mut self, candidate: &Candidate, value: f64) {
        let kind = kind(candidate);
        if self.found.get(&kind).is_none_or(|best| value < best.value) {
            let found = Found {
                island: self.number,
                value,
                candidate: candidate.clone(),
            };
            self.found.insert(kind, found);
        }
    }

    /// The best candidate of each kind.
    pub(super) fn into_found(self) -> impl Iterator<Item = Found> {
        self.found.into_values()
    }
}
