//! Radios: who they are, how frames are modulated, and what reaches whom.

mod address;
mod mode;

pub use address::Address;
pub use mode::{Mode, Preamble};
