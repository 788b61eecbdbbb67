//! Keep-alive: a silent peer is probed, and given up when it does not answer (RFC 9293 section 3.8.4).

use super::Connection;
use super::event::Event;
use super::timers::Timer;
use crate::time::Time;

impl Connection {
    /// A segment of the peer's was heard.
    pub(super) fn restart_keepalive(&mut self, now: Time) {
        self.keepalive_probes = 0;
        if let Some(keep_alive) = &self.config.keep_alive {
            self.timers.set(Timer::KeepAlive, now + keep_alive.idle);
        }
    }

    pub(super) fn on_keepalive_timer(&mut self, now: Time) {
        let Some(keep_alive) = self.config.keep_alive else {
            return;
        };
        if !self.sender.flight().is_empty() || self.sender.is_stuck() {
            // Other segments ask for an answer already.
            self.timers.set(Timer::KeepAlive, now + keep_alive.idle);
        } else if self.keepalive_probes >= keep_alive.probes {
            self.end(Some(Event::TimedOut));
        } else {
            self.keepalive_probes += 1;
            self.owed.probe = true;
            self.timers.set(Timer::KeepAlive, now + keep_alive.interval);
        }
    }
}
