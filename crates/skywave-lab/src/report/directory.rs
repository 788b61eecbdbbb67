//! Files of a run directory.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::csv::write_csv;
use super::file::{WriteError, write_file};
use super::frame::{self, Frame};
use super::html::{HtmlOptions, html};
use super::parquet::{
    write_bins, write_links, write_proxies, write_requests, write_results, write_series,
    write_stations, write_timelines,
};
use super::study::Study;
use crate::capture;
use crate::experiment::Results;
use crate::experiment::file::Draft;
use crate::experiment::guard::Lock;

/// What became of the time series that a run before had left, where these results have none of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeriesBefore {
    /// They stay: they are of the same runs.
    Kept,
    /// They are gone: they were of other runs.
    Removed,
}

/// Writes everything that a finished experiment leaves in its directory. Captures and time series of a
/// run before stay where the results are the same, and go when they are others. Waits until no other process
/// or thread runs into the directory, or writes into it.
pub fn write_all(
    dir: &Path,
    study: &Study,
    results: &Results,
    options: &HtmlOptions,
) -> Result<Option<SeriesBefore>, WriteError> {
    // Another run into this directory would write the same files, of other results.
    let failed = |(path, source)| WriteError { path, source };
    std::fs::create_dir_all(dir).map_err(|source| failed((dir.to_owned(), source)))?;
    let _alone = Lock::wait(dir).map_err(failed)?;
    write_file(&dir.join("scenario.toml"), |out| {
        out.write_all(study.text.as_bytes())
    })?;
    let path = dir.join("results.parquet");
    let failed = |source| WriteError {
        path: path.clone(),
        source,
    };
    let mut now = Draft::create(&path).map_err(failed)?;
    write_results(&mut now, study, results).map_err(failed)?;
    let is_same = now.is_same().map_err(failed)?;
    let captures = dir.join(capture::DIRECTORY);
    let series = dir.join("series.parquet");
    let has_series = results.recorded().next().is_some();
    let before = if has_series || !series.exists() {
        None
    } else if is_same {
        Some(SeriesBefore::Kept)
    } else {
        Some(SeriesBefore::Removed)
    };
    // What belongs to other results goes before these come: nobody finds both together.
    if before == Some(SeriesBefore::Removed) {
        remove(&series)?;
    }
    if !is_same {
        for (name, _) in TABLES {
            remove(&dir.join(name).with_extension("csv"))?;
        }
    }
    if !is_same && captures.exists() {
        std::fs::remove_dir_all(&captures).map_err(|source| WriteError {
            path: captures,
            source,
        })?;
    }
    now.finish().map_err(failed)?;
    write_file(&dir.join("links.parquet"), |out| {
        write_links(out, study, results)
    })?;
    let has = Parts::of(results);
    write_if(has.proxies, &dir.join("proxies.parquet"), |out| {
        write_proxies(out, study, results)
    })?;
    write_if(has.stations, &dir.join("stations.parquet"), |out| {
        write_stations(out, study, results)
    })?;
    write_if(has.timelines, &dir.join("timelines.parquet"), |out| {
        write_timelines(out, study, results)
    })?;
    write_if(has.bins, &dir.join("bins.parquet"), |out| {
        write_bins(out, study, results)
    })?;
    write_if(has.requests, &dir.join("requests.parquet"), |out| {
        write_requests(out, study, results)
    })?;
    if has_series {
        write_file(&series, |out| write_series(out, study, results))?;
    }
    write_file(&dir.join("report.html"), |out| {
        out.write_all(html(study, results, options)?.as_bytes())
    })?;
    Ok(before)
}

/// The tables of a run directory, by their names without an ending.
const TABLES: [(&str, Table); 7] = [
    ("results", frame::runs),
    ("links", frame::links),
    ("proxies", frame::proxies),
    ("stations", frame::stations),
    ("timelines", frame::timelines),
    ("bins", frame::bins),
    ("series", frame::series),
];

/// A table of results.
type Table = for<'a> fn(&'a Study, &'a Results) -> Frame<'a>;

/// Writes each table that [`write_all`] leaves as Parquet also as CSV: `results.csv` and so on. They go when
/// [`write_all`] writes other results.
///
/// # Errors
/// When a file cannot be written, or a run not be read back.
pub fn write_all_csv(dir: &Path, study: &Study, results: &Results) -> Result<(), WriteError> {
    let _alone = Lock::wait(dir).map_err(|(path, source)| WriteError { path, source })?;
    let has = Parts::of(results);
    for (name, table) in TABLES {
        let is_there = match name {
            "proxies" => has.proxies,
            "stations" => has.stations,
            "timelines" => has.timelines,
            "bins" => has.bins,
            "series" => results.recorded().next().is_some(),
            _ => true,
        };
        if is_there {
            let path = dir.join(name).with_extension("csv");
            write_file(&path, |out| write_csv(out, table(study, results)))?;
        }
    }
    Ok(())
}

/// What some runs have and others do not.
#[derive(Default)]
struct Parts {
    proxies: bool,
    stations: bool,
    timelines: bool,
    bins: bool,
    requests: bool,
}

impl Parts {
    fn of(results: &Results) -> Self {
        let mut has = Self::default();
        for (_, _, run) in results.iter() {
            has.proxies |= !run.outcome.proxies.is_empty();
            let stations = &run.outcome.stations;
            has.stations |= !stations.is_empty();
            has.timelines |= stations.iter().any(|s| !s.timeline.is_empty());
            has.bins |= run.outcome.bins.is_some();
            has.requests |= run.outcome.requests.is_some();
        }
        has
    }
}

/// Writes a file, if there is something for it; one of a run before, whose results are gone, goes.
fn write_if(
    wanted: bool,
    path: &Path,
    content: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), WriteError> {
    if wanted {
        return write_file(path, content);
    }
    remove(path)
}

/// Removes a file, if it is there.
fn remove(path: &Path) -> Result<(), WriteError> {
    match std::fs::remove_file(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(WriteError {
            path: path.to_owned(),
            source,
        }),
        _ => Ok(()),
    }
}
