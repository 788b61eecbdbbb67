//! Bytes that the application has written and the sending half was not given yet.
//!
//! Three rules hold them back, and all are off unless asked for. Nagle's (RFC 9293 section 3.7.4): a segment below the
//! full size waits while data is unacknowledged, unless other data follows the record that it ends. A cork, or a write
//! that says that more comes (SEND without PUSH, section 3.9.1.2): such a segment waits in any case, but no longer
//! than a retransmission timeout after everything sent is acknowledged. And the ends of records: the bytes after one go
//! in segments of their own, so the sending half gets them when it has sent everything before.

use std::collections::VecDeque;
use std::sync::Arc;

use super::Connection;
use super::timers::Timer;
use crate::time::Time;

/// Bytes held back.
#[derive(Clone, Debug, Default)]
pub(super) struct Held {
    bytes: u64,
    /// Lengths of the records that end among them, less what the sending half was given.
    records: VecDeque<u64>,
    /// Bytes that the sending half has not sent end with the end of a record.
    ended: bool,
    /// The application writes more soon.
    more: bool,
    /// The application has corked the connection.
    corked: bool,
}

impl Held {
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes up to the end of the first record, or all of them.
    fn next_record(&self) -> u64 {
        self.records.front().copied().unwrap_or(self.bytes)
    }

    fn waits_for_more(&self) -> bool {
        self.more || self.corked
    }

    /// Nothing is held back, by the same cork.
    pub(super) fn anew(&self) -> Self {
        Self {
            corked: self.corked,
            ..Self::default()
        }
    }
}

impl Connection {
    /// Takes `bytes` more from the application to be sent; `u64::MAX` is data without end. Bytes written after
    /// [`Self::close`] are ignored.
    pub fn write(&mut self, bytes: u64) {
        self.held.more = false;
        self.hand_over(bytes);
    }

    /// Takes `bytes` from the application, which will write more soon: a segment below the full size waits for the next
    /// [`Self::write`], for an acknowledgement, or for a retransmission timeout.
    pub fn write_more(&mut self, bytes: u64) {
        self.held.more = true;
        self.hand_over(bytes);
    }

    /// Ends a record with what was written so far: bytes written after it go in segments of their own.
    pub fn end_record(&mut self) {
        let held = &mut self.held;
        let ended: u64 = held.records.iter().sum();
        if held.bytes > ended {
            held.records.push_back(held.bytes - ended);
        } else if held.bytes == 0 && self.sender.unsent() > 0 {
            held.ended = true;
        }
    }

    /// Corks the connection if `on`: segments below the full size wait for more data, until everything sent is
    /// acknowledged and a retransmission timeout has passed since then at most. Uncorking sends what has waited,
    /// unless Nagle's rule holds it back.
    pub fn set_cork(&mut self, on: bool) {
        if self.held.corked && !on {
            self.held.more = false;
        }
        self.held.corked = on;
    }

    /// Turns Nagle's rule on or off; turning it off sends what Nagle's rule or a cork has held back.
    pub fn set_nagle(&mut self, on: bool) {
        Arc::make_mut(&mut self.config).nagle = on;
        if !on {
            self.push();
        }
    }

    fn hand_over(&mut self, bytes: u64) {
        if self.closing {
            return;
        }
        let held = &mut self.held;
        let direct = !self.config.nagle && !held.waits_for_more() && !held.ended && held.bytes == 0;
        if direct || bytes == u64::MAX {
            self.sender.write(bytes);
        } else {
            held.bytes = held.bytes.saturating_add(bytes);
        }
    }

    /// An acknowledgement came: a write that has announced more is over.
    pub(super) fn on_push(&mut self) {
        self.held.more = false;
    }

    /// Gives the sending half what may be sent.
    fn release_held_back(&mut self) {
        while self.held.bytes > 0 {
            if self.held.ended && self.sender.unsent() > 0 {
                return;
            }
            self.held.ended = false;
            let next = self.held.next_record();
            // A record that other data follows gets no longer.
            let complete = next < self.held.bytes;
            let given = if complete || self.may_send_small() {
                next
            } else {
                let mss = u64::from(self.tcp.mss);
                let unsent = self.sender.unsent();
                (unsent.saturating_add(next) / mss * mss).saturating_sub(unsent)
            };
            if given == 0 {
                return;
            }
            self.give(given);
        }
    }

    /// Whether a segment below the full size may go although more data might fill it.
    fn may_send_small(&self) -> bool {
        let nagle = self.config.nagle && !self.sender.flight().is_empty();
        self.closing || !self.held.waits_for_more() && !nagle
    }

    /// Gives the sending half `bytes` of what is held back, of one record at most.
    fn give(&mut self, bytes: u64) {
        let held = &mut self.held;
        held.bytes -= bytes;
        self.sender.write(bytes);
        if let Some(first) = held.records.front_mut() {
            *first -= bytes;
            held.ended = *first == 0;
            if held.ended {
                held.records.pop_front();
            }
        }
    }

    /// Gives the sending half everything up to the end of a record.
    pub(super) fn push(&mut self) {
        self.held.more = false;
        let waits = self.held.ended && self.sender.unsent() > 0;
        let next = self.held.next_record();
        if next > 0 && !waits {
            self.give(next);
        }
    }

    /// Gives the sending half what may be sent, and with the last of it the FIN of an application that has closed:
    /// then nothing waits any longer but for the ends of records.
    pub(super) fn flush(&mut self) {
        self.release_held_back();
        if self.closing && self.held.bytes == 0 {
            self.sender.close();
        }
    }

    /// Everything was sent that may be: a cork holds the rest for a retransmission timeout.
    pub(super) fn keep_push_timer(&mut self, now: Time) {
        let held = &self.held;
        let waits = held.bytes > 0 && held.waits_for_more() && !self.closing;
        if !waits || !self.sender.flight().is_empty() {
            self.timers.stop(Timer::Push);
        } else if !self.timers.is_running(Timer::Push) {
            self.timers.set(Timer::Push, now + self.sender.rto().rto());
        }
    }
}
