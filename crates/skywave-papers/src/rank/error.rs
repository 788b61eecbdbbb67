//! Errors in a study, with their place.

use crate::file::FileError;
use skywave_scenario::ScenarioError;

/// Reason why a study cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RankError {
    /// A file cannot be read, or is no study that can be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// The whole file lacks something, or has too much.
    #[error("{file}: {message}")]
    Study {
        /// The file.
        file: String,
        /// Mistake in words, and what was expected.
        message: String,
    },
    /// The scenario of a path cannot be read, or not with what the study sets.
    #[error("{0}")]
    Scenario(#[from] ScenarioError),
}
