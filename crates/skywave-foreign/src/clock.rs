//! The libraries' time and the simulator's.

use std::time::{Duration, Instant};

use skywave_core::Time;

/// An instant that is the time zero of a run. Only differences are ever looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock(Instant);

impl Clock {
    pub(crate) fn new() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn instant(self, at: Time) -> Instant {
        self.0 + Duration::from_nanos(at.as_nanos())
    }

    pub(crate) fn time(self, at: Instant) -> Time {
        Time::from_nanos(at.saturating_duration_since(self.0).as_nanos() as u64)
    }
}
