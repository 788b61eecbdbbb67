//! The machines of `skywave-core` on real packets: this crate supplies clock and sockets.
//!
//! | module | what it is |
//! |---|---|
//! | [`key`] | who a host is |
//! | [`endpoint`] | all connections of a socket, without I/O: Noise around WTCP |
//! | [`node`] | an endpoint on a real socket; streams that block as files do |
//! | [`transfer`] | files over a stream: whole or not at all, resumed |
//! | [`relay`] | real packets through the links of the simulator |
//! | `behind` | a program in a network whose only way out is a relay (Linux) |
//!
//! `examples/streams.rs` is a program to start from; the bytes are in `docs/secure-datagrams.md` and
//! `docs/wtcp-wire-format.md`.

#[cfg(target_os = "linux")]
pub mod behind;
pub mod endpoint;
pub mod key;
pub mod loopback;
pub mod name;
pub mod node;
pub mod relay;
mod secure;
mod system;
pub mod transfer;

pub use system::is_root;
