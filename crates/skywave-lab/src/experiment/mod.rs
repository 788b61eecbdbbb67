//! Experiments: every point of a sweep with every seed, in parallel, and only what is missing.
//!
//! [`run`] expands a [`Design`] into runs, takes those that a run directory already holds, simulates
//! the rest on all cores and returns [`Results`] in the design's order, whatever the number of
//! threads. Finished runs reach the directory one by one, so an interrupted experiment goes on where
//! it stopped. Runs with a policy member of a user's own are never kept or reused.
//!
//! Results are means over seeds with Student's t at 95 %. Differences and gains between variants are paired by
//! seed. A run is identified by a hash of its specification and the engine's version: a second call runs only
//! missing runs, and a changed scenario runs again. Results are collected by index, so that the number of threads
//! changes none.

mod estimate;
pub mod file;
mod gather;
pub(crate) mod guard;
mod journal;
mod key;
mod ledger;
mod limits;
mod load;
mod make;
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
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};
use skywave_sim::observe::Watch;
use skywave_sim::outcome::Outcome;
use skywave_sim::simulate_watched;
use skywave_sim::spec::Spec;

use crate::scenario::Scenario;
use crate::threads::NoThreads;

pub use estimate::{Cause, Forecast, forecast};
pub use gather::{Added, Gathering, Line, SentSeries};
pub use journal::Doubts;
pub use key::{RunKey, Specification, hash};
pub use ledger::{Ledger, Numbers};
pub use limits::Limits;
pub use make::Maker;
pub use merge::merge;
pub use plan::{NoShard, Shard};
pub use results::{Results, RunResult};
pub use series::SeriesRecord;
pub use several::{RunOptions, RunProgress, run_all, series_of};
pub use shard::{MergeError, ShardFile, Shards};

pub use skywave_sim::ENGINE;

/// Experiment to run: the points of a sweep, and the seeds with which each is simulated.
pub trait Design: Sync {
    /// Number of points of the sweep.
    fn points(&self) -> usize;
    /// Seeds of the runs, the same at every point of the sweep.
    fn seeds(&self) -> &[u64];
    /// Specification of the simulation at a point (an index below [`Design::points`]) with a seed.
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

/// Choice of the runs that record time series. Time series are large: a bulk flow makes some megabytes a minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecordSeries {
    /// Runs whose specification asks for time series.
    #[default]
    AsSpecified,
    /// No run records time series.
    Never,
    /// Runs with the first seed of each point.
    FirstSeed,
    /// Every run records time series.
    Always,
}

/// Progress of an experiment, in numbers of runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Number of runs finished, those found in the run directory included.
    pub done: usize,
    /// Number of finished runs that the run directory had at the start.
    pub reused: usize,
    /// Number of all runs of the experiment, or of its shard.
    pub total: usize,
}

/// Settings for running an experiment.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Run directory, which keeps finished runs; with `None`, no run is kept on the disk or reused.
    pub dir: Option<&'a Path>,
    /// Whether to discard the runs that the directory has, and make all runs again.
    pub fresh: bool,
    /// Number of threads; `None` for one per core.
    pub threads: Option<usize>,
    /// Choice of the runs that record time series.
    pub series: RecordSeries,
    /// Shard (part of the runs) that is run; `None` for all runs.
    pub shard: Option<Shard>,
    /// Version of the simulation engine; finished runs of another version are not reused.
    pub engine: &'a str,
    /// Flag that the caller sets (as on Ctrl-C) to stop; runs under way are given up.
    pub cancel: &'a AtomicBool,
    /// Function called at the start and after every run, from any thread.
    pub progress: &'a (dyn Fn(Progress) + Sync),
    /// Function called with the lines of the run directory's journal that are damaged or have no checksum, if there are
    /// any.
    pub doubts: &'a (dyn Fn(&Doubts) + Sync),
    /// Function called once the run directory is locked, before the first run: a place to write files that describe the
    /// directory, such as which scenario its runs are of. An error from it ends the experiment; without a directory
    /// the function is not called.
    pub begin: &'a (dyn Fn() -> Result<(), Error> + Sync),
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
            begin: &|| Ok(()),
        }
    }
}

/// Reason why an experiment could not be run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file of the run directory could not be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// Directory that another process or thread has locked for its own runs.
    #[error("{} is in use by another run", .0.display())]
    Busy(PathBuf),
    /// The threads could not be started.
    #[error(transparent)]
    Threads(#[from] NoThreads),
}

impl Error {
    /// Makes the error of the operating system about the file or folder at `path` one of an experiment.
    pub(super) fn at(path: &Path) -> impl Fn(std::io::Error) -> Self {
        move |source| Self::Io {
            path: path.to_owned(),
            source,
        }
    }
}

/// Simulates one run; `None` when `cancel` was set before its end. Meant as the argument `simulate` of [`run`].
pub fn simulate(spec: &Spec, cancel: &AtomicBool) -> Option<Outcome> {
    let watch = Watch {
        cancel: Some(cancel),
        ..Watch::default()
    };
    simulate_watched(spec, watch)
}

/// Runs an experiment: all points with all seeds, except the runs that the run directory already has.
///
/// Runs start seed by seed, so that a cancelled experiment has a few seeds of every point rather than all seeds of a
/// few points. `simulate` gets the flag that cancels ([`Options::cancel`]); when it gives up a run (returns `None`), no
/// further run is started. Cancelling is no error: runs are then missing from the results.
pub fn run<D, F>(design: &D, options: &Options<'_>, simulate: F) -> Result<Results, Error>
where
    D: Design + ?Sized,
    F: Fn(&Spec, &AtomicBool) -> Option<Outcome> + Sync,
{
    let gathering = Gathering::open(design, options)?;
    gathering.make(design, options, simulate)?;
    gathering.finish()
}

/// Number of runs that record time series, and the approximate size of all these time series on the disk in bytes, if
/// the slowest link of each run is busy all the time.
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
