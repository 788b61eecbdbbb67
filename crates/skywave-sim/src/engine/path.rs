//! The way of a flow's packets.

use skywave_core::packet::{Body, Packet};

/// Which way a packet of a flow goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// From the data sender.
    Forward,
    /// From the data receiver.
    Reverse,
}

impl Direction {
    pub(crate) fn of(packet: &Packet) -> Self {
        match packet.body {
            Body::TcpAck(_) => Self::Reverse,
            Body::TcpData(_) | Body::Udp(_) => Self::Forward,
        }
    }
}

/// The links from a flow's sender to its receiver and back.
#[derive(Debug)]
pub(crate) struct Path {
    pub(crate) forward: Vec<u32>,
    pub(crate) reverse: Vec<u32>,
}

impl Path {
    /// The links that a packet takes in this direction, in order.
    pub(crate) fn links(&self, direction: Direction) -> &[u32] {
        match direction {
            Direction::Forward => &self.forward,
            Direction::Reverse => &self.reverse,
        }
    }
}
