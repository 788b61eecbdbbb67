//! Errors in a file of claims, with their place.

use std::fmt;

use crate::file::FileError;
use skywave_scenario::{Document, ScenarioError, Spanned};

/// Reason why a paper, or a set of test cases, cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ClaimsError {
    /// Unknown name of a paper: no built-in one.
    #[error("there is no paper `{name}`; there are {known}")]
    UnknownPaper {
        /// Name that was asked for.
        name: String,
        /// Names of the built-in papers, and the one that is probably meant.
        known: String,
    },
    /// Unknown name of a set of test cases for congestion controls: no built-in set, and no folder.
    #[error("there is no set of cases `{name}`, and no folder of this name; there are {known}")]
    UnknownSet {
        /// Name asked for.
        name: String,
        /// Names of the built-in sets, and the one that is probably meant.
        known: String,
    },
    /// The paper has no experiment of this name.
    #[error("there is no experiment `{name}`; there are {known}")]
    UnknownExperiment {
        /// Name that was asked for.
        name: String,
        /// Names of the paper's experiments, and the one that is probably meant.
        known: String,
    },
    /// A paper or set of test cases whose scenarios have no place for a sender that is to be judged: a message with
    /// what was expected.
    #[error("{0}")]
    Seat(String),
    /// A file or folder cannot be read, or is no file of claims that can be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// The scenario of an experiment cannot be read.
    #[error("{0}")]
    Scenario(#[from] ScenarioError),
}

/// Mistake in one part of a file of claims: in a claim, reading (another value of what the paper leaves open), setting,
/// decision or baseline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    message: String,
    /// Name in the file that the error is about.
    name: Option<String>,
    /// Kind of name that was expected, and the names of that kind that exist.
    known: Option<(String, Vec<String>)>,
}

impl Fault {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            name: None,
            known: None,
        }
    }

    /// The fault with `name` as the name in the file that it is about.
    pub(super) fn about(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// A name that is none of those that exist.
    pub(super) fn unknown<'a>(
        what: &str,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let known: Vec<String> = known.into_iter().map(str::to_owned).collect();
        let message = if known.is_empty() {
            format!("there is no {what} `{name}`, nor any other")
        } else {
            format!(
                "there is no {what} `{name}`; there are {}",
                known.join(", ")
            )
        };
        Self {
            message,
            name: Some(name.to_owned()),
            known: Some((what.to_owned(), known)),
        }
    }

    /// Checks that each of `names` is one of those that `known` yields; a name that is none is the fault.
    pub(super) fn unless_known<'a, K: Iterator<Item = &'a str>>(
        what: &str,
        mut names: impl Iterator<Item = &'a str>,
        known: impl Fn() -> K,
    ) -> Result<(), Self> {
        match names.find(|name| !known().any(|other| other == *name)) {
            None => Ok(()),
            Some(name) => Err(Self::unknown(what, name, known())),
        }
    }

    /// The mistake that this is of a part of the file, a `kind` of thing from its name to `end`: shown at the name
    /// that the fault is about, or at the part's own.
    pub(super) fn of_part(
        &self,
        (file, document): (&str, &Document),
        (kind, own): (&str, &Spanned<String>),
        end: usize,
    ) -> FileError {
        let owner = format!("{kind} `{}`", own.get_ref());
        let message = format!("{owner}: {self}");
        let name = self.name.as_deref().unwrap_or_default();
        let place = document.find(own.span().start..end, name);
        let place = place.unwrap_or(own.span());
        let shown = match &self.known {
            None => document.mistake(place, &message),
            Some((what, known)) => document
                .unknown(place, what, name, known)
                .with_help(format!("this is in the {owner}")),
        };
        FileError::mistake(file, message, shown)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}
