//! The messages, all of them short. Each is a length (two bytes, big-endian) and so many bytes of
//! [postcard](https://postcard.jamesmunns.com/wire-format).
//!
//! | on | who | messages |
//! |---|---|---|
//! | the first stream | the side that connected | [`Hello`], with a code [`Confirm`], then [`Request`] |
//! | | the side that listens | with a code [`Share`] and [`Confirm`], then [`Ready`] |
//! | a stream for each file | its sender | [`Offer`], [`Start`], chunks, [`End`] |
//! | | its receiver | [`Reply`], several |
//! | lanes: one-way streams of a large file | its sender | [`Lane`], chunks |
//!
//! A chunk is its length (four bytes, big-endian, at most [`MAX_CHUNK`]) and so many bytes of the file;
//! one of length zero ends them. [`DEALT`] and a number, in place of the first chunk, say that the chunks
//! come over so many lanes, the first one over the first of them. There the highest byte of each length is
//! the number of the lane over which the next chunk comes.

use serde::{Deserialize, Serialize};
use skywave_wire::name::shown;
use skywave_wire::transfer::NoRoom;

use crate::name::MAX_PATH;

/// Longest message, in bytes.
pub(crate) const MAX_MESSAGE: usize = 16 * 1024;
/// Longest chunk of a file, in bytes.
pub(crate) const MAX_CHUNK: usize = 1 << 18;
/// Set beside the number of lanes, where a length would be.
pub(crate) const DEALT: u32 = 1 << 31;
/// Where the number of the next lane is in a length.
pub(crate) const LANE_SHIFT: u32 = 24;
const _: () = assert!(MAX_CHUNK < 1 << LANE_SHIFT);
/// Most lanes of a file.
pub(crate) const MAX_LANES: u8 = 64;
/// Most names that may be asked for.
pub(crate) const MAX_NAMES: usize = 64;
/// Longest explanation of an error, in characters.
const MAX_TEXT: usize = 500;

/// How the side that connects shows that it may.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Hello {
    /// By its key, which TLS has checked.
    Key,
    /// By a code: its share of SPAKE2.
    Code(Vec<u8>),
}

/// The listening side's share of SPAKE2.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Share(pub(crate) Vec<u8>);

/// Shows that a side knows the code, and that both ends of the TLS connection do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Confirm(pub(crate) [u8; 32]);

/// What the side that connected wants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Request {
    /// To send files.
    Push,
    /// To get these files and folders, or all if none is named.
    Pull(Vec<String>),
}

/// The other side is going to do so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ready {
    /// Number of files and folders that will be offered.
    pub(crate) items: u64,
}

/// What is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Kind {
    /// A file.
    File,
    /// A folder; what is in it is offered too, each by itself.
    Folder,
}

/// A time, in seconds and nanoseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Time {
    pub(crate) seconds: i64,
    pub(crate) nanoseconds: u32,
}

/// A file that is offered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Offer {
    pub(crate) path: String,
    pub(crate) kind: Kind,
    /// Bytes; unknown for what comes out of a pipe.
    pub(crate) size: Option<u64>,
    /// When it was modified last; for a pipe, when it was offered first.
    pub(crate) modified: Time,
    /// Its permissions, as Unix numbers them.
    pub(crate) mode: u32,
}

/// The sender starts here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Start {
    pub(crate) from: u64,
}

/// The first on a lane: of which file it is, by the number of its stream, and which of its lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Lane {
    pub(crate) file: u64,
    pub(crate) number: u8,
}

/// After the last chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum End {
    /// The file had so many bytes, with this BLAKE3 hash.
    Whole { size: u64, hash: [u8; 32] },
    /// It changed while it was read: what was sent is worth nothing.
    Changed,
}

/// What the receiver answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Reply {
    /// It reads what it has; so many bytes so far.
    Reading(u64),
    /// It has the first bytes of it, with this hash. `whole`: under its name.
    Have {
        bytes: u64,
        hash: [u8; 32],
        whole: bool,
    },
    /// So many bytes are written.
    Written(u64),
    /// The file is there, under its name.
    Done,
    /// It is not, and will not be.
    No(Refusal),
}

