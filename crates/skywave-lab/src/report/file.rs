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

/// A file that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {source}", path.display())]
pub struct WriteError {
    /// The file.
    pub path: PathBuf,
    /// Error of the operating system.
    pub source: io::Error,
}

impl From<WriteError> for Error {
    fn from(WriteError { path, source }: WriteError) -> Self {
        Self::Io { path, source }
    }
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

/// Removes a file, if it is there.
///
/// # Errors
/// When the system does not let it go.
pub fn remove_file(path: &Path) -> Result<(), WriteError> {
    match std::fs::remove_file(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(WriteError {
            path: path.to_owned(),
            source,
        }),
        _ => Ok(()),
    }
}

/// The kind of file that a drawing becomes.
#[derive(Clone, Debug)]
pub enum Format {
    /// SVG as it is.
    Svg,
    /// PDF with these fonts inside.
    #[cfg(feature = "pdf")]
    Pdf(Fonts),
}

/// Writes each drawing into `dir`, with the study's name and its own: lossy-link-goodput-against-loss-rate.svg.
/// Gives the paths.
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
