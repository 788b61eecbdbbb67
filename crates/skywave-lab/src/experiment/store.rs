//! The finished runs in a run directory.
//!
//! `runs.jsonl` has one line a run and only ever grows by whole lines: what a crash leaves of the
//! last line is skipped, and that run is done again; so is the run of a line that is not what was written.
//! Such lines, and those of another engine version, are left out when the file is next opened, by
//! writing a new file and renaming it. When all runs of an experiment are there, their lines are put into the
//! order of the plan: so the file is the same however many threads or machines made them.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::file::remove_drafts;
use super::guard::Lock;
use super::journal::{Doubts, Journal, Lines, Place};
use super::key::RunKey;
use super::plan::Plan;
use super::record::{self, Unusable};
use super::results::RunResult;
use super::shard::{self, Shards};
use super::{Error, series};
use crate::threads::lock;

pub(super) const RUNS: &str = "runs.jsonl";
const SERIES: &str = "series";

/// A run directory, open for adding the runs of a plan.
pub(super) struct Store {
    dir: PathBuf,
    engine: String,
    kept: Mutex<Kept>,
    _lock: Lock,
}

/// The lines of the journal.
struct Kept {
    journal: Journal,
    /// Line of each run of the plan; `None` while it is missing.
    lines: Vec<Option<Place>>,
    /// Lines of other runs, which the plan does not have.
    others: Vec<(RunKey, Place)>,
}

impl Kept {
    /// Notes the line of a run; gives the places of the plan that have no other one.
    fn note(&mut self, plan: &Plan, key: RunKey, line: Place) -> Found {
        let places = plan.places(key);
        let Some(free) = places.iter().find(|&&p| self.lines[p as usize].is_none()) else {
            if places.is_empty() {
                self.others.push((key, line));
                return Found::Other;
            }
            return Found::Surplus;
        };
        self.lines[*free as usize] = Some(line);
        if Some(free) == places.first() {
            return Found::First(places.iter().map(|&p| p as usize).collect());
        }
        Found::Again
    }

    /// Gives each run without a line that of a run that means the same, if one has a line.
    fn share(&mut self, plan: &Plan) {
        for (place, run) in plan.runs().iter().enumerate() {
            if self.lines[place].is_none()
                && let Some(key) = run.key()
            {
                let first = plan.places(key).first();
                self.lines[place] = first.and_then(|&first| self.lines[first as usize]);
            }
        }
    }

    /// Puts the lines into the order of the plan, other lines after them.
    fn arrange(&mut self) -> io::Result<()> {
        let others = self.others.iter().map(|(_, line)| line);
        if self.journal.is(self.lines.iter().flatten().chain(others)) {
            return Ok(());
        }
        let others = self.others.iter().map(|(_, line)| line);
        let all = self.lines.iter().flatten().chain(others);
        let mut moved = self.journal.rewrite(all)?.into_iter();
        let others = self.others.iter_mut().map(|(_, line)| line);
        for (line, to) in self
            .lines
            .iter_mut()
            .flatten()
            .chain(others)
            .zip(&mut moved)
        {
            *line = to;
        }
        Ok(())
    }
}

/// Meaning of a line for a plan.
enum Found {
    /// The first one of a run: it stands for all of these places.
    First(Vec<usize>),
    /// One more line, for another place that means the same.
    Again,
    /// One line more than there are places.
    Surplus,
    /// The line of a run that the plan does not have.
    Other,
}

impl Store {
    /// Opens or creates a run directory. `found` is told of each place of the plan whose run is there. Also
    /// gives the lines that are not believed.
    pub(super) fn open(
        dir: &Path,
        engine: &str,
        fresh: bool,
        plan: &Plan,
        mut found: impl FnMut(usize, &RunResult),
    ) -> Result<(Self, Doubts), Error> {
        let path = dir.join(RUNS);
        fs::create_dir_all(dir).map_err(Error::at(dir))?;
        let lock = Lock::acquire(dir)?;
        // All of these are written under the lock.
        remove_drafts(dir, |name| {
            [RUNS, "report.html", shard::FILE, Shards::SCENARIO].contains(&name)
                || name.ends_with(".parquet")
        });
        remove_drafts(&dir.join(SERIES), |_| true);
        let lines = if fresh {
            None
        } else {
            Lines::of(&path).map_err(Error::at(&path))?
        };
        let mut kept = Kept {
            journal: Journal::open(&path).map_err(Error::at(&path))?,
            lines: vec![None; plan.runs().len()],
            others: Vec::new(),
        };
        let mut doubts = Doubts {
            path: path.clone(),
            ..Doubts::default()
        };
        let mut left_out = fresh;
        if let Some(mut lines) = lines {
            while let Some(line) = lines.next().map_err(Error::at(&path))? {
                let content = line.content();
                let read = record::read(content.unwrap_or(line.bytes), engine, dir);
                match read {
                    Ok((key, run)) => {
                        let mut place = line.place;
                        if content.is_none() {
                            place = kept.journal.end_line(place).map_err(Error::at(&path))?;
                        }
                        match kept.note(plan, key, place) {
                            Found::First(places) => {
                                for place in places {
                                    found(place, &run);
                                }
                            }
                            Found::Surplus => left_out = true,
                            Found::Again | Found::Other => {}
                        }
                        if content.is_none() {
                            break; // it was the last one, and the end that it has now is no line
                        }
                        continue;
                    }
                    // A crash or a full disk left it, which is no reason for doubts.
                    Err(_) if content.is_none() => {}
                    Err(Unusable::Damaged) => doubts.damage(line.number),
                    Err(Unusable::Unchecked) => doubts.unchecked += 1,
                    Err(Unusable::Stale) => {}
                }
                left_out = true;
            }
            kept.share(plan);
        }
        if left_out {
            kept.arrange().map_err(Error::at(&path))?;
            remove_orphans(&dir.join(SERIES), &kept, plan);
        }
        let store = Self {
            dir: dir.to_owned(),
            engine: engine.to_owned(),
            kept: Mutex::new(kept),
            _lock: lock,
        };
        Ok((store, doubts))
    }

