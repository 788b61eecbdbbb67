//! The simulation engine: a virtual clock over the machines of the core.

mod agent;
mod air;
mod arrival;
mod clamp;
mod ends;
mod flow;
mod hosts;
mod inbox;
mod lane;
mod mailbox;
mod notices;
mod order;
mod passage;
mod plan;
mod prefetch;
mod queue;
mod quic;
mod ring;
mod routes;
mod split;
mod stop;
mod timed;
mod undelivered;
mod wake;
mod way;
mod wire;
mod world;
mod wtcp;

use crate::observe::Watch;
use crate::outcome::Outcome;
use crate::spec::Spec;

/// Runs one simulation to its end.
///
/// # Panics
/// When the specification is inconsistent (an index out of range, a receiver out of reach): the
/// scenario layer checks all of that before.
pub fn simulate(spec: &Spec) -> Outcome {
    simulate_watched(spec, Watch::default()).expect("nobody can cancel it")
}

/// As [`simulate`], watched by the caller; `None` when it was cancelled before the end.
///
/// # Panics
/// As [`simulate`].
pub fn simulate_watched<'a>(spec: &'a Spec, watch: Watch<'a>) -> Option<Outcome> {
    world::World::new(spec, watch.observer)
        .stopped_by(watch.cancel)
        .run()
}

#[cfg(test)]
mod tests;
