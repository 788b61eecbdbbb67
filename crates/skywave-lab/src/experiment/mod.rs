//! Experiments: every point of a sweep with every seed, in parallel, and only what is missing.
//!
//! [`run`] expands a [`Design`] into runs, takes those that a run directory already holds, simulates
//! the rest on all cores and returns [`Results`] in the design's order, whatever the number of
//! threads. Finished runs reach the directory one by one, so an interrupted experiment goes on where
//! it stopped. Runs with a policy member of a user's own are never kept or reused.

pub mod columns;
mod estimate;
pub mod file;
pub(crate) mod guard;
mod journal;
mod key;
mod merge;
mod packed;
mod plan;
mod record;
mod results;
mod series;
mod several;
mod shard;
mod spill;
pub mod stats;
mod store;
pub mod timeline;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use skywave_sim::observe::Watch;
use skywave_sim::outcome::Outcome;
use skywave_sim::simulate_watched;
use skywave_sim::spec::Spec;

use crate::scenario::Scenario;
use crate::threads::{self, NoThreads, lock};

pub use estimate::{Cause, Forecast, forecast};
pub use journal::Doubts;
pub use key::RunKey;
pub use merge::merge;
pub use plan::{NoShard, Shard};
pub use results::{Results, RunResult};
pub use series::SeriesRecord;
pub use several::{RunOptions, RunProgress, run_all};
pub use shard::{MergeError, ShardFile, Shards};

use plan::{Plan, Planned};
use store::Store;

pub use skywave_sim::ENGINE;

/// The runs of an experiment: points of a sweep, and seeds at each of them.
pub trait Design: Sync {
    /// Number of points.
    fn points(&self) -> usize;
    /// The seeds of every point.
    fn seeds(&self) -> &[u64];
    /// The simulation at a point, below [`Design::points`], with a seed.
    fn spec(&self, point: usize, seed: u64) -> Spec;
}

impl Design for Scenario {
    fn points(&self) -> usize {
        self.points().len()
    }

    fn seeds(&self) -> &[u64] {
        self.seeds()
    }

    fn spec(&self, point: usize, seed: u64) -> Spec {
        self.points()[point].spec(seed)
    }
}

/// Which runs record time series. They are large: a bulk flow makes some megabytes a minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecordSeries {
    /// Those whose specification says so.
    #[default]
    AsSpecified,
    /// None.
    Never,
    /// The first seed of each point.
    FirstSeed,
    /// All of them.
    Always,
}

/// How far an experiment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Runs finished, those found in the run directory included.
    pub done: usize,
    /// Runs found in the run directory.
    pub reused: usize,
    /// Runs of the experiment.
    pub total: usize,
}

/// How to run an experiment.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Directory that keeps finished runs; `None` keeps nothing.
    pub dir: Option<&'a Path>,
    /// Run everything again, and forget what the directory holds.
    pub fresh: bool,
    /// Number of threads; `None` for one a core.
    pub threads: Option<usize>,
    /// Which runs record time series.
    pub series: RecordSeries,
    /// The runs of this shard alone; `None` for all.
    pub shard: Option<Shard>,
    /// Engine version; results of another one are not used.
    pub engine: &'a str,
    /// Set by the caller (Ctrl-C) to stop; runs under way are given up.
    pub cancel: &'a AtomicBool,
    /// Called at the start and after every run, from any thread.
    pub progress: &'a (dyn Fn(Progress) + Sync),
    /// Told of lines of the run directory's journal that are not believed, if there are any.
    pub doubts: &'a (dyn Fn(&Doubts) + Sync),
}

/// Never cancelled.
static NEVER: AtomicBool = AtomicBool::new(false);

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            dir: None,
            fresh: false,
            threads: None,
            series: RecordSeries::default(),
            shard: None,
            engine: ENGINE,
            cancel: &NEVER,
            progress: &|_| (),
            doubts: &|_| (),
        }
    }
}

/// Why an experiment could not be run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file of the run directory could not be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Another process runs into the same directory.
    #[error("{} is in use by another run", .0.display())]
    Busy(PathBuf),
    /// The threads could not be started.
    #[error(transparent)]
    Threads(#[from] NoThreads),
}

/// One simulation, as [`run`] wants it: `None` when `cancel` was set before its end.
pub fn simulate(spec: &Spec, cancel: &AtomicBool) -> Option<Outcome> {
    let watch = Watch {
        cancel: Some(cancel),
        ..Watch::default()
    };
    simulate_watched(spec, watch)
}

