//! Runs several scenarios one after the other, with one progress over all of them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use skywave_sim::{Outcome, Spec};

use super::{Doubts, ENGINE, Error, NEVER, Options, Progress, RecordSeries, Results, run};
use crate::scenario::Scenario;

/// Settings for running several scenarios.
#[derive(Clone, Copy)]
pub struct RunOptions<'a> {
    /// Folder that keeps finished runs, with a run directory for each scenario in it; with `None`, no run is kept on
    /// the disk or reused.
    pub dir: Option<&'a Path>,
    /// Whether to discard the runs that the folder has, and make all runs again.
    pub fresh: bool,
    /// Number of threads; `None` for one per core.
    pub threads: Option<usize>,
    /// Version of the simulation engine; finished runs of another version are not reused.
    pub engine: &'a str,
    /// Flag that the caller sets (as on Ctrl-C) to stop; runs under way are given up.
    pub cancel: &'a AtomicBool,
    /// Function called at the start of each scenario and after every run, from any thread.
    pub progress: &'a (dyn Fn(RunProgress<'_>) + Sync),
    /// Function called with the lines of a run directory's journal that are damaged or have no checksum, if there are
    /// any.
    pub doubts: &'a (dyn Fn(&Doubts) + Sync),
}

/// Progress of a call that runs several scenarios.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunProgress<'a> {
    /// Name of the scenario under way.
    pub scenario: &'a str,
    /// Progress in numbers of runs, over all scenarios together.
    pub all: Progress,
}

impl Default for RunOptions<'_> {
    fn default() -> Self {
        Self {
            dir: None,
            fresh: false,
            threads: None,
            engine: ENGINE,
            cancel: &NEVER,
            progress: &|_| (),
            doubts: &|_| (),
        }
    }
}

/// Runs all scenarios, one after the other; returns the results by the scenarios' names.
///
/// Cancelling is no error: the scenarios that were not reached are then not among the results, and runs of the
/// interrupted scenario are missing. A scenario that asks for time series records them only for the first seed of each
/// point: time series are large, and only plots need them.
pub fn run_all<F>(
    scenarios: &[Scenario],
    options: &RunOptions<'_>,
    simulate: F,
) -> Result<BTreeMap<String, Results>, Error>
where
    F: Fn(&Spec, &AtomicBool) -> Option<Outcome> + Sync,
{
    let mut results = BTreeMap::new();
    let total = scenarios.iter().map(Scenario::runs).sum();
    let (mut done, mut reused) = (0, 0);
    for scenario in scenarios {
        if options.cancel.load(Ordering::Relaxed) {
            break;
        }
        let found = std::sync::atomic::AtomicUsize::new(0);
        let dir = options.dir.map(|dir| dir.join(scenario.name()));
        let progress = |p: Progress| {
            found.store(p.reused, Ordering::Relaxed);
            (options.progress)(RunProgress {
                scenario: scenario.name(),
                all: Progress {
                    done: done + p.done,
                    reused: reused + p.reused,
                    total,
                },
            });
        };
        let one = Options {
            dir: dir.as_deref(),
            fresh: options.fresh,
            threads: options.threads,
            series: series_of(scenario),
            engine: options.engine,
            cancel: options.cancel,
            progress: &progress,
            doubts: options.doubts,
            ..Options::default()
        };
        let measured = run(scenario, &one, &simulate)?;
        done += measured.finished();
        reused += found.load(Ordering::Relaxed);
        results.insert(scenario.name().to_owned(), measured);
    }
    Ok(results)
}

/// Choice of the runs that record time series in [`run_all`]: the run with the first seed of each point if the
/// scenario asks for time series, else no run.
pub fn series_of(scenario: &Scenario) -> RecordSeries {
    if scenario.records_series() {
        RecordSeries::FirstSeed
    } else {
        RecordSeries::Never
    }
}
