//! The results of an experiment.

use std::collections::BTreeMap;
use std::io;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use skywave_sim::outcome::{Outcome, Series};

use super::packed;
use super::series::{self, SeriesRecord};
use super::spill::Spill;
use crate::threads::lock;

/// Result of one run: its outcome, and its time series, which may be in a file of the run directory.
#[derive(Clone, Debug, PartialEq)]
pub struct RunResult {
    /// Outcome of the run, perhaps without its time series: see [`RunResult::series`].
    pub outcome: Outcome,
    /// File of the series, when they were stored.
    pub(super) series_file: Option<PathBuf>,
}

impl RunResult {
    /// Result of a run whose time series, if any, are in `outcome`.
    pub fn new(outcome: Outcome) -> Self {
        Self {
            outcome,
            series_file: None,
        }
    }

    /// Whether the run has recorded time series.
    pub fn has_series(&self) -> bool {
        self.series_file.is_some() || !self.outcome.series.is_empty()
    }

    /// Time series of the run, from its outcome or read from the run directory; empty if the run recorded none.
    ///
    /// # Errors
    /// The file in the run directory cannot be read, or is damaged.
    pub fn series(&self) -> io::Result<Vec<SeriesRecord>> {
        match &self.series_file {
            Some(path) => series::read(path),
            None => Ok(self.outcome.series.iter().map(Into::into).collect()),
        }
    }
}

/// The results of an experiment: the result of a run for every point and seed, or a gap where the run is missing.
///
/// An experiment may have a million runs. The results keep them packed, beyond some megabytes in a temporary file,
/// and unpack a run when a caller asks for it. A run that cannot be read back from the file counts as missing, and
/// [`Results::check`] returns the error.
#[derive(Clone, Debug)]
pub struct Results {
    /// Version of the engine that made the runs.
    pub engine: String,
    /// Seeds of the runs, the same at every point.
    pub seeds: Vec<u64>,
    points: usize,
    runs: Vec<Option<Packed>>,
    /// Packed outcomes of the runs, shared with copies of these results.
    bytes: Arc<Mutex<Spill>>,
    /// Time series of the runs that have some, by the runs' places.
    series: BTreeMap<usize, Recorded>,
}

/// Where a packed outcome is.
#[derive(Clone, Copy, Debug)]
struct Packed {
    at: u64,
    len: NonZeroU32,
}

/// Time series of a run.
#[derive(Clone, Debug)]
enum Recorded {
    Here(Vec<Series>),
    In(PathBuf),
}

impl Results {
    /// Results in which all runs are missing, for a sweep of `points` points with the seeds `seeds`; `engine` is the
    /// version of the engine that will make the runs.
    pub fn empty(engine: &str, seeds: &[u64], points: usize) -> Self {
        Self::beside(engine, seeds, points, None)
    }

    /// Results with every run missing; packed outcomes that do not fit into memory go to a file in `dir`.
    pub(super) fn beside(engine: &str, seeds: &[u64], points: usize, dir: Option<&Path>) -> Self {
        Self {
            engine: engine.to_owned(),
            seeds: seeds.to_vec(),
            points,
            runs: vec![None; points * seeds.len()],
            bytes: Arc::new(Mutex::new(Spill::new(dir))),
            series: BTreeMap::new(),
        }
    }

    /// Number of points of the sweep.
    pub fn points(&self) -> usize {
        self.points
    }

    /// Run at a point (an index, from 0) with the seed at `seed_index` in [`Self::seeds`]; `None` when the run is
    /// missing.
    pub fn get(&self, point: usize, seed_index: usize) -> Option<RunResult> {
        if seed_index >= self.seeds.len() {
            return None;
        }
        self.unpacked(point * self.seeds.len() + seed_index)
    }

    /// Whether the run at a point (an index, from 0) with the seed at `seed_index` in [`Self::seeds`] is not missing.
    pub fn has(&self, point: usize, seed_index: usize) -> bool {
        let place = point * self.seeds.len() + seed_index;
        seed_index < self.seeds.len() && self.runs.get(place).is_some_and(Option::is_some)
    }

