//! Estimators of what a link is, from one record each, and what they have in common: candidates, the choice between
//! them, intervals.

pub mod changes;
mod choice;
mod estimate;
pub mod hidden;
pub mod optimise;
pub mod path;
pub mod period;
pub mod probes;
pub mod profile;
pub mod special;
pub mod throughput;

pub use choice::{Candidate, Choice};
pub use estimate::{Estimate, Known};
