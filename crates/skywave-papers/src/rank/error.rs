//! What is wrong with a study, and where.

use crate::file::FileError;
use skywave_scenario::ScenarioError;

/// A study that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RankError {
    /// A file cannot be read, or is no study.
    #[error(transparent)]
    File(#[from] FileError),
    /// Names or values that contradict each other.
    #[error("{file}{}: {message}", line.map(|l| format!(":{l}")).unwrap_or_default())]
    Study {
        /// The file.
        file: String,
        /// The line, where it is about one.
        line: Option<usize>,
        /// What is wrong, and what was expected.
        message: String,
    },
    /// The scenario of a path cannot be read, or not with what the study sets.
    #[error("{0}")]
    Scenario(#[from] ScenarioError),
}
