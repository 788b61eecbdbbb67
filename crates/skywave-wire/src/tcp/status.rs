//! A connection as its application sees it.

/// Everything that an application can know of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// Whether the handshake has been completed; it stays true.
    pub connected: bool,
    /// Bytes that can be read now.
    pub readable: usize,
    /// Bytes that can be written now; none after [`Endpoint::close`](super::Endpoint::close).
    pub room: usize,
    /// The peer has sent all that it will send; what of it was not read yet is counted by `readable`.
    pub peer_closed: bool,
    /// Closed by this end, which sends no more than what was written.
    pub closed: bool,
    /// How the connection ended; `None` if it has not.
    pub ended: Option<Ending>,
}

/// How a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Both sides have closed, or this one has aborted it.
    Closed,
    /// The peer answered the handshake with a reset.
    Refused,
    /// The peer has reset it.
    Reset,
    /// The peer does not answer.
    TimedOut,
    /// A router says that the peer cannot be reached.
    Unreachable,
}
