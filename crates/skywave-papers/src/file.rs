//! Reading files that are not scenarios: claims and studies.

use std::io;
use std::path::Path;

use serde::de::DeserializeOwned;

use skywave_scenario::{Document, ScenarioError, nearest};
use toml::Value;

/// Reason why a file, such as a paper's claims or a study, cannot be used: it cannot be read, or has a mistake.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// A file or folder cannot be read.
    #[error("cannot read {path}: {source}")]
    Io {
        /// Path of the file or folder.
        path: String,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A file that is no TOML, or whose contents cannot be used.
    #[error("{file}:{line}: {message}")]
    Mistake {
        /// Name of the file, as messages have it.
        file: String,
        /// Line of the mistake, from 1.
        line: usize,
        /// Mistake in words, and what was expected.
        message: String,
        /// Error that shows the mistake at its place in the text.
        shown: ScenarioError,
    },
}

impl FileError {
    /// A mistake in a file, which messages call `file`.
    pub(crate) fn mistake(file: &str, message: String, shown: ScenarioError) -> Self {
        Self::Mistake {
            file: file.to_owned(),
            line: shown.position().map_or(1, |(line, _)| line),
            message,
            shown,
        }
    }

    /// Makes the error of the operating system about the file or folder at `path` a [`FileError`].
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
pub(crate) fn from_toml<T: DeserializeOwned>(
    file: &str,
    text: &str,
) -> Result<(Document, T), FileError> {
    let read = || {
        let document = Document::parse(file, text)?;
        let model = document.decode()?;
        Ok((document, model))
    };
    read().map_err(|shown: ScenarioError| FileError::mistake(file, shown.to_string(), shown))
}

/// The names that there are, and the one of them that `name` may be a mistake for.
pub(crate) fn choice<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.collect();
    let near =
        nearest(name, &known).map_or_else(String::new, |near| format!(": did you mean `{near}`?"));
    known.join(", ") + &near
}

/// A value as it stands on one line of a TOML file.
pub(crate) fn inline(value: &Value) -> String {
    let list = |items: Vec<String>| items.join(", ");
    match value {
        // TOML reads the escapes of JSON.
        Value::String(text) => quoted(text),
        Value::Integer(i) => i.to_string(),
        Value::Float(x) if x.is_finite() => format!("{x:?}"),
        Value::Float(x) => x.to_string().to_lowercase(),
        Value::Boolean(b) => b.to_string(),
        Value::Datetime(t) => t.to_string(),
        Value::Array(items) => format!("[{}]", list(items.iter().map(inline).collect())),
        Value::Table(table) => {
            let pairs = table.iter();
            let pairs = pairs.map(|(k, v)| format!("{} = {}", quoted(k), inline(v)));
            format!("{{ {} }}", list(pairs.collect()))
        }
    }
}

/// A basic string of TOML.
pub(crate) fn quoted(text: &str) -> String {
    // A string cannot fail to be written as JSON.
    serde_json::to_string(text).unwrap_or_default()
}
