//! Files of a run directory.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use skywave_lab::experiment::Results;
use skywave_lab::experiment::file::write_atomically;
use skywave_lab::report::{self, HtmlOptions, Study};

use crate::failure::Failure;

/// Columns of the terminal, or 100 where there is none.
pub(crate) fn width() -> usize {
    terminal_size::terminal_size().map_or(100, |(w, _)| usize::from(w.0))
}

/// Writes one file, whole or not at all.
pub(crate) fn write(
    path: &Path,
    content: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), Failure> {
    write_atomically(path, content).map_err(|source| Failure::Write {
        path: path.to_owned(),
        source,
    })
}

/// Writes everything that a finished experiment leaves in its directory.
pub(crate) fn write_all(
    dir: &Path,
    study: &Study,
    results: &Results,
    options: &HtmlOptions,
) -> Result<(), Failure> {
    write(&dir.join("scenario.toml"), |out| {
        out.write_all(study.text.as_bytes())
    })?;
    write(&dir.join("results.parquet"), |out| {
        report::write_results(out, study, results)
    })?;
    write(&dir.join("links.parquet"), |out| {
        report::write_links(out, study, results)
    })?;
    let series = dir.join("series.parquet");
    if results.iter().any(|(_, _, run)| run.has_series()) {
        write(&series, |out| report::write_series(out, study, results))?;
    } else if series.exists() {
        // Of a run before, whose results are gone.
        std::fs::remove_file(&series).map_err(|source| Failure::Write {
            path: series,
            source,
        })?;
    }
    write(&dir.join("report.html"), |out| {
        out.write_all(report::html(study, results, options)?.as_bytes())
    })
}
