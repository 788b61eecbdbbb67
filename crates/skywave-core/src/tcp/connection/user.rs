//! The application's writing, Nagle's rule, and the user timeout.
//!
//! Nagle's rule and keep-alive are off unless asked for; one-way flows have neither.

use std::sync::Arc;

use super::event::Event;
use super::timers::Timer;
use super::{Connection, State};
use crate::time::Time;

impl Connection {
    /// The application hands over `bytes` more; `u64::MAX` is data without end. Bytes written after
    /// [`Self::close`] count for nothing.
    pub fn write(&mut self, bytes: u64) {
        if self.closing {
            return;
        }
        if self.config.nagle && bytes < u64::MAX {
            self.held_back = self.held_back.saturating_add(bytes);
        } else {
            self.sender.write(bytes);
        }
    }

    /// Turns Nagle's rule on or off; what it has held back goes out.
    pub fn set_nagle(&mut self, on: bool) {
        Arc::make_mut(&mut self.config).nagle = on;
        self.release_all();
    }

    /// Bytes written and not yet sent for the first time; `u64::MAX` for data without end.
    pub fn unsent(&self) -> u64 {
        self.sender.unsent().saturating_add(self.held_back)
    }

    /// Bytes written that the peer has acknowledged.
    pub fn acknowledged(&self) -> u64 {
        let una = self.sender.flight().una().saturating_sub(1);
        una - u64::from(self.sender.is_done())
    }

    /// RFC 9293 section 3.7.4: the sending half gets full segments only, and the rest when nothing is
    /// unacknowledged.
    pub(super) fn release_held_back(&mut self) {
        if self.held_back == 0 {
            return;
        }
        if self.sender.flight().is_empty() {
            return self.release_all();
        }
        let unsent = self.sender.unsent();
        let full = self.unsent() / u64::from(self.tcp.mss) * u64::from(self.tcp.mss);
        self.release(full.saturating_sub(unsent));
    }

    pub(super) fn release_all(&mut self) {
        self.release(self.held_back);
    }

    fn release(&mut self, bytes: u64) {
        self.held_back -= bytes;
        self.sender.write(bytes);
    }

    /// Everything was sent that may be: the user timeout runs while an answer is awaited.
    pub(super) fn keep_user_timer(&mut self, now: Time) {
        let Some(timeout) = self.config.user_timeout else {
            return;
        };
        if self.sender.flight().is_empty() && !self.sender.is_stuck() {
            self.timers.stop(Timer::User);
        } else if !self.timers.is_running(Timer::User) {
            self.timers.set(Timer::User, now + timeout);
        }
    }

    /// The peer has acknowledged something, or answered a probe of its window: it is there.
    pub(super) fn on_progress(&mut self) {
        self.timers.stop(Timer::User);
    }

    pub(super) fn expire(&mut self, now: Time, timer: Timer) {
        match timer {
            Timer::Persist => self.on_persist_timer(now),
            Timer::KeepAlive => self.on_keepalive_timer(now),
            Timer::User => self.end(Some(Event::TimedOut)),
            Timer::TimeWait => {
                debug_assert!(self.state == State::TimeWait);
                self.end(None);
            }
        }
    }
}
