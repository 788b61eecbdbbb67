//! The scenario file that results come from: two of one name share a run directory.

use std::fs;
use std::path::{Path, PathBuf};

use skywave_lab::report::WriteError;

use crate::output;

/// The file in a run directory that has the path of the scenario.
const FILE: &str = ".scenario-path";

/// Where results come from, and where those before them came from.
#[derive(Debug)]
pub(crate) struct Origin {
    dir: PathBuf,
    /// As the user named it.
    named: PathBuf,
    /// The same for every name that the file has.
    path: Option<PathBuf>,
    /// The other file, whose results are there.
    other: Option<PathBuf>,
}

impl Origin {
    /// Of the scenario at `named` that says `text`, for results in `dir`.
    pub(crate) fn of(named: &Path, dir: &Path, text: &str) -> Self {
        let path = named.canonicalize().ok();
        let before = fs::read_to_string(dir.join(FILE)).ok().map(PathBuf::from);
        // A copy makes the same results.
        let is_same = || fs::read_to_string(dir.join("scenario.toml")).is_ok_and(|old| old == text);
        Self {
            dir: dir.to_owned(),
            named: named.to_owned(),
            other: before.filter(|before| Some(before) != path.as_ref() && !is_same()),
            path,
        }
    }

    /// The note for a user whose two scenario files of one name share this run directory.
    pub(crate) fn note(&self) -> Option<String> {
        let other = self.other.as_deref()?;
        let here = std::env::current_dir().ok();
        let here = here.and_then(|here| other.strip_prefix(here).ok());
        Some(format!(
            "{} had the results of {}; report and tables are now those of {}, finished runs are kept of both \
             (--out keeps them apart)",
            self.dir.display(),
            here.unwrap_or(other).display(),
            self.named.display()
        ))
    }

    /// Keeps the path beside the results. A path that is no text is not kept.
    pub(crate) fn write(&self) -> Result<(), WriteError> {
        match self.path.as_deref().and_then(Path::to_str) {
            Some(path) => output::write(&self.dir.join(FILE), path),
            None => Ok(()),
        }
    }
}
