//! The receive window: room for what the application has not read, told without silly windows.
//!
//! The edge moves by a full segment or half the buffer; a separate segment announces it only when the peer gets
//! at least twice the room that it knows of.

use std::sync::Arc;

use super::options::UNSCALED_WINDOW;
use super::{Connection, Origin, State};

/// The window that this end grants, in positions of the peer's stream (its SYN is at 0).
#[derive(Clone, Copy, Debug)]
pub(super) struct ReceiveWindow {
    /// Right edge that the peer was told of, or the end of what came beyond it; it never moves back.
    edge: u64,
    /// Payload bytes that the application has read.
    read: u64,
    /// Largest window that is told, whatever room there is.
    limit: u32,
}

/// Bounds of a window's movement.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    /// RCV.NXT.
    next: u64,
    /// Bytes that the application may leave unread.
    buffer: u32,
    /// Largest window that a header can tell.
    largest: u32,
    /// Payload bytes of a full segment.
    mss: u32,
    /// The edge moves by any step.
    exact: bool,
}

impl ReceiveWindow {
    /// The window of a SYN, which is never scaled.
    pub(super) fn new(buffer: u32) -> Self {
        Self {
            edge: 1 + u64::from(buffer.min(UNSCALED_WINDOW)),
            read: 0,
            limit: u32::MAX,
        }
    }

    /// A fresh window for another connection, with the same limit.
    pub(super) fn anew(self, buffer: u32) -> Self {
        let new = Self::new(buffer);
        Self {
            edge: new.edge.min(1 + u64::from(self.limit)),
            limit: self.limit,
            ..new
        }
    }

    /// Everything below `next` has come, more than the peer was told of if it fills the whole buffer.
    pub(super) fn on_received(&mut self, next: u64) {
        self.edge = self.edge.max(next);
    }

    /// The edge that the buffer allows.
    fn room(&self, bounds: Bounds) -> u64 {
        let buffered = 1 + self.read + u64::from(bounds.buffer);
        buffered.min(bounds.next + u64::from(bounds.largest))
    }

    /// RFC 9293 section 3.8.6.2.2: the edge moves by a full segment, half the buffer or all that may be told, or stays.
    fn may_move(&self, bounds: Bounds) -> bool {
        let step = if bounds.exact {
            1
        } else {
            let most = bounds.largest.min(bounds.buffer / 2);
            bounds.mss.min(most).max(1)
        };
        self.room(bounds) >= self.edge + u64::from(step)
    }
}

impl Connection {
    fn bounds(&self) -> Bounds {
        Bounds {
            next: self.receiver.next(),
            buffer: self.tcp.rwnd,
            largest: self.agreed.largest_window().min(self.window.limit),
            mss: self.tcp.mss,
            exact: self.config.exact_window,
        }
    }

    /// The window to tell now; the peer may fill it from then on.
    pub(super) fn grant_window(&mut self) -> u32 {
        let bounds = self.bounds();
        if self.window.may_move(bounds) {
            self.window.edge = self.window.room(bounds);
        }
        self.granted_window() as u32
    }

    /// RCV.WND: the window that the peer was told of, less what has come since.
    pub(super) fn granted_window(&self) -> u64 {
        self.window.edge - self.receiver.next().max(1)
    }

    /// The part of the peer's stream that is taken, from RCV.NXT on.
    pub(super) fn acceptable_window(&self) -> u64 {
        let granted = self.granted_window();
        // BSD has no buffer for a peer that opens the connection, and none in TIME-WAIT.
        let has_buffer = match self.state {
            State::SynReceived => self.origin == Some(Origin::Active),
            state => state != State::TimeWait,
        };
        if !self.config.accepts_whole_buffer || !has_buffer {
            return granted;
        }
        granted.max(u64::from(self.tcp.rwnd).saturating_sub(self.readable()))
    }

    /// Limits the window that the peer is told of to `bytes` from now on, however much of the buffer is free. A larger
    /// window told before stays (RFC 9293 section 3.8.6: the edge does not move back). The window of this end's SYN is
    /// limited only if the connection is not opened yet.
    pub fn limit_window(&mut self, bytes: u32) {
        self.window.limit = bytes;
        if self.origin.is_none() {
            self.window.edge = self.window.edge.min(1 + u64::from(bytes));
        }
    }

    /// Sets the size of the receive buffer to `bytes` from now on. A larger window that the peer was told of stays. The
    /// window scale that a SYN offers is that of the configured buffer, and a smaller buffer does not lower a SYN's
    /// window.
    pub fn set_receive_buffer(&mut self, bytes: u32) {
        Arc::make_mut(&mut self.tcp).rwnd = bytes;
        self.receiver.allow(bytes);
    }

    /// Reads up to `bytes` of the received data for the application; returns how many bytes were read.
    pub fn read(&mut self, bytes: u64) -> u64 {
        let bytes = bytes.min(self.readable());
        self.window.read += bytes;
        if self.state.may_receive() && self.should_tell_window() {
            self.owed.ack = true;
        }
        bytes
    }

    /// A window update is worth a segment of its own when the peer can be waiting for it: it gets at
    /// least twice the room that it knows of. Other updates go with the next acknowledgement.
    fn should_tell_window(&self) -> bool {
        let bounds = self.bounds();
        let room = self.window.room(bounds);
        self.window.may_move(bounds) && room - bounds.next >= 2 * self.granted_window()
    }

    /// Payload bytes that have arrived without a gap since the connection began.
    pub fn received(&self) -> u64 {
        self.receiver.delivered()
    }

    /// Bytes that have arrived without a gap and that the application has not read yet.
    pub fn readable(&self) -> u64 {
        self.received() - self.window.read
    }
}
