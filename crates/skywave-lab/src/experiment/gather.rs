//! An experiment under way: the runs that its directory has, and those that come from threads here or, as lines
//! of a journal, from elsewhere.
//!
//! A cluster adds lines to a journal and has no state of its own to lose. What is counted is what the journal
//! lacked, so that a chunk may be handed out twice. Its task is a text that a worker evaluates: Dask's scheduler
//! reads every task, and so need not have Skywave.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use skywave_sim::outcome::Outcome;
use skywave_sim::spec::Spec;

use super::key::RunKey;
use super::plan::{self, Plan, Planned};
use super::record::{self, Unusable};
use super::results::RunResult;
use super::store::{Store, series_path};
use super::{Design, Error, Options, Progress, RecordSeries, Results, Specification, file};
use crate::threads::{self, lock};

/// An experiment under way: its plan (all its runs, in the order in which they are made) and the results so far. The
/// run directory stays locked until this value is dropped.
pub struct Gathering {
    plan: Plan,
    series: RecordSeries,
    engine: String,
    store: Option<Store>,
    results: Mutex<Results>,
    /// Number of runs that the directory had at the start.
    reused: usize,
}

/// Time series of a run that was made on another machine, as sent to the process that keeps the run directory.
#[derive(Clone, Copy, Debug)]
pub struct SentSeries<'a> {
    /// Key of the run, a hash of all that decides its outcome.
    pub key: RunKey,
    /// Contents of the run's file of time series, as in [`Line::series`].
    pub bytes: &'a [u8],
}

/// Effect of adding a run's journal line to an experiment ([`Gathering::add`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Added {
    /// Indices into the experiment's plan of the runs whose result the added line is: several if points of the sweep
    /// have equal specifications, none if the line's run is of another experiment.
    pub places: Vec<usize>,
    /// Number of runs in the plan that had no result until the line was added.
    pub new: usize,
}

impl Gathering {
    /// Begins an experiment, or continues one: locks the run directory ([`Options::dir`]) and takes over the finished
    /// runs that it has.
    ///
    /// # Errors
    /// The directory cannot be read or written, another process or thread has locked it, or [`Options::begin`] failed.
    pub fn open<D: Design + ?Sized>(design: &D, options: &Options<'_>) -> Result<Self, Error> {
        let plan = Plan::of(design, options.series, options.engine);
        let plan = match options.shard {
            Some(shard) => plan.part(shard),
            None => plan,
        };
        Self::of(design, plan, options)
    }

    /// As [`Gathering::open`], of a part of the runs, or of all.
    pub(super) fn of<D: Design + ?Sized>(
        design: &D,
        plan: Plan,
        options: &Options<'_>,
    ) -> Result<Self, Error> {
        let (seeds, points) = (design.seeds(), design.points());
        let mut results = Results::beside(options.engine, seeds, points, options.dir);
        let store = match options.dir {
            Some(dir) => {
                let found = |place: usize, run: &RunResult| put(&mut results, &plan, place, run);
                let (engine, fresh) = (options.engine, options.fresh);
                let (store, doubts) = Store::open(dir, engine, fresh, &plan, found)?;
                if doubts.any() {
                    (options.doubts)(&doubts);
                }
                (options.begin)()?;
                Some(store)
            }
            None => None,
        };
        let mut gathering = Self {
            reused: 0,
            plan,
            series: options.series,
            engine: options.engine.to_owned(),
            store,
            results: Mutex::new(results),
        };
        gathering.reused = gathering.total() - gathering.missing().len();
        Ok(gathering)
    }

    /// Number of runs in the plan, finished or not; with [`Options::shard`] only the runs of the shard count.
    pub fn total(&self) -> usize {
        self.plan.runs().len()
    }

    /// Number of finished runs that the run directory had at the start.
    pub fn reused(&self) -> usize {
        self.reused
    }

