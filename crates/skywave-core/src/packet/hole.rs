//! A range of bytes that is missing, as two nodes on a path tell each other.

use super::UDP_HEADER_BYTES;
use crate::seq::SeqNr;

/// Bytes `start..end` of a flow's data that a node on the path misses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hole {
    /// First sequence number that is missing.
    pub start: SeqNr,
    /// First sequence number after the missing bytes.
    pub end: SeqNr,
}

impl Hole {
    /// Payload bytes of a UDP datagram that names a hole: the IPv4 addresses and ports of the connection, and the
    /// sequence numbers [`Self::start`] and [`Self::end`].
    pub const PAYLOAD_BYTES: u32 = 12 + 8;
    /// Bytes on the wire of a UDP datagram that names a hole, IPv4 and UDP headers included.
    pub const WIRE_BYTES: u32 = UDP_HEADER_BYTES + Self::PAYLOAD_BYTES;
}