/// Why a receiver does not take a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum Refusal {
    /// The path is none in a folder.
    #[error("the receiver takes no file of this name")]
    Path,
    /// The name begins with a dot.
    #[error("the receiver takes no hidden files (it would with --dotfiles)")]
    Hidden,
    /// There is a file of this name with other contents.
    #[error("the receiver has a file of this name with other contents")]
    Exists,
    /// The same file is being received over another connection.
    #[error("the receiver is receiving the same file over another connection")]
    Busy,
    /// It is larger than what is free on the disk, in bytes.
    #[error("the receiver has no room: {0} bytes are free")]
    Space(u64),
    /// It is larger than what the receiver's quota leaves, in bytes.
    #[error("the receiver takes no more: its quota leaves {0} bytes")]
    Quota(u64),
    /// The receiver's file system failed.
    #[error("the receiver cannot write it: {0}")]
    Io(String),
    /// What is on the receiver's disk is not what was sent.
    #[error("what is on the receiver's disk is not what was sent: the file was changed there")]
    Contents,
    /// The file changed while it was sent.
    #[error("the file changed while it was sent")]
    Changed,
    /// The receiver takes one file and has it.
    #[error("the receiver takes one file only")]
    One,
}

impl Refusal {
    /// An error of the file system.
    pub(crate) fn io(error: &std::io::Error) -> Self {
        Self::Io(error.to_string().chars().take(MAX_TEXT).collect())
    }

    /// As it may be shown: the text is the peer's.
    pub(crate) fn clean(self) -> Self {
        match self {
            Self::Io(text) => Self::Io(shown(&text)),
            other => other,
        }
    }
}

impl From<NoRoom> for Refusal {
    fn from(error: NoRoom) -> Self {
        match error {
            NoRoom::Space(bytes) => Self::Space(bytes),
            NoRoom::Quota(bytes) => Self::Quota(bytes),
            NoRoom::Io(text) => Self::Io(text),
        }
    }
}

/// A message that is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the peer does not speak this protocol")]
pub(crate) struct Nonsense;

/// A kind of message: checked beyond its form.
pub(crate) trait Message: Serialize + for<'a> Deserialize<'a> {
    /// Whether its parts are as long as they may be.
    fn is_sound(&self) -> bool {
        true
    }
}

impl Message for Hello {}
impl Message for Share {}
impl Message for Confirm {}
impl Message for Ready {}
impl Message for Start {}
impl Message for Lane {}
impl Message for End {}
impl Message for Reply {}

impl Message for Request {
    fn is_sound(&self) -> bool {
        match self {
            Self::Push => true,
            Self::Pull(names) => names.len() <= MAX_NAMES,
        }
    }
}

impl Message for Offer {
    fn is_sound(&self) -> bool {
        self.path.len() <= MAX_PATH && self.modified.nanoseconds < 1_000_000_000
    }
}

/// Its bytes, without the length.
pub(crate) fn encode(message: &impl Message) -> Result<Vec<u8>, Nonsense> {
    let bytes = postcard::to_allocvec(message).map_err(|_| Nonsense)?;
    if bytes.len() > MAX_MESSAGE {
        Err(Nonsense)
    } else {
        Ok(bytes)
    }
}

/// The message of these bytes, all of them.
pub(crate) fn decode<M: Message>(bytes: &[u8]) -> Result<M, Nonsense> {
    let (message, rest) = postcard::take_from_bytes::<M>(bytes).map_err(|_| Nonsense)?;
    if rest.is_empty() && message.is_sound() {
        Ok(message)
    } else {
        Err(Nonsense)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn offer() -> Offer {
        let modified = Time {
            seconds: -1,
            nanoseconds: 5,
        };
        Offer {
            path: "a/b".to_owned(),
            kind: Kind::File,
            size: Some(300),
            modified,
            mode: 0o644,
        }
    }

    /// Hosts of other versions read these bytes.
    #[test]
    fn the_bytes_of_an_offer_stay_as_they_are() {
        let bytes = encode(&offer()).unwrap();
        assert_eq!(bytes, [3, b'a', b'/', b'b', 0, 1, 0xac, 2, 1, 5, 0xa4, 3]);
        assert_eq!(decode(&bytes), Ok(offer()));
        let no = encode(&Reply::No(Refusal::Quota(1))).unwrap();
        assert_eq!(no, [4, 5, 1]);
    }

    #[test]
    fn what_is_too_long_is_no_message() {
        let path = "a".repeat(MAX_PATH + 1);
        let bytes = encode(&Offer { path, ..offer() }).unwrap();
        assert_eq!(decode::<Offer>(&bytes), Err(Nonsense));
        let bytes = encode(&Request::Pull(vec![String::new(); MAX_NAMES + 1])).unwrap();
        assert_eq!(decode::<Request>(&bytes), Err(Nonsense));
        let mut bytes = encode(&offer()).unwrap();
        bytes.push(0);
        assert_eq!(decode::<Offer>(&bytes), Err(Nonsense));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_harm(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            crate::rules::messages(&bytes);
        }
    }
}
