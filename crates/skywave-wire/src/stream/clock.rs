//! The real clock, as machines want it.

use std::time::Instant;

use skywave_core::Time;

/// Time since some moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock(Instant);

impl Clock {
    /// From now on.
    pub(super) fn start() -> Self {
        Self(Instant::now())
    }

    /// Never goes backwards.
    pub(super) fn now(&self) -> Time {
        // 584 years.
        Time::from_nanos(self.0.elapsed().as_nanos() as u64)
    }
}
