//! The event at which something is looked at next.

use skywave_core::Time;

/// Time of the event that a host, a lane or a radio network waits for. A later event that was pushed before is ignored
/// when it comes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wake(Time);

impl Default for Wake {
    /// No event is waited for.
    fn default() -> Self {
        Self(Time::MAX)
    }
}

impl Wake {
    /// Nothing is earlier than what is waited for, so that no event is pushed.
    pub(super) const SILENT: Self = Self(Time::ZERO);

    /// Waits for an event at `at`, unless the host waits for one that is as early. Returns whether
    /// the event has to be pushed.
    #[inline(always)]
    pub(super) fn earlier(&mut self, at: Time) -> bool {
        let is_earlier = at < self.0;
        if is_earlier {
            self.0 = at;
        }
        is_earlier
    }

    /// An event has come at `now`. Returns whether it is the one that was waited for; if so, the
    /// host waits for none any more.
    #[inline(always)]
    pub(super) fn comes(&mut self, now: Time) -> bool {
        let is_meant = self.0 == now;
        if is_meant {
            self.0 = Time::MAX;
        }
        is_meant
    }

    /// Everything up to `now` has been done: if the event that was waited for lies there, none is waited for any more.
    pub(super) fn pass(&mut self, now: Time) {
        if self.0 <= now {
            self.0 = Time::MAX;
        }
    }
}
