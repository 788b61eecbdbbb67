//! Why transfers do not happen.

use std::io;
use std::net::SocketAddr;

use noq::{ConnectionError, ReadError, WriteError};

use crate::wire::close::{Close, is_refused_key};
use crate::wire::message::{GIVEN_UP, Nonsense, Refusal};

/// Reason why the receiver does not have a file, or why something was not sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// Refusal of the file by the receiver, with its reason.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Change of the file at the sender after [`list`](crate::list) found it, before or while it was sent.
    #[error("the file changed while it was sent: nothing of it is kept")]
    Changed,
    /// Giving up of the file by the sender while it was sent, as the receiver sees it: the file changed, or cannot be
    /// read.
    #[error("the sender gave it up: the file changed while it was sent, or cannot be read")]
    GivenUp,
    /// End of the sender before that of the pipe that it sent. What had come out of it is removed: it cannot be sent again.
    #[error("the sender ended before its pipe did; what had come of it is removed")]
    PipeOver,
    /// Lack of the file or folder at the other side, which was asked for it and for others.
    #[error("the other side does not offer it")]
    NotOffered,
    /// False claim of the receiver to have the file already: the hash that it gives is another one.
    #[error("the receiver does not show that it has this file")]
    NotShown,
    /// Failure of the sender to read the file, or a name that no receiver takes, in words.
    #[error("{0}")]
    Source(String),
    /// Something that is neither a file nor a folder, such as a device, or a symbolic link in a folder.
    #[error("neither a file nor a folder (symbolic links are not followed)")]
    Special,
    /// Break of the connection, or of the file's transfer alone: a newer attempt has taken its place. What has come is
    /// kept for the next attempt.
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

/// Reason why [`send`](crate::send), [`get`](crate::get), [`receive`](crate::receive) or [`offer`](crate::offer) ended
/// before all was done; a single file's reason is a [`Why`].
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Failure to open a UDP socket at this address.
    #[error("cannot open a socket at {0}: {1}")]
    Bind(SocketAddr, io::Error),
    /// Name or address at which nobody answered within [`Dial::wait`](crate::Dial::wait), and the reason, if the system
    /// gave one.
    #[error("no answer from {0}: {why}", why = .1.as_deref().unwrap_or(SILENCE))]
    NoAnswer(String, Option<String>),
    /// Lack of progress for longer than [`Dial::patience`](crate::Dial::patience), after the peer had answered.
    #[error("no progress for too long; the same command goes on from there")]
    Away,
    /// Mismatch of the peer's key with the one that is expected ([`Proof::Key`](crate::Proof::Key)).
    #[error("the host at this address has another key than the one that is expected")]
    OtherKey,
    /// Refusal by the peer, which does not allow this host's key and takes no code.
    #[error("the peer does not allow this host's key, nor takes a code")]
    NotAllowed,
    /// Wrong code: the two sides do not know the same one, as either has found.
    #[error("{}", Close::WrongCode.words())]
    WrongCode,
    /// Demand of the peer for a code of one use, as the command prints one there to be passed on: it does not allow this
    /// host's key.
    #[error("{}", Close::WantsCode.words())]
    WantsCode,
    /// Refusal of the code by the peer: it takes none, or another host has used it, or it was guessed at too often, or
    /// the transfers under it are done.
    #[error("{}", Close::NoCode.words())]
    NoCode,
    /// End of listening, as three wrong codes were tried at this host and nobody else may connect.
    #[error("three wrong codes: this code is not good any more")]
    Guessed,
    /// Mismatch of the two sides: both send, or both receive.
    #[error("{}", Close::Direction.words())]
    Direction,
    /// Request for names of which the peer offers none.
    #[error("{}", Close::NoSuchFile.words())]
    NoSuchFile,
    /// End of the peer, which listened, after [`Listen::count`](crate::Listen::count) files, before all were there.
    #[error("{}", Close::Counted.words())]
    Counted,
    /// Messages from the peer that are none of this protocol.
    #[error("{}", Close::Nonsense.words())]
    Nonsense,
    /// End of the program at the peer that reads what is received there ([`Target::Output`](crate::Target::Output)).
    #[error("{}", Close::Output.words())]
    Unread,
    /// Failure to write what is received at this host into [`Target::Output`](crate::Target::Output).
    #[error("cannot write what is received: {0}")]
    Output(io::Error),
    /// Failure to use the folder for received files.
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
    #[error("the peer has given a file up")]
    GivenUp,
    #[error("the peer has ended, and its pipe with it")]
    PipeOver,
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
            Self::Stream | Self::Late | Self::GivenUp | Self::PipeOver | Self::Replaced => {
                return None;
            }
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
            Close::Counted => Some(Error::Counted),
            Close::Nonsense => Some(Error::Nonsense),
            Close::Gone
            | Close::Done
            | Close::Ended
            | Close::Full
            | Close::Late
            | Close::Replaced => None,
        }
    }

    /// Whether the peer has ended its work, so that no other connection goes on with it.
    pub(crate) fn is_over(&self) -> bool {
        matches!(self, Self::Connection(error) if Close::of(error) == Some(Close::Ended))
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
            ReadError::Reset(code) if code == GIVEN_UP.into() => Self::GivenUp,
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
