//! Machines at a node in the middle of a path, which look into the packets that pass.

pub mod clamp;
pub mod d_proxy;
pub mod snoop;

pub use clamp::{Regenerator, Suppressor};
pub use d_proxy::{Downstream, DownstreamConfig, Upstream, UpstreamConfig};
pub use snoop::{Snoop, SnoopConfig};
