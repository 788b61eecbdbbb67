//! What is wrong with a file of claims, and where.

use std::fmt;

use crate::file::FileError;
use skywave_scenario::ScenarioError;

/// Claims that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ClaimsError {
    /// There are no claims of this paper.
    #[error("there is no paper `{name}`; there are {known}")]
    UnknownPaper {
        /// The name asked for.
        name: String,
        /// Those that exist.
        known: String,
    },
    /// The paper has no experiment of this name.
    #[error("there is no experiment `{name}`; there are {known}")]
    UnknownExperiment {
        /// The name asked for.
        name: String,
        /// Those that exist.
        known: String,
    },
    /// A file or folder cannot be read, or is no file of claims.
    #[error(transparent)]
    File(#[from] FileError),
    /// A claim that refers to something that does not exist.
    #[error("{file}:{line}: claim `{claim}`: {fault}")]
    Claim {
        /// The file.
        file: String,
        /// The line of its `id`.
        line: usize,
        /// Its id.
        claim: String,
        /// What is wrong with it.
        fault: Fault,
    },
    /// Evidence of a baseline that refers to something that does not exist.
    #[error("{file}:{line}: baseline `{sender}`: {fault}")]
    Baseline {
        /// The file.
        file: String,
        /// The line of its `sender`.
        line: usize,
        /// Its name.
        sender: String,
        /// What is wrong with it.
        fault: Fault,
    },
    /// An experiment that cannot be read.
    #[error("{0}")]
    Scenario(#[from] ScenarioError),
}

/// What is wrong with one claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault(String);

impl Fault {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// A name that is none of those that exist.
    pub(super) fn unknown<'a>(
        what: &str,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let known: Vec<&str> = known.into_iter().collect();
        if known.is_empty() {
            return Self(format!("there is no {what} `{name}`, nor any other"));
        }
        Self(format!(
            "there is no {what} `{name}`; there are {}",
            known.join(", ")
        ))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Fault {}
