//! Files of a run directory.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::file::{WriteError, write_file};
use super::html::{HtmlOptions, html};
use super::parquet::{
    write_bins, write_links, write_results, write_series, write_stations, write_timelines,
};
use super::study::Study;
use crate::capture;
use crate::experiment::Results;

/// What became of the time series that a run before had left, where these results have none of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeriesBefore {
    /// They stay: they are of the same runs.
    Kept,
    /// They are gone: they were of other runs.
    Removed,
}

/// Writes everything that a finished experiment leaves in its directory. Captures and time series of a
/// run before stay where the results are the same, and go when they are others.
pub fn write_all(
    dir: &Path,
    study: &Study,
    results: &Results,
    options: &HtmlOptions,
) -> Result<Option<SeriesBefore>, WriteError> {
    write_file(&dir.join("scenario.toml"), |out| {
        out.write_all(study.text.as_bytes())
    })?;
    let path = dir.join("results.parquet");
    let mut now = Vec::new();
    write_results(&mut now, study, results).map_err(|source| WriteError {
        path: path.clone(),
        source,
    })?;
    let is_same = std::fs::read(&path).is_ok_and(|before| before == now);
    let captures = dir.join(capture::DIRECTORY);
    let series = dir.join("series.parquet");
    let has_series = results.iter().any(|(_, _, run)| run.has_series());
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
    if !is_same && captures.exists() {
        std::fs::remove_dir_all(&captures).map_err(|source| WriteError {
            path: captures,
            source,
        })?;
    }
    write_file(&path, |out| out.write_all(&now))?;
    write_file(&dir.join("links.parquet"), |out| {
        write_links(out, study, results)
    })?;
    let stations = || results.iter().flat_map(|(_, _, run)| &run.outcome.stations);
    write_if(
        stations().next().is_some(),
        &dir.join("stations.parquet"),
        |out| write_stations(out, study, results),
    )?;
    let has_timelines = stations().any(|station| !station.timeline.is_empty());
    write_if(has_timelines, &dir.join("timelines.parquet"), |out| {
        write_timelines(out, study, results)
    })?;
    let has_bins = results.iter().any(|(_, _, run)| run.outcome.bins.is_some());
    write_if(has_bins, &dir.join("bins.parquet"), |out| {
        write_bins(out, study, results)
    })?;
    if has_series {
        write_file(&series, |out| write_series(out, study, results))?;
    }
    write_file(&dir.join("report.html"), |out| {
        out.write_all(html(study, results, options)?.as_bytes())
    })?;
    Ok(before)
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
