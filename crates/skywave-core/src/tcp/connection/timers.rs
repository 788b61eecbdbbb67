//! The connection's own timers; the halves keep theirs.

use crate::time::Time;

/// A timer of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timer {
    /// Probe a window that keeps everything from being sent.
    Persist,
    /// Probe a silent peer, or give it up.
    KeepAlive,
    /// Send what a cork holds back.
    Push,
    /// Give up a peer that does not acknowledge.
    User,
    /// TIME-WAIT is over.
    TimeWait,
}

impl Timer {
    pub(super) const ALL: [Self; 5] = [
        Self::Persist,
        Self::KeepAlive,
        Self::Push,
        Self::User,
        Self::TimeWait,
    ];
}

/// When each timer expires; [`Time::MAX`] for those that do not run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timers([Time; Timer::ALL.len()]);

impl Default for Timers {
    fn default() -> Self {
        Self([Time::MAX; Timer::ALL.len()])
    }
}

impl Timers {
    pub(super) fn set(&mut self, timer: Timer, at: Time) {
        self.0[timer as usize] = at;
    }

    pub(super) fn stop(&mut self, timer: Timer) {
        self.set(timer, Time::MAX);
    }

    pub(super) fn is_running(&self, timer: Timer) -> bool {
        self.0[timer as usize] < Time::MAX
    }

    /// When the first one expires.
    pub(super) fn next(&self) -> Time {
        self.0.into_iter().min().unwrap_or(Time::MAX)
    }

    /// Stops a timer if it is due. Returns whether it was.
    pub(super) fn take_if_due(&mut self, timer: Timer, now: Time) -> bool {
        let due = self.is_running(timer) && self.0[timer as usize] <= now;
        if due {
            self.stop(timer);
        }
        due
    }
}
