//! The packets of which nothing is known yet.

use crate::ring::Ring;
use crate::time::Time;

/// A packet that was sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    /// Bytes sent on the connection before it.
    pub(super) start: u64,
    pub(super) bytes: u32,
    pub(super) at: Time,
    /// Neither acknowledged nor lost.
    outstanding: bool,
}

/// The packets from the oldest one in flight on, by their number.
#[derive(Clone, Debug, Default)]
pub(super) struct Packets {
    sent: Ring<Sent>,
    /// Bytes sent so far, and of these in flight.
    total: u64,
    in_flight: u64,
}

impl Packets {
    /// A packet leaves; returns its number.
    pub(super) fn push(&mut self, at: Time, bytes: u32) -> u64 {
        let number = self.sent.next_number();
        self.sent.push_back(Sent {
            start: self.total,
            bytes,
            at,
            outstanding: true,
        });
        self.total += u64::from(bytes);
        self.in_flight += u64::from(bytes);
        number
    }

    /// Something is known of a packet: it is no longer in flight. `None` if it was not.
    pub(super) fn take(&mut self, number: u64) -> Option<Sent> {
        let packet = self.sent.numbered_mut(number)?;
        if !std::mem::replace(&mut packet.outstanding, false) {
            return None;
        }
        let packet = *packet;
        self.in_flight -= u64::from(packet.bytes);
        while self.sent.front().is_some_and(|oldest| !oldest.outstanding) {
            self.sent.pop_front();
        }
        Some(packet)
    }

    /// Number of the oldest packet in flight; of the next packet if none is.
    pub(super) fn oldest(&self) -> u64 {
        self.sent.first_number()
    }

    /// Number of the next packet.
    pub(super) fn next(&self) -> u64 {
        self.sent.next_number()
    }

    /// Bytes sent before the oldest packet in flight.
    pub(super) fn known_below(&self) -> u64 {
        self.sent.front().map_or(self.total, |oldest| oldest.start)
    }

    /// Bytes sent so far.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// Bytes in flight.
    pub(super) fn in_flight(&self) -> u64 {
        self.in_flight
    }
}
