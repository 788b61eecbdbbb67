//! When there was progress last. A peer that connects again and again without any is away, too.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::error::Error;

/// Between two looks: an answer meanwhile makes the time that is left another one.
const LOOK: Duration = Duration::from_millis(200);

/// The time of the last progress.
pub(crate) struct Pulse(Mutex<State>);

struct State {
    last: Instant,
    /// The peer has answered once.
    answered: bool,
    /// Why it has not, as far as that is known.
    trouble: Option<String>,
    /// Most frames with data that went over one connection and were not lost, since the peer said that it has more.
    flowed: u64,
}

impl Pulse {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(State {
            last: Instant::now(),
            answered: false,
            trouble: None,
            flowed: 0,
        }))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The peer has answered. This is progress once.
    pub(crate) fn answer(&self) {
        let mut state = self.lock();
        state.trouble = None;
        if !state.answered {
            (state.last, state.answered) = (Instant::now(), true);
        }
    }

    pub(crate) fn has_answered(&self) -> bool {
        self.lock().answered
    }

    /// The peer cannot be asked. Says whether this is new.
    pub(crate) fn trouble(&self, why: &str) -> bool {
        let mut state = self.lock();
        let is_new = state.trouble.as_deref() != Some(why);
        state.trouble = Some(why.to_owned());
        is_new
    }

    /// Notes progress of data.
    pub(crate) fn beat(&self) {
        let mut state = self.lock();
        (state.last, state.flowed) = (Instant::now(), 0);
    }

    /// Notes that so many frames with data went over the connection and were not lost, and that the peer acknowledges.
    /// This is progress if there never were as many, over whichever connection, since the last that is certain.
    pub(crate) fn flow(&self, frames: u64) {
        let mut state = self.lock();
        if frames > state.flowed {
            (state.last, state.flowed) = (Instant::now(), frames);
        }
    }

    /// When there was progress last.
    pub(crate) fn last(&self) -> Instant {
        self.lock().last
    }

    /// Waits until there was none for too long.
    pub(crate) async fn end(&self, host: &str, wait: Duration, patience: Duration) -> Error {
        loop {
            let (left, answered) = {
                let state = self.lock();
                let most = if state.answered { patience } else { wait };
                (most.checked_sub(state.last.elapsed()), state.answered)
            };
            match left {
                Some(left) if !left.is_zero() => tokio::time::sleep(left.min(LOOK)).await,
                _ if answered => return Error::Away,
                _ => return Error::NoAnswer(host.to_owned(), self.lock().trouble.clone()),
            }
        }
    }
}
