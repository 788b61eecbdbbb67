//! The machines of `skywave-core` on real packets: this crate supplies clock and sockets.

pub mod endpoint;
pub mod key;
pub mod relay;
mod secure;