    /// Hash of all that decides the results; a [`Maker`](super::Maker) on another machine whose hash is equal makes the
    /// same runs.
    pub fn hash(&self) -> u128 {
        self.plan.hash()
    }

    /// Whether the run at a place of the plan is there.
    fn has(&self, results: &Results, place: usize) -> bool {
        let run = &self.plan.runs()[place];
        results.has(run.point(), run.seed_index())
    }

    /// Indices into the plan of the runs that have no result yet, in the order in which they are to be made.
    pub fn missing(&self) -> Vec<usize> {
        let results = lock(&self.results);
        let places = 0..self.total();
        places.filter(|&place| !self.has(&results, place)).collect()
    }

    /// Whether the plan has a run with index `place` that has no result yet.
    pub fn lacks(&self, place: usize) -> bool {
        place < self.total() && !self.has(&lock(&self.results), place)
    }

    /// List with an entry for each run of the experiment (of all shards), in the order of the plan: the hash of the
    /// run's specification without its seed, and whether the run records time series.
    pub fn specifications<D: Design + ?Sized>(&self, design: &D) -> Vec<(Specification, bool)> {
        plan::specifications(design, self.series, &self.engine)
    }

    /// Number of runs in the plan that have this key: above 1 if points of the sweep have equal specifications, 0 for a
    /// run of another experiment.
    pub fn places(&self, key: RunKey) -> usize {
        self.plan.places(key).len()
    }

    /// Adds the result of a run that was made on another machine: `line` is the run's line for the journal with its
    /// line break, `series` its time series. A result that the experiment already has stays. `None` if the line is
    /// damaged, has no checksum or is another engine version's, or if the run recorded time series and they are
    /// missing (without a run directory they always are, as there is no place for them).
    ///
    /// # Errors
    /// The result cannot be written into the run directory.
    pub fn add(&self, line: &[u8], series: Option<SentSeries<'_>>) -> Result<Option<Added>, Error> {
        if let (Some(store), Some(series)) = (&self.store, series)
            && store.lacks(&self.plan, series.key)
        {
            let path = series_path(store.dir(), series.key);
            file::write_atomically(&path, |out| std::io::Write::write_all(out, series.bytes))
                .map_err(Error::at(&path))?;
        }
        let dir = self.store.as_ref().map_or(Path::new(""), Store::dir);
        Ok(self.take(line, dir)?.ok())
    }

    /// Takes the line of a run, whose time series are in the run directory `from`.
    pub(super) fn take(&self, line: &[u8], from: &Path) -> Result<Result<Added, Unusable>, Error> {
        let content = line.strip_suffix(b"\n");
        let Some(content) = content.filter(|content| !content.contains(&b'\n')) else {
            return Ok(Err(Unusable::Damaged));
        };
        let (key, mut run) = match record::read(content, &self.engine, from) {
            Ok(read) => read,
            Err(unusable) => return Ok(Err(unusable)),
        };
        let places = self.plan.places(key).iter().map(|&place| place as usize);
        let places: Vec<usize> = places.collect();
        let mut new = 0;
        match &self.store {
            Some(store) if store.lacks(&self.plan, key) => {
                if let Some(theirs) = &run.series_file {
                    let ours = series_path(store.dir(), key);
                    if *theirs != ours {
                        copy(theirs, &ours).map_err(Error::at(theirs))?;
                    }
                    run.series_file = Some(ours);
                }
                for place in store.adopt(&self.plan, key, line)? {
                    put(&mut lock(&self.results), &self.plan, place, &run);
                    new += 1;
                }
            }
            Some(_) => {}
            None => {
                let mut results = lock(&self.results);
                for &place in &places {
                    if !self.has(&results, place) {
                        put(&mut results, &self.plan, place, &run);
                        new += 1;
                    }
                }
            }
        }
        Ok(Ok(Added { places, new }))
    }

