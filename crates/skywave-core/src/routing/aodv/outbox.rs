//! Broadcasts that wait for their jitter (RFC 5148).

use super::message::Message;
use crate::rng::Stream;
use crate::time::{Duration, Time};

/// Broadcasts on their way to the MAC, each after a random time of its own.
#[derive(Clone, Debug)]
pub(super) struct Outbox {
    longest: Duration,
    stream: Stream,
    waiting: Vec<(Time, Message, u8)>,
}

impl Outbox {
    pub(super) fn new(longest: Duration, stream: Stream) -> Self {
        Self {
            longest,
            stream,
            waiting: Vec::new(),
        }
    }

    /// Takes a message, or gives it back if there is no jitter.
    pub(super) fn hold(&mut self, now: Time, message: Message, ttl: u8) -> Option<Message> {
        if self.longest.is_zero() {
            return Some(message);
        }
        let wait = self.stream.uniform_duration(Duration::ZERO, self.longest);
        self.waiting.push((now + wait, message, ttl));
        None
    }

    pub(super) fn next_timer(&self) -> Option<Time> {
        self.waiting.iter().map(|&(due, ..)| due).min()
    }

    /// The next message that is due, with its TTL.
    pub(super) fn take(&mut self, now: Time) -> Option<(Message, u8)> {
        let due = |&(_, &(due, ..)): &(usize, &(Time, Message, u8))| due;
        let (at, &(first, ..)) = self.waiting.iter().enumerate().min_by_key(due)?;
        if first > now {
            return None;
        }
        let (_, message, ttl) = self.waiting.remove(at);
        Some((message, ttl))
    }
}
