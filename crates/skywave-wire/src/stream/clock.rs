//! The real clock, as machines want it.

use std::time::Instant;

use skywave_core::Time;

use crate::system;

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
        system::since(self.0)
    }
}