    fn unpacked(&self, place: usize) -> Option<RunResult> {
        let packed = (*self.runs.get(place)?)?;
        let mut all = lock(&self.bytes);
        let bytes = all.read(packed.at, packed.len.get() as usize)?;
        let Some(outcome) = packed::read(&bytes) else {
            all.fail(io::ErrorKind::InvalidData.into());
            return None;
        };
        drop(all);
        let mut run = RunResult::new(outcome);
        match self.series.get(&place) {
            Some(Recorded::Here(series)) => run.outcome.series.clone_from(series),
            Some(Recorded::In(path)) => run.series_file = Some(path.clone()),
            None => {}
        }
        Some(run)
    }

    /// Runs at a point, one for each seed in order, unpacked one at a time; `None` in place of a missing run.
    pub fn at(&self, point: usize) -> impl Iterator<Item = Option<RunResult>> + '_ {
        (0..self.seeds.len()).map(move |seed_index| self.get(point, seed_index))
    }

    /// Run at a point with the first seed whose run is not missing; `None` if all runs at the point are missing.
    pub fn first(&self, point: usize) -> Option<RunResult> {
        self.at(point).flatten().next()
    }

    /// Stores the run at a point (an index, from 0) with the seed at `seed_index` in [`Self::seeds`]; does nothing if
    /// there is no such point or seed.
    pub fn put(&mut self, point: usize, seed_index: usize, run: &RunResult) {
        let place = point * self.seeds.len() + seed_index;
        if seed_index >= self.seeds.len() || place >= self.runs.len() {
            return;
        }
        let mut bytes = Vec::new();
        packed::write(&mut bytes, &run.outcome);
        let len = u32::try_from(bytes.len()).ok().and_then(NonZeroU32::new);
        let mut all = lock(&self.bytes);
        let at = if len.is_some() {
            all.add(&bytes)
        } else {
            all.fail(io::ErrorKind::FileTooLarge.into());
            0
        };
        drop(all);
        self.runs[place] = len.map(|len| Packed { at, len });
        let recorded = match &run.series_file {
            Some(path) => Some(Recorded::In(path.clone())),
            None if run.outcome.series.is_empty() => None,
            None => Some(Recorded::Here(run.outcome.series.clone())),
        };
        match recorded {
            Some(recorded) => drop(self.series.insert(place, recorded)),
            None => drop(self.series.remove(&place)),
        }
    }

    /// Iterator over all runs that are not missing: index of the point, index of the seed, and the run, unpacked one at
    /// a time.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize, RunResult)> + '_ {
        let n = self.seeds.len().max(1);
        (0..self.runs.len()).filter_map(move |i| Some((i / n, i % n, self.unpacked(i)?)))
    }

    /// Iterator over all runs that recorded time series: index of the point, index of the seed.
    pub fn recorded(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let n = self.seeds.len().max(1);
        self.series.keys().map(move |i| (i / n, i % n))
    }

    /// Number of runs that are not missing.
    pub fn finished(&self) -> usize {
        self.runs.iter().flatten().count()
    }

    /// Number of runs, missing ones included.
    pub fn total(&self) -> usize {
        self.runs.len()
    }

    /// Whether no run is missing.
    pub fn is_complete(&self) -> bool {
        self.runs.iter().all(Option::is_some)
    }

    /// Values that the function `value` takes from the runs at a point, one for each seed in order; `None` where the
    /// run is missing or `value` gives none.
    pub fn samples(
        &self,
        point: usize,
        mut value: impl FnMut(&RunResult) -> Option<f64>,
    ) -> Vec<Option<f64>> {
        self.at(point)
            .map(|run| run.as_ref().and_then(&mut value))
            .collect()
    }

    /// Checks that no run has counted as missing so far because it could not be stored, or read back from the temporary
    /// file of packed runs.
    ///
    /// # Errors
    /// The first error of storing a run, or of reading it back.
    pub fn check(&self) -> io::Result<()> {
        match lock(&self.bytes).error() {
            Some(error) => Err(io::Error::new(error.kind(), error.to_string())),
            None => Ok(()),
        }
    }
}

/// The same runs with the same outcomes.
impl PartialEq for Results {
    fn eq(&self, other: &Self) -> bool {
        let same =
            self.engine == other.engine && self.seeds == other.seeds && self.points == other.points;
        same && (0..self.runs.len()).all(|i| self.unpacked(i) == other.unpacked(i))
    }
}
