//! Share of the channel.

use super::{OPEN, Objective, Runs};
use crate::measure::{CARRIED, GOODPUT, RIVALS};

pub(super) const CHANNEL: Objective = Objective {
    name: "channel",
    about: "goodput, of the sender's even share of what the path carries; at most 1",
    says: "goodput of its even share of what the path carries",
    compares: false,
    wants: &[CARRIED],
    value,
    open: OPEN,
};

/// An even share: each of the others that meet the sender has as good a claim. Else the worst path is the one with most of them.
fn value(runs: &Runs<'_>) -> Option<f64> {
    let share = runs.number(0, CARRIED)? / (1.0 + runs.number(0, RIVALS)?);
    (share > 0.0).then_some((runs.number(0, GOODPUT)? / share).min(1.0))
}
