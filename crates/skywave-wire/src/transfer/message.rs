//! Messages of the two sides before and after the bytes of the file.
//!
//! The sender offers, the receiver answers, the sender says from where it starts and sends the bytes, the
//! receiver gives its verdict. Numbers are big-endian.

use std::fmt;
use std::time::Duration;

use crate::name::{MAX_NAME, shown};
use crate::node::{self, Stream};

/// A BLAKE3 hash.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Hash(pub [u8; 32]);

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl From<blake3::Hash> for Hash {
    fn from(hash: blake3::Hash) -> Self {
        Self(*hash.as_bytes())
    }
}

/// The first bytes of an offer, with the version last.
const MAGIC: [u8; 4] = *b"SKF\x01";
/// Longest explanation of an error.
const MAX_TEXT: usize = 500;

/// Why a receiver does not take a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The name is not that of a file in a folder.
    #[error("the receiver does not take a file of this name")]
    Name,
    /// There is a file of this name with other contents.
    #[error("the receiver has a file of this name with other contents")]
    Exists,
    /// Another transfer of the same contents is under way.
    #[error("the receiver is receiving the same contents from another sender")]
    Busy,
    /// The receiver's file system failed.
    #[error("the receiver cannot write the file: {0}")]
    Io(String),
    /// The bytes received are not those that were offered: the file changed while it was sent.
    #[error("the contents are not those that were offered: the file has changed meanwhile")]
    Contents,
}

/// The file that is offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Offer {
    pub(super) name: String,
    pub(super) size: u64,
    pub(super) hash: Hash,
}

/// The receiver's answer to an offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// These first bytes are there, with this hash.
    Have {
        bytes: u64,
        hash: Hash,
    },
    /// All of it is there, under its name.
    Complete,
    No(Refused),
}

/// Why a message of the peer was not read.
#[derive(Debug, thiserror::Error)]
pub(super) enum Misheard {
    #[error(transparent)]
    Node(#[from] node::Error),
    #[error("the peer does not speak this protocol")]
    Nonsense,
    #[error("given up")]
    Stopped,
}

/// Whether to go on, asked while waiting.
pub(super) type GoOn<'a> = &'a mut dyn FnMut() -> bool;

/// A message under way.
#[derive(Default)]
pub(super) struct Writer(Vec<u8>);

impl Writer {
    fn text(mut self, text: &str) -> Self {
        let mut end = text.len().min(MAX_TEXT);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        self.0.extend_from_slice(&(end as u16).to_be_bytes());
        self.0.extend_from_slice(&text.as_bytes()[..end]);
        self
    }

    fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.extend_from_slice(bytes);
        self
    }

    /// Its length in bytes.
    pub(super) fn len(&self) -> u64 {
        self.0.len() as u64
    }

    /// Sends it.
    pub(super) fn send(self, stream: &Stream, go_on: GoOn<'_>) -> Result<(), Misheard> {
        send_all(stream, &self.0, go_on)
    }
}

impl Offer {
    pub(super) fn write(&self) -> Writer {
        Writer::default()
            .bytes(&MAGIC)
            .text(&self.name)
            .bytes(&self.size.to_be_bytes())
            .bytes(&self.hash.0)
    }

    pub(super) fn read(stream: &Stream, go_on: GoOn<'_>) -> Result<Self, Misheard> {
        if read::<4>(stream, go_on)? != MAGIC {
            return Err(Misheard::Nonsense);
        }
        Ok(Self {
            name: text(stream, MAX_NAME, go_on)?,
            size: u64::from_be_bytes(read(stream, go_on)?),
            hash: Hash(read(stream, go_on)?),
        })
    }
}

impl Answer {
    pub(super) fn write(&self) -> Writer {
        let kind = |kind: u8| Writer::default().bytes(&[kind]);
        match self {
            Self::Have { bytes, hash } => kind(0).bytes(&bytes.to_be_bytes()).bytes(&hash.0),
            Self::Complete => kind(1),
            Self::No(Refused::Name) => kind(2),
            Self::No(Refused::Exists) => kind(3),
            Self::No(Refused::Busy) => kind(4),
            Self::No(Refused::Io(why)) => kind(5).text(why),
            Self::No(Refused::Contents) => kind(6),
        }
    }

    pub(super) fn read(stream: &Stream, go_on: GoOn<'_>) -> Result<Self, Misheard> {
        let [kind] = read(stream, go_on)?;
        Ok(match kind {
            0 => Self::Have {
                bytes: u64::from_be_bytes(read(stream, go_on)?),
                hash: Hash(read(stream, go_on)?),
            },
            1 => Self::Complete,
            2 => Self::No(Refused::Name),
            3 => Self::No(Refused::Exists),
            4 => Self::No(Refused::Busy),
            5 => Self::No(Refused::Io(shown(&text(stream, MAX_TEXT, go_on)?))),
            6 => Self::No(Refused::Contents),
            _ => return Err(Misheard::Nonsense),
        })
    }
}

/// From where the sender starts.
pub(super) fn start(from: u64) -> Writer {
    Writer::default().bytes(&from.to_be_bytes())
}

/// Reads from where the sender starts.
pub(super) fn read_start(stream: &Stream, go_on: GoOn<'_>) -> Result<u64, Misheard> {
    Ok(u64::from_be_bytes(read(stream, go_on)?))
}

/// Sends all of it.
pub(super) fn send_all(stream: &Stream, mut bytes: &[u8], go_on: GoOn<'_>) -> Result<(), Misheard> {
    while !bytes.is_empty() {
        let sent = stream.send(bytes, super::TICK)?;
        bytes = &bytes[sent.unwrap_or(0)..];
        if !go_on() {
            return Err(Misheard::Stopped);
        }
    }
    Ok(())
}

/// Reads what has come; 0 at the end.
pub(super) fn receive(stream: &Stream, out: &mut [u8], go_on: GoOn<'_>) -> Result<usize, Misheard> {
    loop {
        let received = stream.receive(out, super::TICK)?;
        if !go_on() {
            return Err(Misheard::Stopped);
        }
        if let Some(n) = received {
            return Ok(n);
        }
    }
}

fn read<const N: usize>(stream: &Stream, go_on: GoOn<'_>) -> Result<[u8; N], Misheard> {
    let mut bytes = [0; N];
    fill(stream, &mut bytes, go_on)?;
    Ok(bytes)
}

fn text(stream: &Stream, longest: usize, go_on: GoOn<'_>) -> Result<String, Misheard> {
    let len = usize::from(u16::from_be_bytes(read(stream, go_on)?));
    if len > longest {
        return Err(Misheard::Nonsense);
    }
    let mut bytes = vec![0; len];
    fill(stream, &mut bytes, go_on)?;
    String::from_utf8(bytes).map_err(|_| Misheard::Nonsense)
}

fn fill(stream: &Stream, bytes: &mut [u8], go_on: GoOn<'_>) -> Result<(), Misheard> {
    let mut filled = 0;
    while filled < bytes.len() {
        match receive(stream, &mut bytes[filled..], go_on)? {
            0 => return Err(Misheard::Nonsense),
            n => filled += n,
        }
    }
    Ok(())
}

/// Waits until the peer has everything.
pub(super) fn finish(
    stream: &Stream,
    patience: Duration,
    go_on: GoOn<'_>,
) -> Result<bool, Misheard> {
    let mut left = patience;
    while !stream.finish(super::TICK.min(left))? {
        if !go_on() {
            return Err(Misheard::Stopped);
        }
        left = left.saturating_sub(super::TICK);
        if left.is_zero() {
            return Ok(false);
        }
    }
    Ok(true)
}
