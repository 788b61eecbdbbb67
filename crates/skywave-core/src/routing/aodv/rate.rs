//! A limit to the number of messages in any second.

use std::collections::VecDeque;

use crate::time::{Duration, Time};

/// Counts what was sent in the last second.
#[derive(Clone, Debug)]
pub(super) struct RateLimit {
    per_second: usize,
    /// When the newest were sent, `per_second` at most.
    sent: VecDeque<Time>,
}

impl RateLimit {
    pub(super) fn new(per_second: u32) -> Self {
        Self {
            per_second: per_second as usize,
            sent: VecDeque::new(),
        }
    }

    /// Takes a message's place in the second that ends now, or says when there will be one.
    pub(super) fn take(&mut self, now: Time) -> Result<(), Time> {
        if self.sent.len() >= self.per_second {
            let free = match self.sent.front() {
                Some(&oldest) => oldest + Duration::from_secs(1),
                None => Time::MAX,
            };
            if free > now {
                return Err(free);
            }
            self.sent.pop_front();
        }
        self.sent.push_back(now);
        Ok(())
    }
}
