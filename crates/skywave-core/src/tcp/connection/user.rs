//! How much of what the application has written is sent and acknowledged, and the user timeout.

use std::sync::Arc;

use super::event::Event;
use super::timers::Timer;
use super::{Connection, State};
use crate::time::{Duration, Time};

impl Connection {
    /// Bytes written and not yet sent for the first time; `u64::MAX` for data without end.
    pub fn unsent(&self) -> u64 {
        self.sender.unsent().saturating_add(self.held.bytes())
    }

    /// Bytes written that the peer has acknowledged.
    pub fn acknowledged(&self) -> u64 {
        let una = self.sender.flight().una().saturating_sub(1);
        una - u64::from(self.sender.is_done())
    }

    /// Gives the connection up, from now on, when for `timeout` the peer has acknowledged nothing, nor answered a
    /// probe of its closed window, although something waits for an answer; `None` for never. A timeout that runs
    /// begins anew.
    pub fn set_user_timeout(&mut self, timeout: Option<Duration>) {
        Arc::make_mut(&mut self.config).user_timeout = timeout;
        self.timers.stop(Timer::User);
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
            Timer::Push => self.push(),
            Timer::User => self.end(Some(Event::TimedOut)),
            Timer::TimeWait => {
                debug_assert!(self.state == State::TimeWait);
                self.end(None);
            }
        }
    }
}
