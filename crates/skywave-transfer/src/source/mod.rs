//! Files of the disk, and contents of pipes, that are sent.

mod exclude;
mod file;
mod list;
mod pipe;

use bytes::Bytes;
use tokio::sync::mpsc;

pub use exclude::{Exclude, NoPattern};
pub(crate) use file::{Reader, Regular};
pub(crate) use list::Contents;
pub use list::{Item, list};
pub use pipe::Pipe;

use crate::error::Why;

/// The next piece of what is sent.
#[derive(Debug)]
pub(crate) enum Piece {
    Data(Bytes),
    End { size: u64, hash: blake3::Hash },
    Failed(Why),
}

/// Pieces, as they are read.
pub(crate) type Pieces = mpsc::Receiver<Piece>;
