//! Broadcasts that wait for their jitter (RFC 5148).

use crate::rng::Stream;
use crate::time::{Duration, Time};

/// Broadcasts on their way to the MAC, each after a random time of its own.
#[derive(Clone, Debug)]
pub(super) struct Outbox<M> {
    longest: Duration,
    stream: Stream,
    waiting: Vec<(Time, M)>,
}

impl<M> Outbox<M> {
    pub(super) fn new(longest: Duration, stream: Stream) -> Self {
        Self {
            longest,
            stream,
            waiting: Vec::new(),
        }
    }

    /// Takes a message, or gives it back if there is no jitter.
    pub(super) fn hold(&mut self, now: Time, message: M) -> Option<M> {
        if self.longest.is_zero() {
            return Some(message);
        }
        let wait = self.stream.uniform_duration(Duration::ZERO, self.longest);
        self.waiting.push((now + wait, message));
        None
    }

    pub(super) fn next_timer(&self) -> Option<Time> {
        self.waiting.iter().map(|&(due, _)| due).min()
    }

    /// The next message that is due.
    pub(super) fn take(&mut self, now: Time) -> Option<M> {
        let due = |&(_, &(due, _)): &(usize, &(Time, M))| due;
        let (at, &(first, _)) = self.waiting.iter().enumerate().min_by_key(due)?;
        if first > now {
            return None;
        }
        Some(self.waiting.remove(at).1)
    }
}
