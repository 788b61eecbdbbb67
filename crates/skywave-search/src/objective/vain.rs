//! Packets that are sent in vain.

use skywave_lab::experiment::Numbers;

use super::{Objective, number};
use crate::measure::{SENT, VAIN};

pub(super) const VAIN_SHARE: Objective = Objective {
    name: "vain",
    about: "share of packets that no queue drops, and that are not sent again without a loss",
    says: "share of its packets that were not in vain",
    compares: false,
    wants: &[],
    value,
};

/// Fewer packets make no share.
const LEAST: f64 = 50.0;

/// Losses of the channel are no sender's doing: repeating them is not in vain.
fn value(runs: &[Numbers]) -> Option<f64> {
    let sent = number(runs, 0, SENT)?;
    (sent >= LEAST).then_some((1.0 - number(runs, 0, VAIN)? / sent).max(0.0))
}
