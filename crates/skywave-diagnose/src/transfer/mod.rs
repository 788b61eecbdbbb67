//! TCP connections of a capture, as their senders saw them: what was sent, what became of it, and when that was known.
//!
//! [`read`] goes through a capture once. The `board` of a connection keeps what is outstanding alone, so that memory goes by
//! the segments sent, 16 bytes each.

mod answer;
mod beside;
mod bins;
mod board;
mod merged;
mod read;
mod sent;

pub use answer::Answer;
pub(crate) use beside::Beside;
pub use bins::{Bin, Bins, WIDTH_NS};
pub use merged::read_merged;
pub use read::{Capture, Handshake, Transfer, read};
pub use sent::{Cause, Fate, Sent};

#[cfg(test)]
pub(crate) mod script;
#[cfg(test)]
mod tests;
