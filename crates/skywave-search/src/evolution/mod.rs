//! Evolution by islands: candidates that are drawn, judged, and bred from those that are worst for a sender.
//!
//! An island has its own random stream, named by the seed and its number, and knows nothing of the others: so islands can be
//! made in any place, and put together. It begins with candidates spread over the space, few keys of each set; then each
//! generation has children of the best few, and the best few of parents and children live on. When nothing gets
//! better any more, it begins anew without one choice of the best path's keys, so that what it finds then is bad for another
//! reason. Its results are the best candidate of each kind, that is of each set of keys and choices.

mod genome;
mod island;

use skywave_scenario::Key;

use crate::{Candidate, keys_off};
use island::Island;

pub use island::FIRST;

/// Times that candidates which say nothing, or cannot be, are drawn anew in a generation.
const REDRAWS: usize = 8;

/// Plan of a search for bad network paths by evolution: the keys to vary, the islands, and when to end.
#[derive(Clone, Copy)]
pub struct Plan<'a> {
    /// Scenario keys that the search may vary, in the order of a candidate's settings.
    pub keys: &'a [Key],
    /// Seed of the random streams by which the islands draw candidates; simulations have seeds of their own.
    pub seed: u64,
    /// Numbers, from 0, of the islands to run: searches that are independent of each other, each with its own random
    /// stream.
    pub islands: &'a [usize],
    /// Most candidates that each island may have judged; those without a value (invalid paths, or paths that say
    /// nothing about the sender) do not count.
    pub each: usize,
    /// Function that says whether to go on, asked before each generation but the first.
    pub go_on: &'a dyn Fn() -> bool,
}

/// Path with the smallest value of the objective (the worst for the sender) among all of its [`Kind`](crate::Kind) that
/// one island, an independent search, has judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Number, from 0, of the island that found the path; an island is a search independent of the others.
    pub island: usize,
    /// Objective's value on the path; smaller is worse for the sender.
    pub value: f64,
    /// Path that was found: a setting for each key of the space, `None` where it is at its default.
    pub candidate: Candidate,
}

/// Searches for network paths that are bad for a sender, where the objective's value is small. Returns the worst path
/// of each [`Kind`](crate::Kind) that an island found, worst first; of equal values, the one with the fewest keys set
/// comes first. `judge` gives the value of each candidate, `None` for an invalid path or one that says nothing about
/// the sender; it may use any number of threads.
///
/// # Errors
/// Those of `judge`.
pub fn search<E>(
    plan: &Plan<'_>,
    mut judge: impl FnMut(&[Candidate]) -> Result<Vec<Option<f64>>, E>,
) -> Result<Vec<Found>, E> {
    let new = |&number: &usize| Island::new(number, plan.seed, plan.keys);
    let mut islands: Vec<Island> = plan.islands.iter().map(new).collect();
    loop {
        let mut active: Vec<&mut Island> = islands
            .iter_mut()
            .filter(|island| !island.is_over(plan.each))
            .collect();
        if active.is_empty() {
            break;
        }
        generation(plan.keys, &mut active, &mut judge)?;
        if !(plan.go_on)() {
            break;
        }
    }
    let mut found: Vec<Found> = islands.into_iter().flat_map(Island::into_found).collect();
    found.sort_by(|a, b| {
        let by_value = a.value.total_cmp(&b.value);
        let by_keys = keys_off(&a.candidate).cmp(&keys_off(&b.candidate));
        let by_candidate = (&a.candidate, a.island).cmp(&(&b.candidate, b.island));
        by_value.then(by_keys).then(by_candidate)
    });
    found.dedup_by(|a, b| a.candidate == b.candidate);
    Ok(found)
}

/// One generation of each island, judged together.
fn generation<E>(
    keys: &[Key],
    islands: &mut [&mut Island],
    judge: &mut impl FnMut(&[Candidate]) -> Result<Vec<Option<f64>>, E>,
) -> Result<(), E> {
    for _ in 0..REDRAWS {
        let mut batch = Vec::new();
        let mut sizes = Vec::with_capacity(islands.len());
        for island in islands.iter_mut() {
            let drawn = island.draw(keys);
            sizes.push(drawn.len());
            batch.extend(drawn);
        }
        if batch.is_empty() {
            break;
        }
        let values = judge(&batch)?;
        let mut rest = &values[..];
        for (island, size) in islands.iter_mut().zip(sizes) {
            let (own, others) = rest.split_at(size);
            island.take(own);
            rest = others;
        }
    }
    for island in islands {
        island.end_generation(keys);
    }
    Ok(())
}
