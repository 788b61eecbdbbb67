//! TCP for many connections over a pair of packet queues, without I/O: the core's
//! [`Connection`](skywave_core::tcp::Connection) with everything around it that a host has.
//!
//! ```text
//!                       ┌──────────────── Endpoint ───────────────┐
//! IP packets in  ────▶  │ listeners, connections by their addresses │ ◀──▶  streams: read, write,
//! IP packets out ◀────  │ timers, resets, path MTU                  │       close, abort, status
//!                       └─────────────────────────────────────────┘
//! ```
//!
//! An [`Endpoint`] finds the connection of each packet, keeps the bytes that the connection only counts, chooses initial
//! numbers (RFC 6528), answers strays by resets (RFC 9293 section 3.10.7.1) and believes ICMP errors about what is in
//! flight (RFC 5927). A [`Junction`] joins two of them: what arrives at one goes on from the other, so that each side
//! has a sender of its own.
//!
//! # The caller's contract
//! - *Inputs*: [`Endpoint::receive`] for each packet that arrives, [`Endpoint::poll`] at or after
//!   [`Endpoint::deadline`]; a call that comes too early does nothing.
//! - *Commands*: [`Endpoint::connect`], [`Endpoint::write`] and so on, the application's.
//! - *Polls*: after every input and command, [`Endpoint::transmit`] until it returns false, then
//!   [`Endpoint::poll_event`] until it returns `None`, then `deadline` again. Several inputs may come before one round of
//!   polls, which then answers all of them by fewer acknowledgements.
//!
//! `now` never goes backwards. Addresses are not the endpoint's own: it answers for whatever the packets are for, and
//! the caller gives it only packets that it is to have.
//!
//! # Bounds
//! Whatever strangers send, memory is bounded: half-open connections by a listener's backlog (beyond, the oldest makes
//! room), connections that nobody has taken yet by the same number (beyond, SYNs and the ACKs that complete handshakes are
//! ignored), TIME-WAIT by [`EndpointConfig::time_wait`], resets by their number a second, known paths by 1024. A connection
//! keeps what lies in its two buffers, in pages that are taken when bytes come.
//!
//! # Not modelled
//! SYN cookies; urgent data; Fast Open; path MTU discovery without ICMP (RFC 8899); IP options, extension headers and
//! fragments of one's own. A path that becomes smaller does not change the MSS of connections that are open: their
//! segments are cut in pieces, each a segment of its own.

mod config;
mod endpoint;
mod icmp;
mod junction;
mod large;
mod listen;
mod number;
mod paths;
mod refusals;
mod socket;
mod status;
mod streams;
mod table;
mod timers;
mod totals;

#[cfg(test)]
mod tests;

pub use config::{EndpointConfig, Role};
pub use endpoint::{Endpoint, Event};
pub use icmp::concerns_tcp;
pub use junction::{Junction, Side};
pub use large::Form;
pub use listen::{ListenError, Listener};
pub use status::{Ending, Status};
pub use streams::ConnectError;
pub use table::StreamId;
pub use totals::Totals;
