//! Other QUIC libraries' senders over the simulator's links: whole connections of [noq](noq_proto) and of
//! [quinn](quinn_proto), two QUIC libraries in Rust, with the congestion control laws that they have, in simulated
//! time.
//!
//! [`run`] takes a [`Spec`](skywave_sim::Spec) and gives an [`Outcome`](skywave_sim::Outcome), as
//! [`skywave_sim::simulate`] does, so that a program that compares senders or searches for bad paths in the simulator
//! can run such a sender in the place of one of the simulator's own.
//!
//! ```
//! let sender = skywave_foreign::parse("quinn:cubic")?;
//! assert_eq!(sender.name(), "quinn:cubic");
//! # Ok::<(), skywave_foreign::Unknown>(())
//! ```
//!
//! # The same bytes
//! Both ends do no I/O; their random numbers, connection IDs and keys come from the seed. Handshakes and packets have the sizes
//! that they have with TLS, but nothing in them is secret. A run depends on nothing else, so that the same specification gives the
//! same outcome.
//!
//! # What is measured, and what not
//! Measures are those of the simulator, as far as the libraries tell. `delivered`, `goodput` and bins count data when
//! they arrive, each byte once, in any order. `retransmits` are the packets that the library declared lost. cwnd is in
//! segments of 1200 bytes, a round trip the shortest one of an ACK's packets; window cuts are losses or marks after
//! which the law's window is smaller. What the libraries do not tell is 0 or `None`: timeouts, delays, shares of the
//! time, the table of losses.
//!
//! # The ends
//! The receiver's and the sender's windows are 64 MiB, a connection without an answer is given up after a minute. All
//! else is as the libraries have it: packets grow to 1452 bytes, packets are ECN-capable. A flow that stops closes its
//! connection, and what is under way then is not delivered.

/// Fingerprint of this crate's sources and the locked versions of noq and quinn. Stored results have it in their key,
/// so that results of another version are not used again.
pub const ENGINE: &str = env!("SKYWAVE_FOREIGN");

/// Names of the measures of a flow's data and packets that a run with noq or quinn gives. All other measures of its
/// outcome, except those of the window and of round trips, are 0 or `None`, because the libraries do not tell them.
pub const TOLD: [&str; 15] = [
    "goodput",
    "throughput",
    "delivered",
    "completion",
    "unfinished",
    "retransmits",
    "sent",
    "received",
    "duplicated",
    "under_way",
    "queue_drops",
    "early_drops",
    "channel_drops",
    "blackout_drops",
    "corrupt_drops",
];

mod alike;
mod clock;
mod host;
mod keys;
mod lane;
mod meter;
mod noq;
pub mod path;
mod plan;
mod quinn;
mod refused;
mod run;
mod sender;
mod tally;

pub use refused::Refused;
pub use run::{Connection, Report, check, run, run_all, run_each};
pub use sender::{Sender, Unknown, parse, senders};