/// Runs an experiment: all points with all seeds.
///
/// Runs start seed by seed, so that a cancelled experiment has a few seeds of every point rather
/// than all seeds of a few points. `simulate` is given the flag that cancels; when it gives a run up
/// (`None`), no other one is started. Cancelling is no error: the results then have gaps.
pub fn run<D, F>(design: &D, options: &Options<'_>, simulate: F) -> Result<Results, Error>
where
    D: Design + ?Sized,
    F: Fn(&Spec, &AtomicBool) -> Option<Outcome> + Sync,
{
    let plan = Plan::of(design, options.series, options.engine);
    let plan = match options.shard {
        Some(shard) => plan.part(shard),
        None => plan,
    };
    let (seeds, points) = (design.seeds(), design.points());
    let mut results = Results::beside(options.engine, seeds, points, options.dir);
    let store = match options.dir {
        Some(dir) => Some(open(dir, options, &plan, &mut results)?),
        None => None,
    };
    let places = (0..plan.runs().len()).zip(plan.runs());
    let missing: Vec<usize> = places
        .filter(|(_, p)| !results.has(p.point(), p.seed_index()))
        .map(|(place, _)| place)
        .collect();
    let progress = Progress {
        done: plan.runs().len() - missing.len(),
        reused: plan.runs().len() - missing.len(),
        total: plan.runs().len(),
    };
    (options.progress)(progress);

    let one = |place: usize, planned: &Planned| -> Result<Option<RunResult>, Error> {
        let spec = planned.spec(design, options.series);
        let Some(outcome) = simulate(&spec, options.cancel) else {
            return Ok(None);
        };
        let run = RunResult::new(outcome);
        match (&store, planned.key()) {
            (Some(store), Some(key)) => store.save(place, key, spec.seed, run).map(Some),
            _ => Ok(Some(run)),
        }
    };
    let done = AtomicUsize::new(progress.done);
    let given_up = AtomicBool::new(false);
    let all = Mutex::new(results);
    // Each thread takes the next run: they start in order, and a long one holds up nobody.
    threads::each(options.threads, missing.len(), |index| {
        if options.cancel.load(Ordering::Relaxed) || given_up.load(Ordering::Relaxed) {
            return Ok(());
        }
        let place = missing[index];
        let planned = &plan.runs()[place];
        if let Some(run) = one(place, planned)? {
            lock(&all).put(planned.point(), planned.seed_index(), &run);
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            (options.progress)(Progress { done, ..progress });
        } else {
            given_up.store(true, Ordering::Relaxed);
        }
        Ok::<_, Error>(())
    })?;
    if let Some(store) = &store {
        store.finish(&plan)?;
    }
    Ok(all.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// Opens a run directory, and takes from it what it has of the plan.
fn open(
    dir: &Path,
    options: &Options<'_>,
    plan: &Plan,
    results: &mut Results,
) -> Result<Store, Error> {
    let found = |place: usize, run: &RunResult| {
        let planned = &plan.runs()[place];
        results.put(planned.point(), planned.seed_index(), run);
    };
    let (store, doubts) = Store::open(dir, options.engine, options.fresh, plan, found)?;
    if doubts.any() {
        (options.doubts)(&doubts);
    }
    Ok(store)
}

/// Number of runs that record time series, and about how many bytes they take at most: as many as when
/// each path is busy at the rate of its slowest link all the time.
pub fn series_size<D: Design + ?Sized>(design: &D, series: RecordSeries) -> (usize, u64) {
    let (mut runs, mut bytes) = (0, 0.0);
    for point in 0..design.points() {
        let Some(&seed) = design.seeds().first() else {
            continue;
        };
        let spec = design.spec(point, seed);
        let indices = 0..design.seeds().len();
        let recorded = indices.filter(|&index| is_recorded(series, spec.series, index));
        let recorded = recorded.count();
        if recorded > 0 {
            runs += recorded;
            bytes += recorded as f64 * series::expected_bytes(&spec);
        }
    }
    (runs, bytes as u64)
}

/// The simulation to run: the design's, with the wish about series.
fn prepared<D: Design + ?Sized>(
    design: &D,
    point: usize,
    seed: u64,
    seed_index: usize,
    series: RecordSeries,
) -> Spec {
    let mut spec = design.spec(point, seed);
    spec.series = is_recorded(series, spec.series, seed_index);
    spec
}

/// Whether a run records time series, of which the specification says `specified`.
fn is_recorded(series: RecordSeries, specified: bool, seed_index: usize) -> bool {
    match series {
        RecordSeries::AsSpecified => specified,
        RecordSeries::Never => false,
        RecordSeries::FirstSeed => seed_index == 0,
        RecordSeries::Always => true,
    }
}

#[cfg(test)]
mod tests;
