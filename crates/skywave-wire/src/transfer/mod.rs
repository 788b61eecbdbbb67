//! Files over a connection: whole or not at all under their name, checked by their hash, resumed where
//! they were interrupted. The messages are in `docs/secure-datagrams.md`.

mod hash;
mod message;
mod partial;
mod receive;
mod registry;
mod room;
mod send;
mod serve;
#[cfg(test)]
mod tests;
mod tidy;

pub use message::{Hash, Refused};
pub use receive::{ReceiveError, Received};
pub use room::{Claim, NoRoom, Room};
pub use send::{FileOffer, SendError, SendOptions, SendStep, Sent, send};
pub use serve::{OFFER_WITHIN, ServeEvent, ServeOptions, check_folder, serve};
pub use tidy::remove_old;

use std::time::Duration;

/// Between two looks at whether to go on, and two reports of progress.
const TICK: Duration = Duration::from_millis(100);
/// Bytes read or written at once.
const CHUNK: usize = 1 << 16;
