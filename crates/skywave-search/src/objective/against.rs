//! Goodput beside that of other senders on the same path.

use super::{OPEN, Objective, Runs};
use crate::measure::{CARRIED, GOODPUT};

pub(super) const AGAINST: Objective = Objective {
    name: "against",
    about: "goodput, of what the best of the senders of `--against` has in its place",
    says: "goodput of what the best of the others has in its place",
    compares: true,
    wants: &[CARRIED],
    value,
    open: OPEN,
};

/// A path on which none of the others gets anything says nothing.
fn value(runs: &Runs<'_>) -> Option<f64> {
    let others = (1..runs.runs.len()).filter_map(|sender| runs.number(sender, GOODPUT));
    let best = others.reduce(f64::max)?;
    runs.is_open(best)?
        .then_some(runs.number(0, GOODPUT)? / best)
}
