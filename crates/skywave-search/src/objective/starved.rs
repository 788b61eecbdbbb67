//! Goodput that a sender leaves to others.

use skywave_lab::experiment::Numbers;

use super::{Objective, is_open, number};
use crate::measure::{CARRIED, OTHERS};

pub(super) const STARVED: Objective = Objective {
    name: "starved",
    about: "goodput of the other flows, of what the first sender of `--against` leaves them in its place",
    says: "goodput of the other flows of what they have beside the other sender",
    compares: true,
    wants: &[CARRIED],
    value,
};

/// A path without others, or on which they get nothing in any case, says nothing.
fn value(runs: &[Numbers]) -> Option<f64> {
    let left = number(runs, 1, OTHERS)?;
    is_open(runs, left)?.then_some(number(runs, 0, OTHERS)? / left)
}
