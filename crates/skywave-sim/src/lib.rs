//! Deterministic packet-level simulation: drives the machines of `skywave-core` with a virtual clock.

pub mod outcome;
pub mod spec;

pub use outcome::{FlowOutcome, LinkOutcome, Outcome, Series};
pub use spec::Spec;
