//! Why transfers do not happen.

use std::io;
use std::net::SocketAddr;

use noq::{ConnectionError, ReadError, WriteError};

use crate::wire::close::{Close, is_refused_key};
use crate::wire::message::{Nonsense, Refusal};

/// Why the receiver does not have a file, or why something was not sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// The receiver does not take it.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The file changed while it was sent.
    #[error("the file changed while it was sent: nothing of it is kept")]
    Changed,
    /// The sender has given the file up: it changed, or cannot be read.
    #[error("the sender did not send it to the end: nothing of it is kept")]
    GivenUp,
    /// The receiver claims to have the file, but cannot show that it does: the hash that it gives is another
    /// one.
    #[error("the receiver does not show that it has this file")]
    NotShown,
    /// The sender cannot read the file, for this reason.
    #[error("{0}")]
    Source(String),
    /// A path that is neither a file nor a folder.
    #[error("neither a file nor a folder (symbolic links are not followed)")]
    Special,
    /// The connection broke; what has come is kept.
    #[error("the connection broke; what has come is kept")]
    Broken,
}

impl Why {
    /// The reason as the receiver itself tells it: it knows that the sender has given the file up, and not why.
    pub(crate) fn at_receiver(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Changed => Self::GivenUp,
            other => Self::Refused(other),
        }
    }
}

impl From<io::Error> for Why {
    fn from(error: io::Error) -> Self {
        Self::Source(error.to_string())
    }
}

/// Where nobody refuses packets, and nobody answers them.
const SILENCE: &str = "is the peer listening there? Its UDP port has to be open in all firewalls, for packets of \
    1228 bytes at least (IPv6: 1248)";

/// Why sending, receiving or offering has ended before all was done; a single file's reason is a [`Why`].
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A socket could not be opened.
    #[error("cannot open a socket at {0}: {1}")]
    Bind(SocketAddr, io::Error),
    /// Nobody answered at this name or address within [`Dial::wait`](crate::Dial::wait), and why, as far as
    /// the system said.
    #[error("no answer from {0}: {why}", why = .1.as_deref().unwrap_or(SILENCE))]
    NoAnswer(String, Option<String>),
    /// No progress for longer than [`Dial::patience`](crate::Dial::patience), after the peer had answered.
    #[error("no progress for too long; the same command goes on from there")]
    Away,
    /// The peer has another key than the one that is expected.
    #[error("the host at this address has another key than the one that is expected")]
    OtherKey,
    /// The peer does not allow this host's key, and takes no code.
    #[error("the peer does not allow this host's key, nor takes a code")]
    NotAllowed,
    /// The code is wrong.
    #[error("{}", Close::WrongCode.words())]
    WrongCode,
    /// The peer wants a code.
    #[error("{}", Close::WantsCode.words())]
    WantsCode,
    /// The peer takes no such code, or does not any more: another host came by it, or it was guessed at.
    #[error("{}", Close::NoCode.words())]
    NoCode,
    /// Three wrong codes were tried at this host, whose code is not good any more.
    #[error("three wrong codes: this code is not good any more")]
    Guessed,
    /// Both sides send, or both get.
    #[error("{}", Close::Direction.words())]
    Direction,
    /// The peer offers nothing under the names that were asked for.
    #[error("{}", Close::NoSuchFile.words())]
    NoSuchFile,
    /// The peer does not speak this protocol.
    #[error("{}", Close::Nonsense.words())]
    Nonsense,
    /// Nobody reads any more what the peer receives.
    #[error("{}", Close::Output.words())]
    Unread,
    /// The receiving host cannot write any more what comes.
    #[error("cannot write what is received: {0}")]
    Output(io::Error),
    /// A folder cannot be used.
    #[error("{0}")]
    Folder(io::Error),
    /// Unexpected failure of the system or of TLS, in its words.
    #[error("{0}")]
    System(String),
}

/// Why a connection or a stream of it ended.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Broken {
    /// The connection is lost; another one may do.
    #[error("{}", Close::of(.0).map_or_else(|| .0.to_string(), |close| close.words().into()))]
    Connection(ConnectionError),
    #[error("the peer has ended a transfer")]
    Stream,
    #[error("{}", Close::Nonsense.words())]
    Nonsense,
    #[error("the peer said nothing for too long")]
    Late,
    /// The same host does the same.
    #[error("{}", Close::Replaced.words())]
    Replaced,
}

impl Broken {
    /// Error that ends the whole work; none if another connection may do.
    pub(crate) fn fatal(&self) -> Option<Error> {
        let error = match self {
            Self::Connection(error) => error,
            Self::Nonsense => return Some(Error::Nonsense),
            Self::Stream | Self::Late | Self::Replaced => return None,
        };
        if is_refused_key(error) {
            let ours = matches!(error, ConnectionError::TransportError(_));
            return Some(if ours {
                Error::OtherKey
            } else {
                Error::NotAllowed
            });
        }
        match Close::of(error)? {
            Close::WrongCode => Some(Error::WrongCode),
            Close::WantsCode => Some(Error::WantsCode),
            Close::NoCode => Some(Error::NoCode),
            Close::Direction => Some(Error::Direction),
            Close::NoSuchFile => Some(Error::NoSuchFile),
            Close::Output => Some(Error::Unread),
            Close::Nonsense => Some(Error::Nonsense),
            Close::Gone | Close::Done | Close::Full | Close::Late | Close::Replaced => None,
        }
    }
}

impl From<Nonsense> for Broken {
    fn from(_: Nonsense) -> Self {
        Self::Nonsense
    }
}

impl From<ConnectionError> for Broken {
    fn from(error: ConnectionError) -> Self {
        Self::Connection(error)
    }
}

impl From<ReadError> for Broken {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::ConnectionLost(error) => Self::Connection(error),
            _ => Self::Stream,
        }
    }
}

impl From<WriteError> for Broken {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::ConnectionLost(error) => Self::Connection(error),
            _ => Self::Stream,
        }
    }
}
