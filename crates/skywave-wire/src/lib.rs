//! The machines of `skywave-core` on real packets: this crate supplies clock and sockets.

pub mod endpoint;
pub mod key;
pub mod node;
pub mod relay;
mod secure;
mod system;
pub mod transfer;
