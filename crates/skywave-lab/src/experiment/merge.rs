//! The runs of all shards put together.

use std::io;
use std::path::Path;

use super::journal::Lines;
use super::plan::{Plan, Shard};
use super::record::{self, Unusable};
use super::shard::{MergeError, Shards};
use super::store::{RUNS, Store, series_path};
use super::{Design, Doubts, Error, Options, Results};

/// Puts the runs of all shards into one run directory, that of `options`, and gives the results: the journal
/// and the results are those of one run of all. What is in the directory already is used; so a second
/// merge changes nothing. `name` is the scenario's file, for errors.
///
/// # Errors
/// The shards are of another engine or of other results than `design` makes, one lacks runs, or a
/// file cannot be read or written. Runs that were merged before that stay, for the next time.
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
    let (seeds, points) = (design.seeds(), design.points());
    let mut results = Results::beside(options.engine, seeds, points, Some(dir));
    let mut store = super::open(dir, options, &plan, &mut results)?;
    for (from, shard) in shards.iter() {
        let doubts = add(&mut store, &mut results, &plan, from, options.engine)?;
        if doubts.any() {
            (options.doubts)(&doubts);
        }
        complete(&results, &plan, from, shard)?;
    }
    store.finish(&plan)?;
    Ok(results)
}

/// Adds the runs of the shard in `from` that are not there yet.
fn add(
    store: &mut Store,
    results: &mut Results,
    plan: &Plan,
    from: &Path,
    engine: &str,
) -> Result<Doubts, Error> {
    let path = from.join(RUNS);
    let at = |source| Error::Io {
        path: path.clone(),
        source,
    };
    let mut doubts = Doubts {
        path: path.clone(),
        ..Doubts::default()
    };
    let Some(mut lines) = Lines::of(&path).map_err(at)? else {
        return Ok(doubts);
    };
    while let Some(line) = lines.next().map_err(at)? {
        // Without an end, a crash left it or another process is just writing it.
        let Some(content) = line.content() else {
            break;
        };
        match record::read(content, engine, from) {
            Ok((key, mut run)) => {
                if store.lacks(plan, key) {
                    if let Some(theirs) = &run.series_file {
                        let ours = series_path(store.dir(), key);
                        copy(theirs, &ours).map_err(at)?;
                        run.series_file = Some(ours);
                    }
                    for place in store.adopt(plan, key, line.bytes)? {
                        let planned = &plan.runs()[place];
                        results.put(planned.point(), planned.seed_index(), &run);
                    }
                }
            }
            Err(Unusable::Damaged) => doubts.damage(line.number),
            Err(Unusable::Unchecked) => doubts.unchecked += 1,
            Err(Unusable::Stale) => {}
        }
    }
    Ok(doubts)
}

/// Copies a file, whole or not at all.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let mut input = std::fs::File::open(from)?;
    super::file::write_atomically(to, |out| io::copy(&mut input, out).map(|_| ()))
}

/// Checks that all runs of a shard are there.
fn complete(results: &Results, plan: &Plan, from: &Path, shard: Shard) -> Result<(), MergeError> {
    let runs = plan.runs().iter().enumerate();
    let runs = runs.filter(|(place, _)| shard.has(*place));
    let done = runs.filter(|(_, run)| results.has(run.point(), run.seed_index()));
    let (done, all) = (done.count(), shard.share(plan.runs().len()));
    if done < all {
        return Err(MergeError::Incomplete {
            dir: from.to_owned(),
            shard,
            done,
            runs: all,
        });
    }
    Ok(())
}

#[cfg(test)]
#[path = "merge_tests.rs"]
mod tests;
