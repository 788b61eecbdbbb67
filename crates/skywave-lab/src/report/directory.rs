//! Files of a run directory.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::file::{WriteError, write_file};
use super::html::{HtmlOptions, html};
use super::parquet::{
    write_bins, write_links, write_results, write_series, write_stations, write_timelines,
};
use super::study::Study;
use crate::capture;
use crate::experiment::Results;

/// Writes everything that a finished experiment leaves in its directory. Captures there, which belong
/// to the results before, go when the results are others.
pub fn write_all(
    dir: &Path,
    study: &Study,
    results: &Results,
    options: &HtmlOptions,
) -> Result<(), WriteError> {
    write_file(&dir.join("scenario.toml"), |out| {
        out.write_all(study.text.as_bytes())
    })?;
    let path = dir.join("results.parquet");
    let before = std::fs::read(&path).ok();
    write_file(&path, |out| write_results(out, study, results))?;
    let captures = dir.join(capture::DIRECTORY);
    if before.is_some_and(|before| std::fs::read(&path).is_ok_and(|now| now != before))
        && captures.exists()
    {
        // Of a run before, which had other results.
        std::fs::remove_dir_all(&captures).map_err(|source| WriteError {
            path: captures,
            source,
        })?;
    }
    write_file(&dir.join("links.parquet"), |out| {
        write_links(out, study, results)
    })?;
    let stations = || results.iter().flat_map(|(_, _, run)| &run.outcome.stations);
    write_if(
        stations().next().is_some(),
        dir.join("stations.parquet"),
        |out| write_stations(out, study, results),
    )?;
    let has_timelines = stations().any(|station| !station.timeline.is_empty());
    write_if(has_timelines, dir.join("timelines.parquet"), |out| {
        write_timelines(out, study, results)
    })?;
    let has_bins = results.iter().any(|(_, _, run)| run.outcome.bins.is_some());
    write_if(has_bins, dir.join("bins.parquet"), |out| {
        write_bins(out, study, results)
    })?;
    let has_series = results.iter().any(|(_, _, run)| run.has_series());
    write_if(has_series, dir.join("series.parquet"), |out| {
        write_series(out, study, results)
    })?;
    write_file(&dir.join("report.html"), |out| {
        out.write_all(html(study, results, options)?.as_bytes())
    })
}

/// Writes a file, if there is something for it; one of a run before, whose results are gone, goes.
fn write_if(
    wanted: bool,
    path: PathBuf,
    content: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), WriteError> {
    if wanted {
        return write_file(&path, content);
    }
    match std::fs::remove_file(&path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(WriteError { path, source }),
        _ => Ok(()),
    }
}
