//! The messages, all of them short. Each is a length (two bytes, big-endian) and so many bytes of
//! [postcard](https://postcard.jamesmunns.com/wire-format).
//!
//! | on | who | messages |
//! |---|---|---|
//! | the first stream | the side that connected | [`Hello`], with a code [`Confirm`], then [`Request`] |
//! | | the side that listens | with a code [`Share`] and [`Confirm`], then [`Ready`] |
//! | a stream for each file that is not small | its sender | [`Open::File`], [`Start`], chunks, [`End`] |
//! | | its receiver | [`Reply`], several |
//! | lanes: one-way streams of a large file | its sender | [`Lane`], chunks |
//! | a stream for many small files, and folders | their sender | [`Open::Batch`], then for each that is wanted [`Body`] and maybe its bytes |
//! | | their receiver | [`Answers`] in the order of the offers, several; [`Verdicts`] in the order of the bodies |
//!
//! A chunk is its length (four bytes, big-endian, at most [`MAX_CHUNK`]) and so many bytes of the file;
//! one of length zero ends them. [`DEALT`] and a number, in place of the first chunk, say that the chunks
//! come over so many lanes, the first one over the first of them. There the highest byte of each length is
//! the number of the lane over which the next chunk comes. [`ZEROS`] in a length: so many bytes are all zero, and do not
//! come.
//!
//! The sender does not tell the hash of a file, only [`proof`] that it knows it; the receiver, which finds the same in
//! what it has, tells the hash. So each side has read the file before it believes the other one.

use crate::name::shown;
use serde::{Deserialize, Serialize};

use crate::path::{MAX_DEPTH, MAX_PATH};

/// Longest message, in bytes.
pub(crate) const MAX_MESSAGE: usize = 16 * 1024;
/// Longest chunk of a file, in bytes.
pub(crate) const MAX_CHUNK: usize = 1 << 18;
/// Set beside the number of lanes, where a length would be.
pub(crate) const DEALT: u32 = 1 << 31;
/// Where the number of the next lane is in a length.
pub(crate) const LANE_SHIFT: u32 = 24;
const _: () = assert!(MAX_CHUNK < 1 << LANE_SHIFT);
/// Set in the length of a chunk of zeros.
pub(crate) const ZEROS: u32 = 1 << 23;
const _: () = assert!(MAX_CHUNK < ZEROS as usize);
/// Most bytes of a small file: they come at once.
pub(crate) const SMALL: u64 = MAX_CHUNK as u64;
/// Longest message about a batch of files, in bytes.
pub(crate) const MAX_BATCH: usize = u16::MAX as usize;
/// Most files of a batch.
pub(crate) const MAX_FILES: usize = 1024;
/// Most answers or verdicts in a message: each may be a refusal with an explanation.
pub(crate) const MAX_ANSWERS: usize = 24;
const _: () = assert!(MAX_ANSWERS * (4 * MAX_TEXT + 8) < MAX_BATCH);
/// Most lanes of a file.
pub(crate) const MAX_LANES: u8 = 64;
/// Most names that may be asked for.
pub(crate) const MAX_NAMES: usize = 64;
/// Error code with which a sender resets the stream of a file that it gives up: the file is another one now, or cannot
/// be read.
pub(crate) const GIVEN_UP: u32 = 1;
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

/// Request of the side that connected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Request {
    /// To send files: so many, as far as the sender knows.
    Push(Totals),
    /// To get these files and folders, or all if none is named.
    Pull(Vec<String>),
}

/// Totals of the files to send. They are only shown to users: nothing else depends on them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Number of files to send; folders are not counted.
    pub files: u64,
    /// Bytes of all files to send together, as far as their sizes are known (a pipe's is not).
    pub bytes: u64,
}

/// The other side is going to do so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ready {
    /// Number of files and folders that will be offered.
    pub(crate) items: u64,
    pub(crate) totals: Totals,
}

/// Kind of what is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Kind {
    /// A file.
    File,
    /// A folder; its contents are offered too, each by itself.
    Folder,
}

/// A time, in seconds and nanoseconds since 1970.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Time {
    pub(crate) seconds: i64,
    pub(crate) nanoseconds: u32,
}

/// A file that is offered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Offer {
    /// Any bytes but zero; `/` separates names.
    pub(crate) path: Vec<u8>,
    pub(crate) kind: Kind,
    /// Bytes; unknown for what comes out of a pipe.
    pub(crate) size: Option<u64>,
    /// When it was modified last; for a pipe, when it was opened.
    pub(crate) modified: Time,
    /// Permissions of the file, as Unix numbers them.
    pub(crate) mode: u32,
    /// Permissions of the folders that the file is in, from the outermost; of the rest nothing is known.
    pub(crate) folders: Vec<u16>,
}

