//! Longest time without a delivery.

use skywave_lab::experiment::Numbers;

use super::{Objective, number};
use crate::measure::{STALL, WINDOW};

pub(super) const STALLED: Objective = Objective {
    name: "stall",
    about: "share of the time outside of the longest stretch without a delivery while the path carries",
    says: "share of the time outside of its longest stall",
    compares: false,
    wants: &[STALL],
    value,
};

fn value(runs: &[Numbers]) -> Option<f64> {
    let share = number(runs, 0, STALL)? / number(runs, 0, WINDOW)?;
    Some((1.0 - share).max(0.0))
}
