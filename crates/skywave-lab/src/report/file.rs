//! Files of a report, each written whole or not at all.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::drawings::Drawing;
#[cfg(feature = "pdf")]
use super::pdf::{Fonts, pdf};
use super::study::Study;
use crate::experiment::Error;
use crate::experiment::file::write_atomically;

/// Error of a report's file that could not be written or removed.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {source}", path.display())]
pub struct WriteError {
    /// Path of the file.
    pub path: PathBuf,
    /// Error of the operating system.
    pub source: io::Error,
}

impl WriteError {
    /// Makes the error of the operating system about the file or folder at `path` one of a report.
    pub fn at(path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| Self {
            path: path.to_owned(),
            source,
        }
    }
}

impl From<WriteError> for Error {
    fn from(WriteError { path, source }: WriteError) -> Self {
        Self::Io { path, source }
    }
}

/// Writes the file at `path` with the bytes that `content` writes, whole or not at all: an error leaves an earlier file
/// as it was.
pub fn write_file(
    path: &Path,
    content: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), WriteError> {
    write_atomically(path, content).map_err(WriteError::at(path))
}

/// Removes the file at `path`; it is no error if there is none.
///
/// # Errors
/// When the operating system does not remove the file.
pub fn remove_file(path: &Path) -> Result<(), WriteError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(WriteError::at(path)(error)),
        _ => Ok(()),
    }
}

/// File format in which the drawings of a report are written.
#[derive(Clone, Debug)]
pub enum Format {
    /// SVG as it is.
    Svg,
    /// PDF with these fonts inside.
    #[cfg(feature = "pdf")]
    Pdf(Fonts),
}

/// Writes each drawing into a file in `dir`, named after the study and the drawing, such as
/// `lossy-link-goodput-against-loss-rate.svg`. Returns the paths of the files.
pub fn write_drawings(
    dir: &Path,
    study: &Study,
    drawings: &[Drawing],
    format: &Format,
) -> Result<Vec<PathBuf>, WriteError> {
    let mut paths = Vec::new();
    for drawing in drawings {
        let ending = match format {
            Format::Svg => "svg",
            #[cfg(feature = "pdf")]
            Format::Pdf(_) => "pdf",
        };
        let path = dir.join(format!("{}-{}.{ending}", study.name, drawing.name));
        write_file(&path, |out| match format {
            Format::Svg => writeln!(out, "{}", drawing.svg),
            #[cfg(feature = "pdf")]
            Format::Pdf(fonts) => out.write_all(&pdf(&drawing.svg, fonts)?),
        })?;
        paths.push(path);
    }
    Ok(paths)
}