/// The first on a stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Open {
    /// A file that has the stream for itself.
    File(Offer),
    /// Small files, and folders.
    Batch(Vec<Offer>),
}

/// Answer of the receiver to a file or folder of a batch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Answer {
    /// The receiver wants the file's bytes.
    Want,
    /// The receiver has a file of this name and size.
    Compare,
    /// The folder is there.
    There,
    /// The file has to come by itself.
    Alone,
    /// The receiver does not take the file or folder.
    No(Refusal),
}

/// Some answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Answers(pub(crate) Vec<Answer>);

/// Body that the sender has of a file that the receiver wants, or has one to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Body {
    /// The file with this [`proof`] of its hash. If it is wanted, its bytes follow, as many as were offered.
    Whole([u8; 32]),
    /// The file cannot be read, or is another one now.
    Changed,
}

/// Fate of a file of a batch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Verdict {
    /// The file is there, under its name, with this hash.
    Done([u8; 32]),
    /// Another file of this name is there, which may be replaced: this one has to come by itself.
    Alone,
    /// The file is not there.
    No(Refusal),
}

/// Some verdicts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Verdicts(pub(crate) Vec<Verdict>);

/// Message in which the sender begins a file that has a stream for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Start {
    /// The bytes start here.
    From(u64),
    /// The sender has a file with this [`proof`] of its hash; is it the one that the receiver has?
    Same([u8; 32]),
}

/// Shows that a side knows the hash of a file to one that knows it too, and tells nobody else what it is.
pub(crate) fn proof(hash: &blake3::Hash) -> [u8; 32] {
    blake3::derive_key("skywave 2 proof of a file", hash.as_bytes())
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
    /// The file had so many bytes, and this is the [`proof`] of their hash.
    Whole { size: u64, proof: [u8; 32] },
    /// The file changed while it was read: what was sent is worth nothing.
    Changed,
}

/// Reply of the receiver about a file that has a stream for itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Reply {
    /// Progress while the receiver reads the part of the file that it already has: bytes read so far.
    Reading(u64),
    /// The receiver has the first bytes of the file, with this hash.
    Have { bytes: u64, hash: [u8; 32] },
    /// The receiver has a file of this name and size.
    Compare,
    /// So many bytes are written.
    Written(u64),
    /// The file is there, under its name, with this hash.
    Done([u8; 32]),
    /// The file is not there, and will not be.
    No(Refusal),
}

/// Reason why a receiver does not take a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum Refusal {
    /// Forbidden path: it leads out of the receiver's folder, has more than 4096 bytes or 64 names, or a name
    /// that [`is_plain`](crate::name::is_plain) refuses.
    #[error("the receiver takes no file of this name")]
    Path,
    /// Hidden file: a name in its path begins with a dot, and the receiver's folder takes no such files.
    #[error("the receiver takes no hidden files (it would with --dotfiles)")]
    Hidden,
    /// Presence of something else under this name, which may not be replaced: a file with other contents, or no file.
    /// After three wrong claims to have a file of this name, the receiver says so without a look at its contents.
    #[error(
        "the receiver has a file of this name with other contents (it would take this one with --overwrite)"
    )]
    Exists,
    /// Reception of the same file over another connection at this time, or too many open files at the receiver, for a
    /// minute.
    #[error("the receiver is receiving the same file over another connection")]
    Busy,
    /// Lack of space on the receiver's disk: the bytes that are free there, less a reserve (16 MiB, or a twentieth of a
    /// small disk) and what other transfers are going to write.
    #[error("the receiver has no room: {0} bytes are free")]
    Space(u64),
    /// Lack of room in the receiver's quota: the bytes that it leaves.
    #[error("the receiver takes no more: its quota leaves {0} bytes")]
    Quota(u64),
    /// Lack of places in the receiver's quota: the number of files and folders that it allows.
    #[error("the receiver takes no more: its quota allows {0} files and folders")]
    Entries(u64),
    /// Failure of the receiver's file system, in words.
    #[error("the receiver cannot write it: {0}")]
    Io(String),
    /// Contents at the receiver that are not those of the file, as when something else changed it there, or a program
    /// has read other bytes already.
    #[error("what is on the receiver's disk is not what was sent: the file was changed there")]
    Contents,
    /// Giving up of the file by its sender, to which the receiver answers with this: the file changed while it was
    /// sent, or cannot be read any more.
    #[error("the sender gave the file up: it changed while it was sent, or cannot be read")]
    Changed,
    /// Folder, or second file, for a receiver that takes one file only ([`Target::Output`](crate::Target::Output)): the
    /// first that is offered.
    #[error("the receiver takes one file only")]
    One,
}

