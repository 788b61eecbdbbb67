//! Places in a script, and what is wrong there.

use std::fmt;

use thiserror::Error;

/// Place in a text: line and column, counted from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Line in the text, counted from one.
    pub line: u32,
    /// Column in the line, in characters, counted from one.
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Reason why a script cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{place}: {what}")]
pub struct Mistake {
    /// Place of the mistake in the script.
    pub place: Place,
    /// Text found there, and what was expected.
    pub what: String,
}
