//! What is sent: files of the disk, and what comes out of a pipe.

mod file;
mod list;
mod pipe;

use bytes::Bytes;
use tokio::sync::mpsc;

pub(crate) use file::Regular;
pub(crate) use list::Contents;
pub use list::{Item, list};
pub use pipe::Pipe;

use crate::error::Why;

/// Bytes of a file read at once.
const CHUNK: usize = 1 << 17;
/// Pieces that are read ahead.
const AHEAD: usize = 8;

/// The next piece of what is sent.
#[derive(Debug)]
pub(crate) enum Piece {
    Data(Bytes),
    End { size: u64, hash: blake3::Hash },
    Failed(Why),
}

/// Pieces, as they are read.
pub(crate) type Pieces = mpsc::Receiver<Piece>;

/// Told how many bytes are read; says whether to go on.
pub(crate) type Reading = Box<dyn Fn(u64) -> bool + Send>;