impl Refusal {
    /// An error of the file system.
    pub(crate) fn io(error: &std::io::Error) -> Self {
        Self::Io(error.to_string().chars().take(MAX_TEXT).collect())
    }

    /// An error of the file system when a file is given its name.
    pub(crate) fn unnamed(error: &std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::AlreadyExists => Self::Exists,
            _ => Self::io(error),
        }
    }

    /// As it may be shown: the text is the peer's.
    pub(crate) fn clean(self) -> Self {
        match self {
            Self::Io(text) => Self::Io(shown(&text)),
            other => other,
        }
    }
}

/// A message that is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the peer does not speak this protocol")]
pub(crate) struct Nonsense;

/// A kind of message: checked beyond its form.
pub(crate) trait Message: Serialize + for<'a> Deserialize<'a> {
    /// Longest one, in bytes.
    const MAX: usize = MAX_MESSAGE;

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
impl Message for Body {}

impl Message for Answers {
    const MAX: usize = MAX_BATCH;

    fn is_sound(&self) -> bool {
        self.0.len() <= MAX_ANSWERS
    }
}

impl Message for Verdicts {
    const MAX: usize = MAX_BATCH;

    fn is_sound(&self) -> bool {
        self.0.len() <= MAX_ANSWERS
    }
}

impl Message for Request {
    fn is_sound(&self) -> bool {
        match self {
            Self::Push(_) => true,
            Self::Pull(names) => names.len() <= MAX_NAMES,
        }
    }
}

impl Offer {
    fn is_sound(&self) -> bool {
        self.path.len() <= MAX_PATH
            && self.folders.len() <= MAX_DEPTH
            && self.modified.nanoseconds < 1_000_000_000
    }
}

impl Message for Open {
    const MAX: usize = MAX_BATCH;

    fn is_sound(&self) -> bool {
        match self {
            Self::File(offer) => offer.is_sound(),
            Self::Batch(offers) => offers.len() <= MAX_FILES && offers.iter().all(Offer::is_sound),
        }
    }
}

/// Bytes of a message, without the length.
pub(crate) fn encode<M: Message>(message: &M) -> Result<Vec<u8>, Nonsense> {
    let bytes = postcard::to_allocvec(message).map_err(|_| Nonsense)?;
    if bytes.len() > M::MAX {
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
            path: b"a/b".to_vec(),
            kind: Kind::File,
            size: Some(300),
            modified,
            mode: 0o644,
            folders: vec![0o755],
        }
    }

    /// Hosts of other versions read these bytes.
    #[test]
    fn the_bytes_of_an_offer_stay_as_they_are() {
        let bytes = encode(&Open::Batch(vec![offer()])).unwrap();
        let expected = [
            1, 1, 3, b'a', b'/', b'b', 0, 1, 0xac, 2, 1, 5, 0xa4, 3, 1, 0xed, 3,
        ];
        assert_eq!(bytes, expected);
        assert_eq!(decode(&bytes), Ok(Open::Batch(vec![offer()])));
        let no = encode(&Reply::No(Refusal::Quota(1))).unwrap();
        assert_eq!(no, [5, 5, 1]);
    }

    #[test]
    fn what_is_too_long_is_no_message() {
        let path = vec![b'a'; MAX_PATH + 1];
        let bytes = encode(&Open::File(Offer { path, ..offer() })).unwrap();
        assert_eq!(decode::<Open>(&bytes), Err(Nonsense));
        let bytes = encode(&Open::Batch(vec![offer(); MAX_FILES + 1])).unwrap();
        assert_eq!(decode::<Open>(&bytes), Err(Nonsense));
        let bytes = encode(&Answers(vec![Answer::Want; MAX_ANSWERS + 1])).unwrap();
        assert_eq!(decode::<Answers>(&bytes), Err(Nonsense));
        let bytes = encode(&Request::Pull(vec![String::new(); MAX_NAMES + 1])).unwrap();
        assert_eq!(decode::<Request>(&bytes), Err(Nonsense));
        let mut bytes = encode(&Open::File(offer())).unwrap();
        bytes.push(0);
        assert_eq!(decode::<Open>(&bytes), Err(Nonsense));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_harm(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            crate::rules::messages(&bytes);
        }
    }
}
