//! Share of the channel.

use skywave_lab::experiment::Numbers;

use super::{Objective, number};
use crate::measure::{CARRIED, GOODPUT, RIVALS};

pub(super) const CHANNEL: Objective = Objective {
    name: "channel",
    about: "goodput, of the sender's even share of what the path carries; at most 1",
    says: "goodput of its even share of what the path carries",
    compares: false,
    wants: &[CARRIED],
    value,
};

/// An even share: each of the others that meet the sender has as good a claim. Else the worst path is the one with most of them.
fn value(runs: &[Numbers]) -> Option<f64> {
    let share = number(runs, 0, CARRIED)? / (1.0 + number(runs, 0, RIVALS)?);
    (share > 0.0).then_some((number(runs, 0, GOODPUT)? / share).min(1.0))
}
