//! The peer's window: which segment may change it, and how small a part of it is worth a segment.
//!
//! A window below a full segment is used when all data fits, when it is half of the largest one ever granted, or
//! when the persist timer has expired.

use super::Connection;
use super::options::SCALED_WINDOW;
use crate::packet::Segment;

/// The window that the peer grants.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PeerWindow {
    /// SND.WND, bytes.
    bytes: u32,
    /// Largest that the peer has ever granted.
    largest: u32,
    /// Positions of the segment that told of it: SND.WL1 in the peer's stream, SND.WL2 in this end's.
    told_by: (u64, u64),
    /// The persist timer has expired: even a small part is worth a segment.
    anything: bool,
}

impl PeerWindow {
    /// Largest that the peer has ever granted (MAX.SND.WND of RFC 5961 section 5).
    pub(super) fn largest(&self) -> u32 {
        self.largest
    }

    /// SND.WND, bytes.
    pub(super) fn bytes(&self) -> u32 {
        self.bytes
    }

    /// Whether the window is zero, and was larger before.
    pub(super) fn is_shut(&self) -> bool {
        self.bytes == 0 && self.largest > 0
    }

    /// A segment at position `seq` of the peer's stream acknowledges `ack`; `una` was acknowledged
    /// before. Returns the window from now on. An older segment than the last one does not change it
    /// (RFC 9293 section 3.10.7.4), unless it acknowledges more: then it is not older in what it says
    /// of this direction, although a retransmission carries it.
    pub(super) fn hear(&mut self, segment: &Segment, seq: u64, ack: u64, una: u64) -> u32 {
        if ack > una || (seq, ack) >= self.told_by {
            self.bytes = segment.window.min(SCALED_WINDOW);
            self.largest = self.largest.max(self.bytes);
            self.told_by = (seq, ack);
        }
        self.bytes
    }

    /// A segment was sent.
    pub(super) fn on_sent(&mut self) {
        self.anything = false;
    }
}

impl Connection {
    /// Lets the sending half use the peer's window, or not while that would make silly segments.
    pub(super) fn offer_peer_window(&mut self) {
        let window = &self.peer_window;
        let flight = self.sender.flight();
        let usable = (flight.una() + u64::from(window.bytes)).saturating_sub(flight.max());
        // RFC 9293 section 3.8.6.2.1: a full segment, or everything that there is, or half of the
        // largest window. The sending half cuts no segment that is small for another reason.
        let worthwhile = window.bytes >= self.tcp.mss
            || self.sender.unsent() <= usable
            || u64::from(window.bytes) * 2 >= u64::from(window.largest)
            || window.anything;
        let bytes = if worthwhile { window.bytes } else { 0 };
        self.sender.set_peer_window(u64::from(bytes));
    }

    /// Sends what it can into a window that is too small to be used otherwise.
    pub(super) fn use_small_window(&mut self) {
        self.peer_window.anything = true;
    }
}
