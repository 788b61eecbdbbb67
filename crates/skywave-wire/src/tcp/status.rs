//! A connection as its application sees it.

/// State of a TCP connection as its application sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// Whether the handshake was ever completed; true also after the connection has ended.
    pub connected: bool,
    /// Bytes that can be read now.
    pub readable: usize,
    /// Bytes that can be written now; 0 after [`Endpoint::close`](super::Endpoint::close).
    pub room: usize,
    /// Whether the peer has closed its stream and all of it has come; bytes of it may still be unread
    /// ([`Self::readable`]).
    pub peer_closed: bool,
    /// Whether this end has closed its stream: no more can be written.
    pub closed: bool,
    /// How the connection ended; `None` if it has not.
    pub ended: Option<Ending>,
}

/// Way in which a TCP connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Close by both sides, or abort by this one.
    Closed,
    /// Reset by the peer in answer to the handshake.
    Refused,
    /// Reset by the peer after the handshake.
    Reset,
    /// Timeout: the peer does not answer.
    TimedOut,
    /// Report of a router (ICMP) that the peer cannot be reached.
    Unreachable,
}
