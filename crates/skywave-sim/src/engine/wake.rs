//! The event at which a host is looked at next.

use skywave_core::Time;

/// When the event is that a host waits for. Events that were pushed before and are later than it come to
/// nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wake(Time);

impl Default for Wake {
    /// No event is waited for.
    fn default() -> Self {
        Self(Time::MAX)
    }
}

impl Wake {
    /// Waits for an event at `at`; whether it has to be pushed, as none is waited for that is as early.
    #[inline(always)]
    pub(super) fn earlier(&mut self, at: Time) -> bool {
        let is_earlier = at < self.0;
        if is_earlier {
            self.0 = at;
        }
        is_earlier
    }

    /// An event has come at `now`: whether it is the one that was waited for. Then none is any more.
    #[inline(always)]
    pub(super) fn comes(&mut self, now: Time) -> bool {
        let is_meant = self.0 == now;
        if is_meant {
            self.0 = Time::MAX;
        }
        is_meant
    }
}
