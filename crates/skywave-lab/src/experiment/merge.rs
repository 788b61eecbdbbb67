//! The runs of all shards put together.

use std::path::Path;

use super::gather::Gathering;
use super::journal::Lines;
use super::plan::{Plan, Shard};
use super::record::Unusable;
use super::shard::{MergeError, Shards};
use super::store::RUNS;
use super::{Design, Doubts, Error, Options, Results};

/// Merges the runs of all shards, read from the directories in `shards`, into the run directory `dir`, and returns the
/// results. Results and journal are as if one process had made all runs. Runs that `dir` already has are used; so a
/// second merge changes nothing. `name` is the path of the scenario's file, for error messages.
///
/// # Errors
/// The shards were made by another engine version, or from another scenario than `design`; a shard lacks runs; or a
/// file cannot be read or written. Runs that were merged before the error stay in `dir` for the next call.
pub fn merge<D: Design + ?Sized>(
    design: &D,
    shards: &Shards,
    name: &str,
    dir: &Path,
    options: &Options<'_>,
) -> Result<Results, MergeError> {
    let file = shards.file();
    if file.engine != options.engine {
        return Err(MergeError::Engine {
            dir: shards.first().to_owned(),
            theirs: file.engine.clone(),
            ours: options.engine.to_owned(),
        });
    }
    let plan = Plan::of(design, file.series, options.engine);
    if !file.is_of(&plan) {
        return Err(MergeError::Changed {
            dir: shards.first().to_owned(),
            scenario: name.to_owned(),
        });
    }
    let all = Options {
        series: file.series,
        dir: Some(dir),
        ..*options
    };
    let gathering = Gathering::of(design, plan, &all)?;
    for (from, shard) in shards.iter() {
        let doubts = add(&gathering, from)?;
        if doubts.any() {
            (options.doubts)(&doubts);
        }
        complete(&gathering, from, shard)?;
    }
    Ok(gathering.finish()?)
}

/// Adds the runs of the shard in `from` that are not there yet.
fn add(gathering: &Gathering, from: &Path) -> Result<Doubts, Error> {
    let path = from.join(RUNS);
    let mut doubts = Doubts {
        path: path.clone(),
        ..Doubts::default()
    };
    let Some(mut lines) = Lines::of(&path).map_err(Error::at(&path))? else {
        return Ok(doubts);
    };
    while let Some(line) = lines.next().map_err(Error::at(&path))? {
        // Without an end, a crash left it or another process is just writing it.
        if line.content().is_none() {
            break;
        }
        match gathering.take(line.bytes, from)? {
            Ok(_) | Err(Unusable::Stale) => {}
            Err(Unusable::Damaged) => doubts.damage(line.number),
            Err(Unusable::Unchecked) => doubts.unchecked += 1,
        }
    }
    Ok(doubts)
}

/// Checks that all runs of a shard are there.
fn complete(gathering: &Gathering, from: &Path, shard: Shard) -> Result<(), MergeError> {
    let missing = gathering.missing();
    let missing = missing.iter().filter(|&&place| shard.has(place)).count();
    if missing > 0 {
        let runs = shard.share(gathering.total());
        return Err(MergeError::Incomplete {
            dir: from.to_owned(),
            shard,
            done: runs - missing,
            runs,
        });
    }
    Ok(())
}

#[cfg(test)]
#[path = "merge_tests.rs"]
mod tests;
