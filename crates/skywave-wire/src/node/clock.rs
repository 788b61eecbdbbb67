//! The real clock, as machines want it.

use std::time::Instant;

use skywave_core::Time;

/// Time since some moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock(Instant);

impl Clock {
    /// From now on.
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    /// Never goes backwards.
    pub(crate) fn now(&self) -> Time {
        // 584 years.
        Time::from_nanos(self.0.elapsed().as_nanos() as u64)
    }
}
