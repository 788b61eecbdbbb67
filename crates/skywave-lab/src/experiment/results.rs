//! The results of an experiment.

use std::io;
use std::path::PathBuf;

use skywave_sim::outcome::Outcome;

use super::series::{self, SeriesRecord};

/// The result of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunResult {
    /// Its outcome; the series may be on disk instead, see [`RunResult::series`].
    pub outcome: Outcome,
    /// File of the series, when they were stored.
    pub(super) series_file: Option<PathBuf>,
}

impl RunResult {
    /// A result held in memory.
    pub fn new(outcome: Outcome) -> Self {
        Self {
            outcome,
            series_file: None,
        }
    }

    /// Whether time series were recorded.
    pub fn has_series(&self) -> bool {
        self.series_file.is_some() || !self.outcome.series.is_empty()
    }

    /// The time series, read from the run directory when they are there.
    pub fn series(&self) -> io::Result<Vec<SeriesRecord>> {
        match &self.series_file {
            Some(path) => series::read(path),
            None => Ok(self.outcome.series.iter().map(Into::into).collect()),
        }
    }
}

/// The results of an experiment: a run for every point and seed, or a gap.
#[derive(Clone, Debug, PartialEq)]
pub struct Results {
    /// Engine version.
    pub engine: String,
    /// Seeds, the same at every point.
    pub seeds: Vec<u64>,
    points: usize,
    runs: Vec<Option<RunResult>>,
}

impl Results {
    /// Results with every run missing.
    pub fn empty(engine: &str, seeds: &[u64], points: usize) -> Self {
        Self {
            engine: engine.to_owned(),
            seeds: seeds.to_vec(),
            points,
            runs: vec![None; points * seeds.len()],
        }
    }

    /// Number of points.
    pub fn points(&self) -> usize {
        self.points
    }

    /// The run at a point with the seed of that index; `None` when it is missing.
    pub fn get(&self, point: usize, seed_index: usize) -> Option<&RunResult> {
        let runs = self.at(point);
        runs.get(seed_index)?.as_ref()
    }

    /// The runs at a point, one a seed.
    pub fn at(&self, point: usize) -> &[Option<RunResult>] {
        let n = self.seeds.len();
        self.runs.get(point * n..(point + 1) * n).unwrap_or(&[])
    }

    /// Fills in a run; ignored outside the experiment.
    pub fn put(&mut self, point: usize, seed_index: usize, run: RunResult) {
        if seed_index < self.seeds.len()
            && let Some(slot) = self.runs.get_mut(point * self.seeds.len() + seed_index)
        {
            *slot = Some(run);
        }
    }

    /// Runs that are there: point, index of the seed, run.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize, &RunResult)> {
        let n = self.seeds.len().max(1);
        self.runs
            .iter()
            .enumerate()
            .filter_map(move |(i, run)| Some((i / n, i % n, run.as_ref()?)))
    }

    /// Number of runs that are there.
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

    /// A value of each run at a point, in the order of the seeds.
    pub fn samples(
        &self,
        point: usize,
        mut value: impl FnMut(&RunResult) -> Option<f64>,
    ) -> Vec<Option<f64>> {
        self.at(point)
            .iter()
            .map(|run| run.as_ref().and_then(&mut value))
            .collect()
    }
}
