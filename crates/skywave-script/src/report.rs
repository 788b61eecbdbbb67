//! Verdicts on scripts.

use std::fmt;

use crate::place::{Mistake, Place};

/// Verdict on a script, as [`run()`](crate::run()) gives it; [`Self::Unreadable`] is for callers of
/// [`parse`](crate::parse), as no such script can be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every packet and result was as the script expects it.
    Passed,
    /// A packet or a result was not as the script expects it.
    Failed {
        /// Place of the event that failed.
        place: Place,
        /// Packet or result that the script expects.
        expected: String,
        /// Packet or result that came.
        got: String,
    },
    /// Something that the script needs is not modelled.
    Skipped {
        /// Place in the script of the thing that is not modelled.
        place: Place,
        /// Kind and name of the thing that is not modelled.
        reason: Skip,
    },
    /// The text is no script that can be read.
    Unreadable(Mistake),
}

/// Reason to skip a script: something it needs that the host's model lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skip {
    /// Kind of the unmodelled thing, such as `TCP Fast Open` or `system variable`, by which skipped scripts are
    /// counted.
    pub class: &'static str,
    /// Exact thing of this kind, such as the variable with its value (`NAME=VALUE`); empty where [`Self::class`] alone
    /// names it.
    pub detail: String,
}

impl Skip {
    pub(crate) fn new(class: &'static str, detail: impl Into<String>) -> Self {
        Self {
            class,
            detail: detail.into(),
        }
    }
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.class)?;
        if !self.detail.is_empty() {
            write!(f, " ({})", self.detail)?;
        }
        Ok(())
    }
}

impl Verdict {
    /// Name of the verdict: `passed`, `failed`, `skipped` or `unreadable`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed { .. } => "failed",
            Self::Skipped { .. } => "skipped",
            Self::Unreadable(_) => "unreadable",
        }
    }

    /// Place in the script that failed, is not modelled, or cannot be read; `None` if the script passed.
    pub fn place(&self) -> Option<Place> {
        match self {
            Self::Passed => None,
            Self::Failed { place, .. } | Self::Skipped { place, .. } => Some(*place),
            Self::Unreadable(mistake) => Some(mistake.place),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Passed => f.write_str("passed"),
            Self::Failed { expected, got, .. } => write!(f, "expected {expected}; got {got}"),
            Self::Skipped { reason, .. } => write!(f, "not modelled: {reason}"),
            Self::Unreadable(mistake) => f.write_str(&mistake.what),
        }
    }
}
