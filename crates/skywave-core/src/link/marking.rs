//! Parameters that queues have in common: lengths in the unit of a limit, and when packets are marked.

use crate::parameter::{Refusal, Stored, Value};
use crate::units::Limit;

/// The level in the unit of `limit`.
pub(super) fn level(limit: Limit, value: &Value, other: Refusal) -> Result<f64, Refusal> {
    match value {
        Value::Level(level) => limit.measures(*level).ok_or(other),
        _ => Err(Refusal::KIND),
    }
}

/// The parameter `ecn` of a queue that marks while its drop probability is below `mark_p`.
pub(super) fn marks(mark_p: &mut Option<f64>, value: &Value) -> Result<(), Refusal> {
    /// As in ns-2 and RFC 8033 section 5.1.
    const MARK_P: f64 = 0.1;
    let Value::Flag(marks) = *value else {
        return Err(Refusal::KIND);
    };
    *mark_p = marks.then_some(MARK_P);
    Ok(())
}

/// The place of `mark_p`, beside `ecn = true`.
pub(super) fn mark_p(mark_p: &mut Option<f64>) -> Result<&mut dyn Stored, Refusal> {
    match mark_p {
        Some(mark_p) => Ok(mark_p),
        None => Err(Refusal::new(
            "`mark_p` is for marking packets",
            "add `ecn = true`, or leave it out",
        )),
    }
}
