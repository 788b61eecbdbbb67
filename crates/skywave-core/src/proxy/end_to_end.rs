//! M-TCP's policy towards the source: the connection is split, and its acknowledgements still mean what they say.
//!
//! The source hears of what the destination has acknowledged, but for the last byte. When the destination
//! does not answer, the proxy acknowledges that byte with a window of zero: the source stands still with
//! its windows as they are, and so does the connection to the destination. When the destination is heard
//! again, both go on where they were.
//!
//! Brown and Singh, "M-TCP: TCP for Mobile Cellular Networks", ACM CCR 1997. Open there and decided here:
//! when a silence is a disconnection ([`EndToEnd::silence`]); that the last byte is acknowledged also when
//! the source has nothing more to send, or it would wait for a timeout; and that a duplicate
//! acknowledgement waits until the destination has everything before the hole.

use crate::parameter::parameters;
use crate::tcp::Connection;
use crate::time::{Duration, Time};

parameters! {
    /// Settings of M-TCP, which acknowledges to the source only what the destination has acknowledged.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct EndToEnd as "end-to-end" {
        /// Silence beyond one smoothed RTT after which the destination counts as disconnected. The proxy then
        /// closes the source's window and freezes its own sender until the destination is heard again.
        // Below the source's shortest retransmission timeout, so that the source hears of it before its timer expires:
        // half of 200 ms, the shortest timeout of common stacks.
        silence: Duration = Duration::from_millis(100), Period;
    }
}

/// Watches whether the destination answers.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    settings: EndToEnd,
    /// Since when something has been in flight to the destination, or its last acknowledgement is kept
    /// back; `None` while nothing is.
    waits_since: Option<Time>,
    /// When the destination is taken to be silent.
    deadline: Option<Time>,
    /// Bytes that the source may hear of, unless the destination is silent: all but the last one.
    told: u64,
    /// When the destination was found silent.
    silent_since: Option<Time>,
}

impl Watch {
    pub(super) fn new(settings: EndToEnd) -> Self {
        Self {
            settings,
            waits_since: None,
            deadline: None,
            told: 0,
            silent_since: None,
        }
    }

    pub(super) fn next_timer(&self) -> Option<Time> {
        self.deadline
    }

    /// The destination has acknowledged `done` bytes by `now`.
    pub(super) fn work(
        &mut self,
        now: Time,
        done: u64,
        from_source: &mut Connection,
        to_destination: &mut Connection,
    ) {
        if to_destination.sender().is_done() {
            self.deadline = None;
            from_source.hold_acks(u64::MAX);
            return;
        }
        // A sign at the very time at which silence was found came after it.
        if let Some(since) = self.silent_since
            && to_destination.last_heard() >= since
        {
            self.silent_since = None;
            self.waits_since = None;
            to_destination.thaw(now);
            from_source.shut_window(false);
        }
        if self.silent_since.is_some() {
            return self.acknowledge(done, from_source);
        }
        self.acknowledge(done.saturating_sub(1), from_source);
        if to_destination.sender().flight().is_empty() && self.told == done {
            (self.waits_since, self.deadline) = (None, None);
            return;
        }
        let since = *self.waits_since.get_or_insert(now);
        let last_sign = since.max(to_destination.last_heard());
        let srtt = to_destination.sender().rto().srtt().unwrap_or_default();
        let deadline = last_sign + srtt + self.settings.silence;
        self.deadline = Some(deadline).filter(|&at| at > now);
        if self.deadline.is_none() {
            self.fall_silent(now, done, from_source, to_destination);
        }
    }

    /// The proxy knows that the destination, which has acknowledged `done` bytes, is out of reach from `now` on. So it
    /// does at once what it does after a silence.
    pub(super) fn leave(
        &mut self,
        now: Time,
        done: u64,
        from_source: &mut Connection,
        to_destination: &mut Connection,
    ) {
        if self.silent_since.is_none() && !to_destination.sender().is_done() {
            self.deadline = None;
            self.fall_silent(now, done, from_source, to_destination);
        }
    }

    /// Acknowledges everything, and stops the source and the own sender if there is anything to wait for.
    fn fall_silent(
        &mut self,
        now: Time,
        done: u64,
        from_source: &mut Connection,
        to_destination: &mut Connection,
    ) {
        self.acknowledge(done, from_source);
        self.waits_since = None;
        let in_flight = !to_destination.sender().flight().is_empty();
        // Before the handshake is over there is nothing to freeze; its timer goes on. Nor is there where nothing is in
        // flight: no answer would thaw it.
        if in_flight && to_destination.state().is_synchronized() {
            self.silent_since = Some(now);
            from_source.shut_window(true);
            to_destination.freeze();
        }
    }

    fn acknowledge(&mut self, bytes: u64, from_source: &mut Connection) {
        self.told = self.told.max(bytes);
        from_source.hold_acks(self.told);
    }
}
