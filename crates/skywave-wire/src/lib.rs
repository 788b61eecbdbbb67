//! The protocol machines of `skywave-core` on real packets: this crate supplies clock and sockets.
//!
//! | module | what it is |
//! |---|---|
//! | [`endpoint`] | one end of a WTCP connection, without I/O |
//! | [`stream`] | an endpoint on a socket of the loopback interface; streams that block as files do |
//! | [`loopback`] | a transfer through a relay, all in this process |
//! | [`relay`] | real packets through the links of the simulator |
//! | [`tcp`] | TCP for many connections over packet queues, without I/O, and two of them joined |
//! | [`splice`] | a sender of our own at the ends of a relay, for whatever connections come |
//! | `host` | listeners and streams of that TCP, as std's and tokio's, behind a TUN device (Linux) |
//! | `behind` | a program in a network whose only way out is a relay (Linux) |
//!
//! WTCP here is an instrument for measuring the protocol: it is not encrypted, and takes addresses of the loopback
//! interface alone. `examples/streams.rs` is a program to start from; the bytes are in `docs/wtcp-wire-format.md`.
//!
//! # Real sockets
//! - All decisions are made without I/O there too: [`endpoint`] is a machine over WTCP's; only [`stream`] uses clock,
//!   socket and thread.
//! - Each socket has a thread, and there is no async runtime. WTCP measures the pace of packets, so the thread
//!   waits with a precision of nanoseconds (`ppoll`, no timer slack), and packets carry the system's time of
//!   arrival. Streams block, with a condition variable over one lock.
//! - A connection is two WTCP connections, one each way.
//! - Differences from the paper's settings on real sockets, and their reasons, are in `docs/gap.md`.

#[cfg(target_os = "linux")]
pub mod behind;
mod bytes;
pub mod endpoint;
pub mod exit;
#[cfg(target_os = "linux")]
pub mod host;
pub mod loopback;
pub mod relay;
pub mod splice;
pub mod stream;
mod system;
pub mod tcp;

pub use system::is_root;
