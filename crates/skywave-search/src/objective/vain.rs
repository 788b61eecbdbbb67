//! Packets that are sent in vain.

use super::{OPEN, Objective, Runs};
use crate::measure::{SENT, VAIN};

pub(super) const VAIN_SHARE: Objective = Objective {
    name: "vain",
    about: "share of packets that no queue drops, and that are not sent again without a loss",
    says: "share of its packets that were not in vain",
    compares: false,
    wants: &[VAIN],
    value,
    open: OPEN,
};

/// Fewer packets make no share.
const LEAST: f64 = 50.0;

/// Losses of the channel are no sender's doing: repeating them is not in vain.
fn value(runs: &Runs<'_>) -> Option<f64> {
    let sent = runs.number(0, SENT)?;
    (sent >= LEAST).then_some((1.0 - runs.number(0, VAIN)? / sent).max(0.0))
}
