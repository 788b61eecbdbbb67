//! Sums over an endpoint's connections.

use std::ops::{Add, AddAssign};

use super::socket::Socket;

/// Sums of the counters of an endpoint's TCP connections, those that are gone included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Totals {
    /// Connections of the endpoint that were established.
    pub connections: u64,
    /// Payload bytes that peers have acknowledged, on all connections of the endpoint.
    pub bytes: u64,
    /// Segments sent with data, a SYN or a FIN on all connections of the endpoint, retransmissions included; pure ACKs
    /// and resets are not counted.
    pub segments: u64,
    /// Segments retransmitted on all connections of the endpoint.
    pub retransmissions: u64,
    /// Expiries of the retransmission timers of all connections of the endpoint.
    pub timeouts: u64,
}

impl Totals {
    pub(super) fn of(socket: &Socket) -> Self {
        let counters = socket.connection.sender().counters();
        Self {
            connections: u64::from(socket.connected),
            bytes: socket.connection.acknowledged(),
            segments: counters.sent,
            retransmissions: counters.retransmits,
            timeouts: counters.timeouts,
        }
    }
}

impl Add for Totals {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            connections: self.connections + other.connections,
            bytes: self.bytes + other.bytes,
            segments: self.segments + other.segments,
            retransmissions: self.retransmissions + other.retransmissions,
            timeouts: self.timeouts + other.timeouts,
        }
    }
}

impl AddAssign for Totals {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}
