//! Longest time without a delivery.

use super::{OPEN, Objective, Runs};
use crate::measure::{STALL, WINDOW};

pub(super) const STALLED: Objective = Objective {
    name: "stall",
    about: "share of the time outside of the longest stretch without a delivery while the path carries",
    says: "share of the time outside of its longest stall",
    compares: false,
    wants: &[STALL],
    value,
    open: OPEN,
};

fn value(runs: &Runs<'_>) -> Option<f64> {
    let share = runs.number(0, STALL)? / runs.number(0, WINDOW)?;
    Some((1.0 - share).max(0.0))
}
