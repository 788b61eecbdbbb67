//! Goodput beside that of other senders on the same path.

use skywave_lab::experiment::Numbers;

use super::{Objective, is_open, number};
use crate::measure::{CARRIED, GOODPUT};

pub(super) const AGAINST: Objective = Objective {
    name: "against",
    about: "goodput, of what the best of the senders of `--against` has in its place",
    says: "goodput of what the best of the others has in its place",
    compares: true,
    wants: &[CARRIED],
    value,
};

/// A path on which none of the others gets anything says nothing.
fn value(runs: &[Numbers]) -> Option<f64> {
    let others = (1..runs.len()).filter_map(|sender| number(runs, sender, GOODPUT));
    let best = others.reduce(f64::max)?;
    is_open(runs, best)?.then_some(number(runs, 0, GOODPUT)? / best)
}
