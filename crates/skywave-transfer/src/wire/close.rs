//! Why a side closes the connection, as the other side learns it.

use noq::{Connection, ConnectionError, VarInt};

/// The reason, as a number of QUIC's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Close {
    /// The side has ended without a word, as QUIC itself closes connections; it may be started again.
    Gone = 0,
    /// All is done.
    Done = 1,
    /// The side has enough connections.
    Full = 2,
    /// The code is another one.
    WrongCode = 3,
    /// A code is wanted: the key is not allowed.
    WantsCode = 4,
    /// The side that listens sends files, too, or gets them, too.
    Direction = 5,
    /// Nothing is offered under a name that was asked for.
    NoSuchFile = 6,
    /// The side waited for too long.
    Late = 7,
    /// The side did not understand.
    Nonsense = 8,
    /// A newer connection of the same host has taken its place.
    Replaced = 9,
    /// The side that listens knows no code, or none that is good for this host.
    NoCode = 10,
    /// Nobody reads what the side receives.
    Output = 11,
    /// The side that connected has ended before all was done: the work does not go on, unless it is begun again.
    Ended = 12,
    /// The side that listens has ended after as many files as it was told to.
    Counted = 13,
}

const ALL: [Close; 14] = [
    Close::Gone,
    Close::Done,
    Close::Full,
    Close::WrongCode,
    Close::WantsCode,
    Close::Direction,
    Close::NoSuchFile,
    Close::Late,
    Close::Nonsense,
    Close::Replaced,
    Close::NoCode,
    Close::Output,
    Close::Ended,
    Close::Counted,
];

impl Close {
    /// Number of the reason, as QUIC's error code.
    pub(crate) fn code(self) -> VarInt {
        VarInt::from_u32(self as u32)
    }

    /// Words to tell of a peer that gave this reason.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Gone | Self::Ended => "the peer has stopped",
            Self::Done => "the peer has done all",
            Self::Full => "the peer has enough connections",
            Self::WrongCode => "the peer has another code",
            Self::WantsCode => "the peer wants a code, not a key",
            Self::Direction => {
                "the peer does the same: one side has to send, the other one to receive"
            }
            Self::NoSuchFile => "the peer does not offer what was asked for",
            Self::Late => "the peer has waited for too long",
            Self::Output => "nobody reads any more what the peer receives",
            Self::Counted => {
                "the peer has ended after as many files as it was told to (its option --count)"
            }
            Self::Nonsense => "the peer does not speak this protocol",
            Self::Replaced => "a newer connection took its place",
            Self::NoCode => {
                "the peer takes no such code (any more): another host came by it, it was guessed at, or all is done"
            }
        }
    }

    /// Closes the connection for this reason.
    pub(crate) fn close(self, connection: &Connection) {
        connection.close(self.code(), b"");
    }

    /// The reason that the peer gave, if it is why the connection ended.
    pub(crate) fn of(error: &ConnectionError) -> Option<Self> {
        let ConnectionError::ApplicationClosed(closed) = error else {
            return None;
        };
        ALL.into_iter()
            .find(|reason| reason.code() == closed.error_code)
    }
}

/// Whether the peer's TLS refused this host's key, or this host's refused the peer's.
pub(crate) fn is_refused_key(error: &ConnectionError) -> bool {
    // RFC 9001 section 4.8: 0x100 and the alert, of which RFC 8446 section 6 has the numbers.
    let refusal = |code: u64| matches!(code.checked_sub(0x100), Some(42..=49 | 116));
    match error {
        ConnectionError::ConnectionClosed(closed) => refusal(u64::from(closed.error_code)),
        ConnectionError::TransportError(error) => refusal(u64::from(error.code)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use noq::ApplicationClose;

    use super::*;
    use crate::error::Broken;

    #[test]
    fn a_peer_that_closes_is_told_of_in_words() {
        let closed = |error_code| {
            let reason = bytes::Bytes::new();
            let close = ApplicationClose { error_code, reason };
            Broken::from(ConnectionError::ApplicationClosed(close)).to_string()
        };
        assert_eq!(closed(Close::Gone.code()), "the peer has stopped");
        assert_eq!(
            closed(Close::Full.code()),
            "the peer has enough connections"
        );
        assert_eq!(closed(VarInt::from_u32(77)), "closed by peer: 77");
    }
}
