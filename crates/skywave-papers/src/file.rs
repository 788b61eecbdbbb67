//! Reading files that are not scenarios: claims and studies.

use std::io;
use std::path::Path;

use serde::de::DeserializeOwned;

use skywave_scenario::ScenarioError;

/// A file that cannot be read, or is not what it should be.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// A file or folder cannot be read.
    #[error("cannot read {path}: {source}")]
    Io {
        /// The file or folder.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// A file that is no TOML, or has a key or value that does not belong there.
    #[error("{file}:{line}: {message}")]
    Syntax {
        /// The file.
        file: String,
        /// The line.
        line: usize,
        /// What the reader said.
        message: String,
        /// The same, shown at its place.
        shown: ScenarioError,
    },
}

impl FileError {
    /// What the system said of the file or folder at `path`.
    pub(crate) fn at(path: &Path) -> impl Fn(io::Error) -> Self {
        let path = path.display().to_string();
        move |source| Self::Io {
            path: path.clone(),
            source,
        }
    }
}

/// The text of the file at `path`.
pub(crate) fn read_text(path: &Path) -> Result<String, FileError> {
    std::fs::read_to_string(path).map_err(FileError::at(path))
}

/// Reads TOML; `file` is how messages name it.
pub(crate) fn from_toml<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, FileError> {
    toml::from_str(text).map_err(|error| FileError::Syntax {
        file: file.to_owned(),
        line: error.span().map_or(1, |span| line_of(text, span.start)),
        message: error.message().to_owned(),
        shown: ScenarioError::of_toml(file, text, &error),
    })
}

/// The line of the byte at `at`, from 1.
pub(crate) fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}
