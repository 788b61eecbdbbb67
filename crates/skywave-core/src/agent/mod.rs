//! Machines at a node in the middle of a path, which look into the packets that pass.

pub mod clamp;
pub mod d_proxy;
mod local_timeout;
pub mod snoop;
#[cfg(test)]
mod testing;

pub use clamp::{Regenerator, Suppressor};
pub use d_proxy::{Downstream, DownstreamConfig, Upstream, UpstreamConfig};
pub use local_timeout::LocalTimeout;
pub use snoop::{Snoop, SnoopConfig};

/// Position of the first segment that an agent sees of a connection, so that there is room for some before it.
const ORIGIN: u64 = 1 << 32;
