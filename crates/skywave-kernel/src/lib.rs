//! Skywave's congestion control laws as the congestion control of Linux' TCP.
//!
//! A small program in the kernel (`bpf/law.bpf.c`; eBPF, `struct_ops`) reports what each ACK of a connection told
//! through a ring buffer, and takes window and pacing rate from memory that it shares with this process. The law
//! itself, the rule that sets window and rate, runs in this process and is the object that the simulator runs:
//! [`Connection`] is its second driver beside the core's own sender.
//!
//! ```text
//! kernel:   ACK ─▶ program ─▶ ring buffer ──▶ Agent ─▶ Connection ─▶ law     this process
//!                     ▲                                               │
//!                     └── window, pace ◀── slot of the connection ◀───┘
//! ```
//!
//! An answer is in force from the next ACK on. If answers are late, as when the process is stopped or dead, the eBPF
//! program goes on by Reno's rule from the window in force. Nothing stays in the kernel once the process and the
//! connections are gone.
//!
//! | module | what it does |
//! |---|---|
//! | [`Connection`], [`Agent`] | from messages to answers, without I/O: no rights, no kernel |
//! | [`machine`] | what this machine has and lacks for it |
//! | `Attached`, [`Group`] | the eBPF program, a command's connections under it: Linux, the first by feature `load` |

mod agent;
mod answer;
#[cfg(all(target_os = "linux", feature = "load"))]
mod attached;
mod connection;
#[cfg(target_os = "linux")]
mod group;
mod history;
mod law;
pub mod machine;
mod message;
#[cfg(all(target_os = "linux", feature = "load"))]
mod shared;
mod trouble;

pub use agent::{Agent, Heard};
pub use answer::Answer;
#[cfg(all(target_os = "linux", feature = "load"))]
pub use attached::{Attached, Counters};
pub use connection::Connection;
#[cfg(target_os = "linux")]
pub use group::Group;
pub use law::{Law, LawError};
pub use message::{BYTES, Kind, Message, State};
pub use trouble::AttachError;
