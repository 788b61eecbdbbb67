//! How much others may make this host print.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Bytes a second, and those that may come at once after a quiet time.
const RATE: f64 = 64e3;
const BURST: f64 = 512e3;

/// Bytes that may be printed, and what was left out.
pub(super) struct Budget(Mutex<State>);

struct State {
    left: f64,
    at: Instant,
    left_out: u64,
}

impl Budget {
    pub(super) fn new() -> Self {
        Self(Mutex::new(State {
            left: BURST,
            at: Instant::now(),
            left_out: 0,
        }))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes `bytes` from the budget for an event. If fewer are left, it counts the event as left out; the error then says
    /// whether it is the first one since [`Self::left_out`] was called.
    pub(super) fn take(&self, bytes: usize, now: Instant) -> Result<(), bool> {
        let mut state = self.lock();
        let passed = now.saturating_duration_since(state.at).as_secs_f64();
        state.left = BURST.min(state.left + RATE * passed);
        state.at = now;
        let after = state.left - bytes as f64;
        if after < 0.0 {
            state.left_out += 1;
            return Err(state.left_out == 1);
        }
        state.left = after;
        Ok(())
    }

    /// Bytes that were no burden go back into the budget.
    pub(super) fn give_back(&self, bytes: usize) {
        let mut state = self.lock();
        state.left = BURST.min(state.left + bytes as f64);
    }

    /// How much was left out since this was asked last.
    pub(super) fn left_out(&self) -> u64 {
        std::mem::take(&mut self.lock().left_out)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_is_printed_in_ten_seconds_is_bounded_and_the_rest_counted() {
        let (budget, start) = (Budget::new(), Instant::now());
        let take = |ms: u64| budget.take(5000, start + Duration::from_millis(ms));
        let all: Vec<_> = (0..10_000).map(take).collect();
        let printed = all.iter().filter(|taken| taken.is_ok()).count();
        assert!((5000 * printed) as f64 <= BURST + 10.0 * RATE, "{printed}");
        assert!((5000 * printed) as f64 >= 10.0 * RATE, "{printed}");
        assert_eq!(all.iter().filter(|taken| **taken == Err(true)).count(), 1);
        assert_eq!(budget.left_out() as usize, all.len() - printed);
        assert_eq!(budget.left_out(), 0);
    }
}
