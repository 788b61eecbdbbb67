//! Files of a run directory.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::csv::write_csv;
use super::file::{WriteError, remove_file, write_file};
use super::frame::{self, Frame};
use super::html::{HtmlOptions, html};
use super::parquet;
use super::partition::remove_partitioned;
use super::study::Study;
use crate::capture;
use crate::experiment::file::Draft;
use crate::experiment::guard::Lock;
use crate::experiment::{Results, RunResult};

/// Fate of the file of time series (`series.parquet`) that an earlier experiment left in the run directory, when the
/// new results have no time series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeriesBefore {
    /// The time series stay: the new results are the same as the earlier ones.
    Kept,
    /// The time series were removed: the earlier results differ from the new ones.
    Removed,
}

/// Writes all files of a finished experiment into its run directory `dir`, tables also as CSV if `csv`. Captures, time
/// series, CSV files and folders by a parameter's values
/// ([`write_partitioned`](super::write_partitioned)) that an earlier experiment left stay if its
/// results were the same, else they are removed. Returns whether earlier time series were kept or removed; `None` if
/// there were none, or new ones replace them. Waits until no other process or thread uses the directory.
pub fn write_all(
    dir: &Path,
    study: &Study,
    results: &Results,
    options: &HtmlOptions,
    csv: bool,
) -> Result<Option<SeriesBefore>, WriteError> {
    // Another run into this directory would write the same files, of other results.
    std::fs::create_dir_all(dir).map_err(WriteError::at(dir))?;
    let _alone = Lock::wait(dir).map_err(|(path, source)| WriteError { path, source })?;
    write_file(&dir.join("scenario.toml"), |out| {
        out.write_all(study.text.as_bytes())
    })?;
    let path = dir.join(RESULTS).with_extension("parquet");
    let failed = WriteError::at(&path);
    let mut now = Draft::create(&path).map_err(&failed)?;
    parquet::write(&mut now, frame::runs(study, results), study, results).map_err(&failed)?;
    let is_same = now.is_same().map_err(&failed)?;
    let captures = dir.join(capture::DIRECTORY);
    let series = dir.join(SERIES).with_extension("parquet");
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
        remove_file(&series)?;
    }
    if !is_same {
        for table in &TABLES {
            remove_file(&table.path(dir, "csv"))?;
        }
        remove_partitioned(dir)?;
        if captures.exists() {
            std::fs::remove_dir_all(&captures).map_err(WriteError::at(&captures))?;
        }
    }
    now.finish().map_err(&failed)?;
    for (table, is_there) in there(results) {
        let frame = || (table.frame)(study, results);
        if table.name != RESULTS {
            let path = table.path(dir, "parquet");
            if is_there {
                write_file(&path, |out| parquet::write(out, frame(), study, results))?;
            } else if table.name != SERIES || !is_same {
                remove_file(&path)?;
            }
        }
        if csv && is_there {
            write_file(&table.path(dir, "csv"), |out| write_csv(out, frame()))?;
        }
    }
    write_file(&dir.join("report.html"), |out| {
        out.write_all(html(study, results, options)?.as_bytes())
    })?;
    Ok(before)
}

/// A table of a run directory.
struct Table {
    /// Name of the table's files, without the ending for their format.
    name: &'static str,
    frame: for<'a> fn(&'a Study, &'a Results) -> Frame<'a>,
    /// Whether a run has something for it; every experiment has a table without this.
    is_of: Option<fn(&RunResult) -> bool>,
}

const RESULTS: &str = "results";
const SERIES: &str = "series";

/// All tables; [`RESULTS`], by which a run directory is known, is the first.
static TABLES: [Table; 8] = [
    Table::new(RESULTS, frame::runs, None),
    Table::new("links", frame::links, None),
    Table::new(
        "proxies",
        frame::proxies,
        Some(|run| !run.outcome.proxies.is_empty()),
    ),
    Table::new(
        "stations",
        frame::stations,
        Some(|run| !run.outcome.stations.is_empty()),
    ),
    Table::new(
        "timelines",
        frame::timelines,
        Some(|run| {
            let mut stations = run.outcome.stations.iter();
            stations.any(|station| !station.timeline.is_empty())
        }),
    ),
    Table::new("bins", frame::bins, Some(|run| run.outcome.bins.is_some())),
    Table::new(
        "requests",
        frame::requests,
        Some(|run| run.outcome.requests.is_some()),
    ),
    Table::new(SERIES, frame::series, Some(RunResult::has_series)),
];

impl Table {
    const fn new(
        name: &'static str,
        frame: for<'a> fn(&'a Study, &'a Results) -> Frame<'a>,
        is_of: Option<fn(&RunResult) -> bool>,
    ) -> Self {
        Self { name, frame, is_of }
    }

    /// File of the table with the ending of a format.
    fn path(&self, dir: &Path, ending: &str) -> PathBuf {
        dir.join(self.name).with_extension(ending)
    }
}

/// All tables, and whether these results have something for them.
fn there(results: &Results) -> impl Iterator<Item = (&'static Table, bool)> {
    let mut there = TABLES.each_ref().map(|table| table.is_of.is_none());
    for (_, _, run) in results.iter() {
        for (table, is_there) in TABLES.iter().zip(&mut there) {
            *is_there = *is_there || table.is_of.is_some_and(|is_of| is_of(&run));
        }
    }
    TABLES.iter().zip(there)
}
