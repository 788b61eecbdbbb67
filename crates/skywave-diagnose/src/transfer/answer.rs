//! One acknowledgement, as far as it tells of the way back.

/// Acknowledgement of a transfer's data, with the timestamp of the host that sent it (RFC 7323).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Arrival of the acknowledgement, microseconds from the connection's first packet.
    pub at_us: u64,
    /// Timestamp (TSval) of the host that acknowledged, in ticks of its own clock.
    pub stamp: u32,
    /// Bytes of the acknowledgement from the IP header on.
    pub bytes: u16,
}
