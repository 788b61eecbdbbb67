//! The finished runs in a run directory.
//!
//! `runs.jsonl` has one line a run and only ever grows by whole lines: what a crash leaves of the
//! last line is not JSON, is skipped, and that run is done again. Lines of another engine version
//! are left out when the file is next opened, by writing a new file and renaming it.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde_json::{Map, Value, json};
use skywave_sim::outcome::{Bins, FlowOutcome, LinkOutcome, Outcome, StationOutcome};

use super::columns::{Cell, Column, FLOW, LINK, STATION};
use super::file::write_atomically;
use super::key::RunKey;
use super::results::RunResult;
use super::{Error, series, timeline};
use crate::threads::lock;

const RUNS: &str = "runs.jsonl";
const LOCK: &str = ".lock";
const SERIES: &str = "series";

/// A run directory, open for adding runs.
pub(super) struct Store {
    dir: PathBuf,
    engine: String,
    runs: Mutex<File>,
    _lock: Lock,
}

impl Store {
    /// Opens or creates a run directory; also returns the runs of this engine that it holds.
    pub(super) fn open(
        dir: &Path,
        engine: &str,
        fresh: bool,
    ) -> Result<(Self, BTreeMap<RunKey, RunResult>), Error> {
        let path = dir.join(RUNS);
        let at = |path: &Path| {
            let path = path.to_owned();
            move |source| Error::Io { path, source }
        };
        fs::create_dir_all(dir).map_err(at(dir))?;
        let lock = Lock::acquire(dir)?;
        let text = match fs::read(&path) {
            Ok(_) if fresh => String::new(),
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => return Err(at(&path)(error)),
        };
        let mut stored = BTreeMap::new();
        let mut kept = String::with_capacity(text.len());
        for line in text.lines() {
            if let Some((key, run)) = parse(line, engine, dir) {
                stored.insert(key, run);
                kept.push_str(line);
                kept.push('\n');
            }
        }
        // Also true for a last line without its end: the next one must not continue it.
        if fresh || kept != text {
            write_atomically(&path, |out| out.write_all(kept.as_bytes())).map_err(at(&path))?;
            remove_orphans(&dir.join(SERIES), &stored);
        }
        let runs = OpenOptions::new()
            .append(true)
            .create(true)
            .open(&path)
            .map_err(at(&path))?;
        let store = Self {
            dir: dir.to_owned(),
            engine: engine.to_owned(),
            runs: Mutex::new(runs),
            _lock: lock,
        };
        Ok((store, stored))
    }

    /// Keeps a finished run; its series, if any, move to a file of their own.
    pub(super) fn save(&self, key: RunKey, seed: u64, run: RunResult) -> Result<RunResult, Error> {
        let mut run = run;
        if !run.outcome.series.is_empty() {
            let path = series_path(&self.dir, key);
            series::write(&path, &run.outcome.series).map_err(|source| Error::Io {
                path: path.clone(),
                source,
            })?;
            run.outcome.series = Vec::new();
            run.series_file = Some(path);
        }
        let line = line(key, seed, &self.engine, &run);
        // One write a line: appends of a whole line do not mix.
        lock(&self.runs)
            .write_all(line.as_bytes())
            .map_err(|source| Error::Io {
                path: self.dir.join(RUNS),
                source,
            })?;
        Ok(run)
    }
}

/// A directory that is this store's alone until this is dropped.
struct Lock(File);

impl Lock {
    /// Takes the directory. A file system that cannot lock is trusted.
    fn acquire(dir: &Path) -> Result<Self, Error> {
        let path = dir.join(LOCK);
        let io = |source| Error::Io {
            path: path.clone(),
            source,
        };
        let file = File::create(&path).map_err(io)?;
        match file.try_lock() {
            Ok(()) => Ok(Self(file)),
            Err(TryLockError::WouldBlock) => Err(Error::Busy(dir.to_owned())),
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {
                Ok(Self(file))
            }
            Err(TryLockError::Error(error)) => Err(io(error)),
        }
    }
}

impl Drop for Lock {
    /// To close the file would not be enough: a process that another thread starts at this moment holds a
    /// copy of it until it becomes its program, and the lock with it.
    fn drop(&mut self) {
        // Best effort: it is closed next.
        let _ = self.0.unlock();
    }
}

fn series_path(dir: &Path, key: RunKey) -> PathBuf {
    dir.join(SERIES).join(format!("{key}.bin"))
}

