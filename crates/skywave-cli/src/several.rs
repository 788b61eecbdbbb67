//! Simulating several scenarios, for the verbs that judge them together.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use skywave_lab::experiment::{self, ENGINE, Results, RunOptions};
use skywave_lab::scenario::Scenario;
use skywave_papers::referee::Sender;
use skywave_sim::{Outcome, Spec};

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
    run_all(title, scenarios, keep, dir, ENGINE, experiment::simulate)
}

/// As [`simulate`], of scenarios that a sender is in: it runs them itself.
pub(crate) fn simulate_by(
    title: &str,
    scenarios: &[Scenario],
    keep: &Keep,
    dir: &Path,
    sender: &dyn Sender,
) -> Result<BTreeMap<String, Results>, Failure> {
    let run = |spec: &Spec, cancel: &AtomicBool| sender.run(spec, cancel);
    run_all(title, scenarios, keep, dir, sender.engine(), run)
}

fn run_all(
    title: &str,
    scenarios: &[Scenario],
    keep: &Keep,
    dir: &Path,
    engine: &str,
    simulate: impl Fn(&Spec, &AtomicBool) -> Option<Outcome> + Sync,
) -> Result<BTreeMap<String, Results>, Failure> {
    let bar = Bar::new(title);
    let options = RunOptions {
        dir: Some(dir),
        fresh: keep.fresh,
        threads: keep.threads(),
        engine,
        cancel: interrupt::flag(),
        progress: &|progress| bar.show(progress.all),
        doubts: &output::doubts,
    };
    let results = experiment::run_all(scenarios, &options, simulate)?;
    let done: usize = results.values().map(Results::finished).sum();
    let total: usize = scenarios.iter().map(Scenario::runs).sum();
    if done < total {
        return Err(interrupt::kept(format_args!("{done} of {total}"), dir));
    }
    Ok(results)
}
