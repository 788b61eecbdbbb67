//! Acknowledgements that wait for somebody else, and windows that are shut although there is room: what a
//! proxy needs that speaks for another host.
//!
//! M-TCP's policy needs three things of a connection that others do not: acknowledgements that wait, a window
//! that is shut although there is room, and a sender that stands still while its window is shut (`freeze.rs`).

use super::Connection;
use crate::packet::{Options, Segment};
use crate::seq::SeqNr;

/// Acknowledgements and window withheld from the peer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hold {
    /// Nothing beyond this position of the peer's stream is acknowledged.
    until: u64,
    /// Duplicate acknowledgements that wait until everything before them is acknowledged.
    dupacks: u32,
    /// The window that is told is zero.
    shut: bool,
}

impl Default for Hold {
    fn default() -> Self {
        Self {
            until: u64::MAX,
            dupacks: 0,
            shut: false,
        }
    }
}

impl Connection {
    /// Acknowledges no more than the first `bytes` of the peer's payload, whatever arrives from now on. What came
    /// before is still acknowledged as far as the limit until now allowed. The peer's FIN counts as one byte after its
    /// payload; [`u64::MAX`] is no limit. Raising the limit sends at once the acknowledgement that it allows.
    pub fn hold_acks(&mut self, bytes: u64) {
        let next = self.receiver.next();
        let until = bytes.saturating_add(1);
        let told = self.hold.until.min(next);
        self.hold.until = until.max(told); // an acknowledgement is not taken back
        if self.hold.until.min(next) > told {
            self.owed.ack = true;
        }
    }

    /// Advertises a window of zero to the peer, however much of the buffer is free, until called with false. Data that
    /// the peer has sent into the old window is still taken. Does nothing before the handshake is over.
    pub fn shut_window(&mut self, shut: bool) {
        if self.hold.shut != shut && self.state.is_synchronized() {
            self.hold.shut = shut;
            self.owed.ack = true;
        }
    }

    /// Whether the acknowledgement that the receiving half wants to send has to wait. A duplicate says
    /// that what is missing stands at its number; before that number is acknowledged itself, it would
    /// say so of another segment. So it goes out when that has happened.
    pub(super) fn keeps_ack(&mut self) -> bool {
        let keeps = self.hold.until < self.receiver.next();
        if keeps && self.receiver.has_news() {
            self.hold.dupacks += 1;
        }
        keeps
    }

    /// Whether a duplicate acknowledgement that had to wait is due.
    pub(super) fn poll_held_dupack(&mut self) -> bool {
        if self.hold.dupacks == 0 || self.hold.until < self.receiver.next() {
            return false;
        }
        if !self.receiver.has_news() {
            self.hold.dupacks = 0; // what was missing has come
            return false;
        }
        self.hold.dupacks -= 1;
        true
    }

    /// Takes from an acknowledgement what is not to be told, after its window was granted.
    pub(super) fn hold_back(&self, segment: &mut Segment) {
        let next = self.receiver.next();
        if self.hold.until < next {
            segment.ack = SeqNr::at(self.receiver.irs(), self.hold.until);
            segment.window += (next - self.hold.until) as u32;
            if !segment.sack().is_empty() {
                segment.options = Options::None;
            }
        }
        if self.hold.shut {
            segment.window = 0;
        }
    }
}
