//! One acknowledgement, as far as it tells of the way back.

/// An acknowledgement with its sender's timestamp (RFC 7323).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// When it came, microseconds from the transfer's first packet.
    pub at_us: u32,
    /// Timestamp of the host that answered, in ticks of its own.
    pub stamp: u32,
    /// Bytes of the acknowledgement from the IP header on.
    pub bytes: u16,
}
