//! Outages that an end knows of: it sends nothing, and no timer makes it believe in congestion.
//!
//! Standing still is an option (`freezes`), because a zero window while data is in flight stops the timer in BSD
//! and not in Linux.

use super::Connection;
use crate::time::Time;

impl Connection {
    /// Holds the sending half still until [`Self::thaw`], because the path to the peer is cut: it sends
    /// nothing but probes, and its timers stop, so that its windows stay as they are. Does nothing before the
    /// handshake is over.
    pub fn freeze(&mut self) {
        if self.state.is_synchronized() {
            self.frozen = true;
            self.sender.stop_waiting();
        }
    }

    /// Ends a [`Self::freeze`], as the peer can be reached again: sends everything again that was in flight, at the old
    /// window. All of it was lost in the outage, which says nothing of congestion.
    pub fn thaw(&mut self, now: Time) {
        if std::mem::take(&mut self.frozen) {
            self.resumed = now;
            self.sender.send_all_again(now);
        }
    }

    /// When the peer's last segment with an acceptable acknowledgement came; those of the handshake do not count. Time
    /// zero before the first one.
    pub fn last_heard(&self) -> Time {
        self.last_heard
    }

    /// Tells a peer that was cut off that it can be reached again: by three acknowledgements, as many as a fast
    /// retransmit needs.
    pub fn announce(&mut self) {
        if self.state.is_synchronized() {
            self.owed.announcements = 3;
        }
    }

    /// Nothing of the stream may be sent, and no answer is awaited.
    pub(super) fn is_frozen(&self) -> bool {
        self.frozen || self.is_shut_out()
    }

    /// The peer's window is zero, and the sending half stands still for that.
    pub(super) fn is_shut_out(&self) -> bool {
        self.config.freezes && self.peer_window.is_shut()
    }

    /// The sending half has heard the peer's window.
    pub(super) fn follow_window(&mut self, now: Time) {
        if self.is_shut_out() {
            self.sender.stop_waiting();
        } else if self.config.freezes && self.sender.wait_again(now) {
            self.resumed = now;
        }
    }
}
