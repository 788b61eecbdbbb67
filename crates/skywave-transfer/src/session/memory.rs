//! Memory for what hosts have sent and nobody could take yet: one budget for all connections.
//!
//! A connection may keep as many bytes waiting as its window of QUIC lets come. Its window is what is free of the budget in
//! part, so that many hosts find some. When nothing is free, the host that holds most gives some back: a connection that
//! has moved nothing for a while is closed, and the window of another one shrinks, which counts when it has taken so much
//! (what was allowed cannot be taken back from a sender).

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::network::WINDOW;

/// Bytes for all connections.
pub(super) const ALL: u64 = 256 << 20;
/// Smallest window: some rounds of chunks over lanes.
pub(super) const LEAST: u64 = 8 << 20;
/// Time after which a connection that took nothing is closed if others need its memory.
pub(super) const IDLE: Duration = Duration::from_secs(5);

/// Share of one connection: bytes that it may keep waiting.
pub(crate) struct Share(Mutex<State>);

struct State {
    /// Bytes at most.
    held: u64,
    /// Bytes of it that are free when so many more were taken.
    owed: u64,
    /// When something was taken last.
    last: Instant,
}

impl Share {
    pub(crate) fn new(held: u64) -> Self {
        Self(Mutex::new(State {
            held,
            owed: 0,
            last: Instant::now(),
        }))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes were taken, and wait no more.
    pub(crate) fn take(&self, bytes: usize) {
        let mut state = self.lock();
        let paid = state.owed.min(bytes as u64);
        state.owed -= paid;
        state.held -= paid;
        state.last = Instant::now();
    }

    pub(super) fn held(&self) -> u64 {
        self.lock().held
    }

    pub(super) fn is_idle(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.lock().last) >= IDLE
    }

    /// Shrinks the connection's window to the smallest from now on.
    pub(super) fn shrink(&self) {
        let mut state = self.lock();
        state.owed = state.held.saturating_sub(LEAST);
    }
}

/// The window of one more connection, when `held` bytes are; none if too few are left.
pub(super) fn window(held: u64) -> Option<u64> {
    let free = ALL.saturating_sub(held);
    (free >= LEAST).then(|| (free / 2).clamp(LEAST, u64::from(WINDOW)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_windows_together_are_no_more_than_there_is() {
        let mut held = 0;
        let windows: Vec<u64> = std::iter::from_fn(|| {
            let window = window(held)?;
            held += window;
            Some(window)
        })
        .collect();
        assert_eq!(windows[..2], [64 << 20; 2], "as much as a long path needs");
        assert!(windows.len() > 6 && windows.iter().all(|window| *window >= LEAST));
        assert!(held <= ALL && held + LEAST > ALL, "{held}");
    }

    #[test]
    fn what_shrinks_is_free_when_it_was_taken() {
        let share = Share::new(64 << 20);
        share.take(1 << 20);
        assert_eq!(share.held(), 64 << 20);
        share.shrink();
        share.shrink();
        assert_eq!(share.held(), 64 << 20);
        share.take(50 << 20);
        assert_eq!(share.held(), 14 << 20);
        share.take(50 << 20);
        assert_eq!(share.held(), LEAST);
        let now = Instant::now();
        assert!(!share.is_idle(now) && share.is_idle(now + IDLE));
    }
}
