//! Where the files of a study are.

use std::io::ErrorKind;
use std::path::Path;

use crate::file::{FileError, read_text};
use skywave_lab::folder::Folder;
use skywave_scenario::{Bundle, Scenario, ScenarioError};

/// Where a study's files are.
pub(super) enum Place<'a> {
    /// In this folder.
    Folder(&'a Path),
    /// In the program, by their paths relative to the study.
    Bundle(Bundle),
}

impl Place<'_> {
    /// The text of the file at `path`, relative to the study.
    pub(super) fn text(&self, path: &str) -> Result<String, FileError> {
        match self {
            Self::Folder(folder) => read_text(&folder.join(path)),
            Self::Bundle(bundle) => {
                let missing = || FileError::at(Path::new(path))(ErrorKind::NotFound.into());
                bundle.get(path).map(str::to_owned).ok_or_else(missing)
            }
        }
    }

    /// A scenario of this text, whose file is at `path`.
    pub(super) fn scenario(
        &self,
        name: &str,
        path: &str,
        text: &str,
    ) -> Result<Scenario, ScenarioError> {
        match self {
            Self::Folder(folder) => Scenario::parse(name, text, &Folder::of(&folder.join(path))),
            Self::Bundle(bundle) => Scenario::parse(name, text, bundle),
        }
    }
}
