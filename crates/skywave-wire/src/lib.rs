//! The machines of `skywave-core` on real packets: this crate supplies clock and sockets.
//!
//! | module | what it is |
//! |---|---|
//! | [`key`] | who a host is |
//! | [`endpoint`] | all connections of a socket, without I/O: Noise around WTCP |
//! | [`node`] | an endpoint on a real socket; streams that block as files do |
//! | [`relay`] | real packets through the links of the simulator |
//! | `behind` | a program in a network whose only way out is a relay (Linux) |
//!
//! `examples/streams.rs` is a program to start from; the bytes are in `docs/secure-datagrams.md` and
//! `docs/wtcp-wire-format.md`.
//!
//! # Real sockets
//! - All decisions are made without I/O there too: [`endpoint`] is a machine over WTCP's, Noise and cookies; only
//!   [`node`] uses clock, socket and thread. Fuzz target `sockets` connects two endpoints by a hostile network in
//!   virtual time.
//! - Each socket has a thread, and there is no async runtime. WTCP measures the pace of packets, so the thread
//!   waits with a precision of nanoseconds (`ppoll`, no timer slack), and packets carry the system's time of
//!   arrival. Streams block, with condition variables over one lock.
//! - A connection is two WTCP connections, one each way, under one key. Their idle timers are off: the connection
//!   watches for silence, since any authentic packet shows that the peer is there.
//! - Only sealed packets are believed. Refusals and unknown connections are hints: they make a sender try a
//!   second connection beside the first, never give one up.
//! - A file's partial state is the file itself: its first bytes, under a name made of the hash of the whole,
//!   locked. So no second record can disagree with it.
//! - Differences from the paper's settings on real sockets, and their reasons, are documented at
//!   `endpoint::Config`.

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

pub use system::is_root;