    /// Keeps the finished run at a place of the plan; its series, if any, move to a file of their own.
    pub(super) fn save(
        &self,
        place: usize,
        key: RunKey,
        seed: u64,
        run: RunResult,
    ) -> Result<RunResult, Error> {
        let mut run = run;
        if !run.outcome.series.is_empty() {
            let path = series_path(&self.dir, key);
            series::write(&path, &run.outcome.series).map_err(Error::at(&path))?;
            run.outcome.series = Vec::new();
            run.series_file = Some(path);
        }
        let line = record::line(key, seed, &self.engine, &run);
        let mut kept = lock(&self.kept);
        let line = kept.journal.append(line.as_bytes());
        kept.lines[place] = Some(line.map_err(|source| self.failed(source))?);
        Ok(run)
    }

    /// The run directory.
    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Whether a place of the plan wants the line of a run with this key.
    pub(super) fn lacks(&self, plan: &Plan, key: RunKey) -> bool {
        let kept = lock(&self.kept);
        let mut places = plan.places(key).iter();
        places.any(|&place| kept.lines[place as usize].is_none())
    }

    /// Keeps a line that another directory has; gives the places of the plan that it stands for and that had
    /// no run.
    pub(super) fn adopt(&self, plan: &Plan, key: RunKey, line: &[u8]) -> Result<Vec<usize>, Error> {
        let mut kept = lock(&self.kept);
        let place = kept.journal.append(line);
        let place = place.map_err(|source| self.failed(source))?;
        Ok(match kept.note(plan, key, place) {
            Found::First(places) => places,
            Found::Again | Found::Surplus | Found::Other => Vec::new(),
        })
    }

    /// Whether there is a line for the run at a place of the plan.
    pub(super) fn has_line(&self, place: usize) -> bool {
        let kept = lock(&self.kept);
        kept.lines.get(place).is_some_and(Option::is_some)
    }

    /// The lines at these places of the plan that are there, each with its place.
    pub(super) fn lines(&self, places: &[usize]) -> Result<Vec<(usize, Vec<u8>)>, Error> {
        let kept = lock(&self.kept);
        let there = places
            .iter()
            .filter_map(|&place| Some((place, (*kept.lines.get(place)?)?)));
        let (places, lines): (Vec<usize>, Vec<Place>) = there.unzip();
        let lines = kept.journal.read(&lines);
        let lines = lines.map_err(|source| self.failed(source))?;
        Ok(places.into_iter().zip(lines).collect())
    }

    /// Puts the journal in order if all runs of the plan are there.
    pub(super) fn finish(&self, plan: &Plan) -> Result<(), Error> {
        let mut kept = lock(&self.kept);
        kept.share(plan);
        let mut missing = plan.runs().iter().zip(&kept.lines);
        if missing.any(|(run, line)| run.key().is_some() && line.is_none()) {
            return Ok(());
        }
        kept.arrange().map_err(|source| self.failed(source))
    }

    /// An error of the journal.
    fn failed(&self, source: io::Error) -> Error {
        Error::at(&self.dir.join(RUNS))(source)
    }
}

/// The file of a run's time series.
pub(super) fn series_path(dir: &Path, key: RunKey) -> PathBuf {
    dir.join(SERIES).join(format!("{key}.bin"))
}

/// Deletes series that no run refers to any more; best effort, they only take space.
fn remove_orphans(dir: &Path, kept: &Kept, plan: &Plan) {
    let Ok(entries) = fs::read_dir(dir) else {
        return;
    };
    let planned = plan.runs().iter().zip(&kept.lines);
    let planned = planned.filter_map(|(run, line)| line.and(run.key()));
    let keys: BTreeSet<RunKey> = planned
        .chain(kept.others.iter().map(|(key, _)| *key))
        .collect();
    for path in entries.filter_map(|e| Some(e.ok()?.path())) {
        let stem = path.file_stem().and_then(|s| s.to_str());
        let key = stem.and_then(RunKey::parse);
        if !key.is_some_and(|key| keys.contains(&key)) {
            let _: io::Result<()> = fs::remove_file(path);
        }
    }
}
