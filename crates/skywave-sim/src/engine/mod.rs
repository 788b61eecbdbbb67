//! The simulation engine: a virtual clock over the machines of the core.

mod flow;
mod queue;
mod world;

use crate::outcome::Outcome;
use crate::spec::Spec;

/// Runs one simulation to its end.
///
/// # Panics
/// When the specification is inconsistent (an index out of range, a receiver out of reach): the
/// scenario layer checks all of that before.
pub fn simulate(spec: &Spec) -> Outcome {
    world::World::new(spec).run()
}
