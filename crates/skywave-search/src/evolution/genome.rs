//! A candidate as evolution varies it: for each key that is set, a point of the unit cube.

use std::collections::BTreeSet;

use skywave_core::rng::Stream;
use skywave_scenario::Key;

use crate::Candidate;

/// For each key that is set the coordinates that [`Key::setting`] takes.
#[derive(Clone, Debug)]
pub(super) struct Genome(Vec<Option<Vec<f64>>>);

/// Probabilities with which a key of a first candidate is set: few at a time, and some fewer still.
const SET: [f64; 2] = [0.3, 0.1];
/// Probability that a key comes from the other parent.
const CROSS: f64 = 0.5;
/// Probability that a coordinate of a set key changes.
const CHANGE: f64 = 0.4;
/// Probability that another choice is drawn.
const OTHER_CHOICE: f64 = 0.15;
/// Lengths of the steps of coordinates.
const STEPS: [f64; 3] = [0.3, 0.1, 0.03];

impl Genome {
    /// The candidate.
    pub(super) fn candidate(&self, keys: &[Key]) -> Candidate {
        let both = keys.iter().zip(&self.0);
        both.map(|(key, at)| at.as_ref().map(|at| key.setting(at)))
            .collect()
    }

    /// `count` candidates whose coordinates are spread evenly: of each one there is one in each of `count` parts of its length.
    pub(super) fn spread(count: usize, keys: &[Key], stream: &mut Stream) -> Vec<Self> {
        let mut all: Vec<Self> = (0..count)
            .map(|place| {
                let set = SET[place % SET.len()];
                let mut genome = Self(
                    keys.iter()
                        .map(|_| stream.chance(set).then(Vec::new))
                        .collect(),
                );
                genome.set_one(keys, stream, |_, _| Vec::new());
                genome
            })
            .collect();
        for (index, key) in keys.iter().enumerate() {
            for _ in 0..key.dimensions() {
                let mut parts: Vec<usize> = (0..count).collect();
                shuffle(&mut parts, stream);
                for (genome, part) in all.iter_mut().zip(parts) {
                    let at = (part as f64 + stream.unit()) / count as f64;
                    if let Some(coordinates) = &mut genome.0[index] {
                        coordinates.push(at);
                    }
                }
            }
        }
        all
    }

    /// A candidate drawn without regard to any other.
    pub(super) fn random(keys: &[Key], stream: &mut Stream) -> Self {
        let set = SET[stream.uniform_int(0, SET.len() as u64 - 1) as usize];
        let draw = |key: &Key| stream.chance(set).then(|| coordinates(key, stream));
        let mut genome = Self(keys.iter().map(draw).collect());
        genome.set_one(keys, stream, coordinates);
        genome
    }

    /// A child of two candidates.
    pub(super) fn child(&self, other: &Self, keys: &[Key], stream: &mut Stream) -> Self {
        let is_crossed = stream.chance(0.5);
        let step = STEPS[stream.uniform_int(0, STEPS.len() as u64 - 1) as usize];
        let flip = 1.0 / keys.len() as f64;
        let both = self.0.iter().zip(&other.0).zip(keys);
        let genes = both.map(|((own, theirs), key)| {
            let gene = if is_crossed && stream.chance(CROSS) {
                theirs
            } else {
                own
            };
            match (gene, stream.chance(flip)) {
                (None, false) | (Some(_), true) => None,
                (None, true) => Some(coordinates(key, stream)),
                (Some(at), false) => Some(varied(at, step, stream)),
            }
        });
        let mut genome = Self(genes.collect());
        genome.set_one(keys, stream, coordinates);
        genome
    }

    /// The candidate with keys at their defaults that have one of these choices, each told as places of key and choice.
    pub(super) fn without(mut self, keys: &[Key], choices: &BTreeSet<(usize, usize)>) -> Self {
        for (index, (gene, key)) in self.0.iter_mut().zip(keys).enumerate() {
            gene.take_if(|at| choices.contains(&(index, key.setting(at).choice())));
        }
        self
    }

    /// Sets a key if none is: without any, the candidate is the path of all defaults.
    fn set_one(
        &mut self,
        keys: &[Key],
        stream: &mut Stream,
        draw: impl Fn(&Key, &mut Stream) -> Vec<f64>,
    ) {
        let last = keys.len().saturating_sub(1);
        let index = stream.uniform_int(0, last as u64) as usize;
        if self.0.iter().all(Option::is_none)
            && let Some(key) = keys.get(index)
        {
            self.0[index] = Some(draw(key, stream));
        }
    }
}

fn coordinates(key: &Key, stream: &mut Stream) -> Vec<f64> {
    (0..key.dimensions()).map(|_| stream.unit()).collect()
}

/// Coordinates a step away; the first one, of the choice, is kept or drawn anew.
fn varied(at: &[f64], step: f64, stream: &mut Stream) -> Vec<f64> {
    let mut varied = at.to_vec();
    for (dimension, x) in varied.iter_mut().enumerate() {
        if dimension == 0 {
            if stream.chance(OTHER_CHOICE) {
                *x = stream.unit();
            }
        } else if stream.chance(CHANGE) {
            // Of three uniform numbers the sum is nearly normal.
            let sum: f64 = (0..3).map(|_| stream.uniform(-1.0, 1.0)).sum();
            *x = reflected(*x + step * sum);
        }
    }
    varied
}

/// The number in 0 to 1 that a step over an end leads back to.
fn reflected(x: f64) -> f64 {
    let x = x.abs();
    let x = if x > 1.0 { 2.0 - x } else { x };
    x.clamp(0.0, 1.0)
}

/// Puts a list into a random order (Fisher and Yates).
fn shuffle<T>(list: &mut [T], stream: &mut Stream) {
    for last in (1..list.len()).rev() {
        list.swap(last, stream.uniform_int(0, last as u64) as usize);
    }
}
