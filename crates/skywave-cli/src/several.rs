//! Simulating several scenarios, for the verbs that judge them together.

use std::collections::BTreeMap;
use std::path::Path;

use skywave_lab::experiment::{self, Results, RunOptions};
use skywave_lab::scenario::Scenario;

use crate::failure::Failure;
use crate::interrupt;
use crate::keep::Keep;
use crate::output;
use crate::progress::Bar;

/// The results of all scenarios by their names, with one bar called `title`; those in `dir` are used
/// and added to.
pub(crate) fn simulate(
    title: &str,
    scenarios: &[Scenario],
    keep: &Keep,
    dir: &Path,
) -> Result<BTreeMap<String, Results>, Failure> {
    let bar = Bar::new(title);
    let options = RunOptions {
        dir: Some(dir),
        fresh: keep.fresh,
        threads: keep.threads(),
        cancel: interrupt::flag(),
        progress: &|progress| bar.show(progress.all),
        doubts: &output::doubts,
        ..RunOptions::default()
    };
    let results = experiment::run_all(scenarios, &options, experiment::simulate)?;
    let done = results.values().map(Results::finished).sum();
    let total = scenarios.iter().map(Scenario::runs).sum();
    if done < total {
        return Err(Failure::Interrupted {
            done,
            total,
            dir: dir.to_owned(),
        });
    }
    Ok(results)
}
