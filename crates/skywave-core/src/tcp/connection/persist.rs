//! The persist timer: a window that keeps everything from being sent is probed until it opens.
//!
//! A probe takes no byte of the stream, neither this one nor that of a silent peer: it is an empty segment with a
//! number from before the window, which section 3.10.7.4 makes every receiver answer. An octet of data would stay
//! in flight while the window is closed, and its timeouts would shrink the congestion window.

use super::Connection;
use super::timers::Timer;
use crate::time::{Duration, Time};

impl Connection {
    /// Everything was sent that may be: from now on only a probe can bring news of the window.
    pub(super) fn keep_persist_timer(&mut self, now: Time) {
        let waits = self.is_frozen() && !self.sender.flight().is_empty();
        if !self.sender.is_stuck() && !waits {
            self.timers.stop(Timer::Persist);
        } else if !self.timers.is_running(Timer::Persist) {
            // RFC 9293 section 3.8.6.1: first after a retransmission timeout, then backed off.
            self.probe_after(now, self.sender.rto().rto());
        }
    }

    /// The window has kept everything from being sent for long enough.
    pub(super) fn on_persist_timer(&mut self, now: Time) {
        self.use_small_window();
        self.owed.probe = true; // unless data goes out instead
        self.probe_after(now, (self.persist_interval * 2).min(self.tcp.rto.max));
    }

    /// The next probe is due after `interval`, or sooner, so that its answer can come before the user timeout.
    fn probe_after(&mut self, now: Time, interval: Duration) {
        let answer = self.sender.rto().rto();
        let longest = self.config.user_timeout.map_or(Duration::MAX, |timeout| {
            timeout.saturating_sub(answer).max(timeout / 2)
        });
        self.persist_interval = interval.min(longest.max(Duration::from_nanos(1)));
        self.timers.set(Timer::Persist, now + self.persist_interval);
    }
}
