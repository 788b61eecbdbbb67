//! Machines at a node in the middle of a path, which look into the packets that pass.

pub mod snoop;

pub use snoop::{Snoop, SnoopConfig};