    /// Simulates the runs that have no result yet, on threads of this process. `simulate` gets the flag that cancels
    /// ([`Options::cancel`]); when it gives up a run (returns `None`), no further run is started. Cancelling is no
    /// error: runs are then missing.
    ///
    /// # Errors
    /// The results cannot be written into the run directory, or the threads cannot be started.
    pub fn make<D, F>(&self, design: &D, options: &Options<'_>, simulate: F) -> Result<(), Error>
    where
        D: Design + ?Sized,
        F: Fn(&Spec, &AtomicBool) -> Option<Outcome> + Sync,
    {
        let missing = self.missing();
        let start = Progress {
            done: self.total() - missing.len(),
            reused: self.total() - missing.len(),
            total: self.total(),
        };
        (options.progress)(start);
        let one = |place: usize, planned: &Planned| -> Result<Option<RunResult>, Error> {
            let spec = planned.spec(design, self.series);
            let Some(outcome) = simulate(&spec, options.cancel) else {
                return Ok(None);
            };
            let run = RunResult::new(outcome);
            match (&self.store, planned.key()) {
                (Some(store), Some(key)) => store.save(place, key, spec.seed, run).map(Some),
                _ => Ok(Some(run)),
            }
        };
        let done = AtomicUsize::new(start.done);
        let given_up = AtomicBool::new(false);
        // Each thread takes the next run: they start in order, and a long one holds up nobody.
        threads::each(options.threads, missing.len(), |index| {
            if options.cancel.load(Ordering::Relaxed) || given_up.load(Ordering::Relaxed) {
                return Ok(());
            }
            let place = missing[index];
            if let Some(run) = one(place, &self.plan.runs()[place])? {
                put(&mut lock(&self.results), &self.plan, place, &run);
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                (options.progress)(Progress { done, ..start });
            } else {
                given_up.store(true, Ordering::Relaxed);
            }
            Ok::<_, Error>(())
        })?;
        Ok(())
    }

    /// Whether the journal of the run directory has a line for the run with index `place` in the plan.
    pub fn has_line(&self, place: usize) -> bool {
        self.store.as_ref().is_some_and(|s| s.has_line(place))
    }

    /// Finished runs as the run directory has them (line of the journal, time series); `places` are indices into the
    /// plan. Runs that the directory does not have are left out.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn lines(&self, places: &[usize]) -> Result<Vec<Line>, Error> {
        let Some(store) = &self.store else {
            return Ok(Vec::new());
        };
        let mut lines = Vec::with_capacity(places.len());
        for (place, line) in store.lines(places)? {
            let Some(key) = self.plan.runs()[place].key() else {
                continue;
            };
            let path = series_path(store.dir(), key);
            let series = match std::fs::read(&path) {
                Ok(bytes) => Some(bytes),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
                Err(error) => return Err(Error::at(&path)(error)),
            };
            lines.push(Line { key, line, series });
        }
        Ok(lines)
    }

    /// Ends the experiment and returns its results; if no run is missing, the lines of the journal are put in
    /// the order of the plan.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub fn finish(self) -> Result<Results, Error> {
        if let Some(store) = &self.store {
            store.finish(&self.plan)?;
        }
        let results = self.results.into_inner();
        Ok(results.unwrap_or_else(PoisonError::into_inner))
    }
}

/// A finished run as a run directory keeps it: its line in the journal, and its file of time series.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Key of the run, a hash of all that decides its outcome.
    pub key: RunKey,
    /// Line of the run in the journal: a JSON object, then a line break.
    pub line: Vec<u8>,
    /// Contents of the file with the time series of the run; `None` if the run has recorded none.
    pub series: Option<Vec<u8>>,
}

fn put(results: &mut Results, plan: &Plan, place: usize, run: &RunResult) {
    let planned = &plan.runs()[place];
    results.put(planned.point(), planned.seed_index(), run);
}

/// Copies a file, whole or not at all.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    let mut input = std::fs::File::open(from)?;
    file::write_atomically(to, |out| std::io::copy(&mut input, out).map(|_| ()))
}

#[cfg(test)]
#[path = "gather_tests.rs"]
mod tests;
