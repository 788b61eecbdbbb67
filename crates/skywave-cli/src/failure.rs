//! Failures of verbs, how they are reported, and the exit code.

use std::fmt::Display;
use std::io::{self, IsTerminal};
use std::path::Path;

use skywave_lab::experiment;
use skywave_lab::report::WriteError;
use skywave_lab::scenario::ScenarioError;
use skywave_lab::threads::NoThreads;
use skywave_papers::claims::ClaimsError;
use skywave_papers::file::FileError;
use skywave_papers::rank::RankError;
use skywave_papers::validate::SetError;
use thiserror::Error;

use crate::print;

/// Why a verb did not do what it was asked to: an exit code, and what the user is told.
#[derive(Debug, Error)]
#[error("{told}")]
pub(crate) struct Failure {
    code: u8,
    told: Told,
}

/// News of a failure for the user.
#[derive(Debug, Error)]
enum Told {
    /// Reason in words.
    #[error("{0}")]
    Words(String),
    /// Mistake in a file, which is shown at its place.
    #[error(transparent)]
    Mistake(ScenarioError),
    /// Nothing more: the user has been told, or is gone.
    #[error("")]
    Nothing,
}

impl Failure {
    /// Failure with an exit code of its own.
    pub(crate) fn new(code: u8, why: impl Display) -> Self {
        let told = Told::Words(why.to_string());
        Self { code, told }
    }

    /// Failure because the user asked for what cannot be, or a file is not what it should be.
    pub(crate) fn usage(why: impl Display) -> Self {
        Self::new(2, why)
    }

    /// Failure because the file or folder at `path` is not what it should be.
    pub(crate) fn file(path: &Path, why: impl Display) -> Self {
        Self::usage(format!("{}: {why}", path.display()))
    }

    /// Failure of work that could be begun.
    pub(crate) fn failed(why: impl Display) -> Self {
        Self::new(1, why)
    }

    /// Failure because of Ctrl-C.
    pub(crate) fn interrupted(why: impl Display) -> Self {
        Self::new(130, why)
    }

    /// Failure of which the user is told nothing more.
    pub(crate) fn silent(code: u8) -> Self {
        let told = Told::Nothing;
        Self { code, told }
    }

    /// Tells the user, if there is anybody, and gives the exit code.
    pub(crate) fn report(&self) -> u8 {
        match &self.told {
            Told::Words(why) => print::last(&format!("skywave: {why}\n")),
            Told::Mistake(error) => print::last(&error.render(io::stderr().is_terminal())),
            Told::Nothing => {}
        }
        self.code
    }
}

/// Errors of writing to standard output.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        // The reader has seen enough.
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::silent(1);
        }
        Self::failed(format!("cannot write standard output: {error}"))
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        Self::failed(error)
    }
}

impl From<experiment::Error> for Failure {
    fn from(error: experiment::Error) -> Self {
        Self::failed(error)
    }
}

impl From<NoThreads> for Failure {
    fn from(error: NoThreads) -> Self {
        Self::failed(error)
    }
}

impl From<ScenarioError> for Failure {
    fn from(error: ScenarioError) -> Self {
        let told = Told::Mistake(error);
        Self { code: 2, told }
    }
}

/// Errors of files that lead to scenarios: a mistake in one of either kind is shown at its place.
macro_rules! of_files {
    ($($error:ident),*) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                match error {
                    $error::Scenario(shown)
                    | $error::File(FileError::Mistake { shown, .. }) => shown.into(),
                    other => Self::usage(other),
                }
            }
        }
    )*};
}

of_files!(ClaimsError, RankError, SetError);
