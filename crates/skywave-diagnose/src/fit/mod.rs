//! Estimators of what a link is, from one record each, and what they have in common: candidates, the choice between
//! them, intervals.

mod choice;
mod estimate;
pub mod hidden;
pub mod optimise;
pub mod path;
pub mod special;

pub use choice::{Candidate, Choice};
pub use estimate::{Estimate, Known};
