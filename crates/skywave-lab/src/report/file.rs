//! Files of a report, each written whole or not at all.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::html::drawings;
use super::study::Study;
use crate::experiment::Results;
use crate::experiment::file::write_atomically;

/// A file that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {source}", path.display())]
pub struct WriteError {
    /// The file.
    pub path: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

/// Writes one file, whole or not at all.
pub fn write_file(
    path: &Path,
    content: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), WriteError> {
    write_atomically(path, content).map_err(|source| WriteError {
        path: path.to_owned(),
        source,
    })
}

/// Writes each plot of the report as an SVG file into `dir`: NAME-1.svg, NAME-2.svg, … in the order of
/// the report. Gives the paths.
pub fn write_drawings(
    dir: &Path,
    study: &Study,
    results: &Results,
) -> Result<Vec<PathBuf>, WriteError> {
    let drawings = drawings(study, results).map_err(|source| WriteError {
        path: dir.to_owned(),
        source,
    })?;
    let mut paths = Vec::new();
    for (number, drawing) in (1..).zip(&drawings) {
        let path = dir.join(format!("{}-{number}.svg", study.name));
        write_file(&path, |out| writeln!(out, "{}", drawing.svg))?;
        paths.push(path);
    }
    Ok(paths)
}
