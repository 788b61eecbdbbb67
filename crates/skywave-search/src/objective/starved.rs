//! Goodput that a sender leaves to others.

use super::{OPEN, Objective, Runs};
use crate::measure::{CARRIED, OTHERS};

pub(super) const STARVED: Objective = Objective {
    name: "starved",
    about: "goodput of the other flows, of what the first sender of `--against` leaves them in its place",
    says: "goodput of the other flows of what they have beside the other sender",
    compares: true,
    wants: &[CARRIED],
    value,
    open: OPEN,
};

/// A path without others, or on which they get nothing in any case, says nothing.
fn value(runs: &Runs<'_>) -> Option<f64> {
    let left = runs.number(1, OTHERS)?;
    runs.is_open(left)?
        .then_some(runs.number(0, OTHERS)? / left)
}