/// Deletes series that no run refers to any more; best effort, they only take space.
fn remove_orphans(dir: &Path, stored: &BTreeMap<RunKey, RunResult>) {
    let Ok(entries) = fs::read_dir(dir) else {
        return;
    };
    for path in entries.filter_map(|e| Some(e.ok()?.path())) {
        let stem = path.file_stem().and_then(|s| s.to_str());
        let key = stem.and_then(RunKey::parse);
        if !key.is_some_and(|key| stored.contains_key(&key)) {
            let _: io::Result<()> = fs::remove_file(path);
        }
    }
}

fn line(key: RunKey, seed: u64, engine: &str, run: &RunResult) -> String {
    let outcome = &run.outcome;
    let flows = outcome.flows.iter().map(|o| record(&o.name, FLOW, o));
    let links = outcome.links.iter().map(|o| record(&o.name, LINK, o));
    let stations = outcome.stations.iter().map(|o| {
        let mut station = record(&o.name, STATION, o);
        station["timeline"] = timeline::record(&o.timeline);
        station
    });
    let line = json!({
        "key": key.to_string(),
        "engine": engine,
        "seed": seed,
        "flows": flows.collect::<Vec<_>>(),
        "links": links.collect::<Vec<_>>(),
        "stations": stations.collect::<Vec<_>>(),
        "events": outcome.events,
        "series": run.series_file.is_some(),
        "bins": outcome.bins.as_ref().map(|bins| json!({
            "width_s": bins.width_s,
            "delivered": bins.delivered,
        })),
    });
    format!("{line}\n")
}

fn record<T>(name: &str, columns: &[Column<T>], outcome: &T) -> Value {
    let mut map = Map::new();
    map.insert("name".into(), name.into());
    for column in columns {
        let value = match (column.get)(outcome) {
            Cell::Count(n) => n.into(),
            Cell::Real(x) => x.into(),
            Cell::Maybe(x) => x.into(),
        };
        map.insert(column.name.into(), value);
    }
    map.into()
}

/// The run of a line; `None` when the line is damaged, of another engine or lacks a field.
fn parse(line: &str, engine: &str, dir: &Path) -> Option<(RunKey, RunResult)> {
    let value: Value = serde_json::from_str(line).ok()?;
    if value.get("engine")?.as_str()? != engine {
        return None;
    }
    let key = RunKey::parse(value.get("key")?.as_str()?)?;
    let flows = value.get("flows")?.as_array()?.iter().map(|v| {
        let mut flow = FlowOutcome::default();
        flow.name = restore(v, FLOW, &mut flow)?;
        Some(flow)
    });
    let links = value.get("links")?.as_array()?.iter().map(|v| {
        let mut link = LinkOutcome::default();
        link.name = restore(v, LINK, &mut link)?;
        Some(link)
    });
    let stations = value.get("stations")?.as_array()?.iter().map(|v| {
        let mut station = StationOutcome::default();
        station.name = restore(v, STATION, &mut station)?;
        station.timeline = timeline::restore(v.get("timeline")?)?;
        Some(station)
    });
    let mut run = RunResult::new(Outcome {
        flows: flows.collect::<Option<_>>()?,
        links: links.collect::<Option<_>>()?,
        stations: stations.collect::<Option<_>>()?,
        series: Vec::new(),
        bins: match value.get("bins")? {
            Value::Null => None,
            bins => Some(restore_bins(bins)?),
        },
        events: value.get("events")?.as_u64()?,
    });
    if value.get("series")?.as_bool()? {
        let path = series_path(dir, key);
        if !path.is_file() {
            return None;
        }
        run.series_file = Some(path);
    }
    Some((key, run))
}

fn restore_bins(value: &Value) -> Option<Bins> {
    let counts = |flow: &Value| flow.as_array()?.iter().map(Value::as_u64).collect();
    let delivered = value.get("delivered")?.as_array()?.iter().map(counts);
    Some(Bins {
        width_s: value.get("width_s")?.as_f64()?,
        delivered: delivered.collect::<Option<_>>()?,
    })
}

fn restore<T>(value: &Value, columns: &[Column<T>], outcome: &mut T) -> Option<String> {
    for column in columns {
        let number = value.get(column.name)?;
        (column.set)(outcome, number.as_f64(), number.as_u64())?;
    }
    Some(value.get("name")?.as_str()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_of_the_lock_in_a_process_that_starts_does_not_hold_the_directory() {
        let dir = tempfile::tempdir().unwrap();
        let lock = Lock::acquire(dir.path()).unwrap();
        assert!(matches!(Lock::acquire(dir.path()), Err(Error::Busy(_))));
        let copy = lock.0.try_clone().unwrap();
        drop(lock);
        assert!(Lock::acquire(dir.path()).is_ok());
        drop(copy);
    }
}
