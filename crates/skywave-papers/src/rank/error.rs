//! Errors in a study, with their place.

use crate::file::FileError;
use skywave_scenario::ScenarioError;

/// Reason why a study cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RankError {
    /// A file cannot be read, or is no study that can be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// Study that lacks something, or has too much, as a whole.
    #[error("{file}: {message}")]
    Study {
        /// Name of the study's file, as messages have it.
        file: String,
        /// Mistake in words, and what was expected.
        message: String,
    },
    /// The scenario of a path cannot be read, or cannot have the settings that the study makes in it.
    #[error("{0}")]
    Scenario(#[from] ScenarioError),
}
