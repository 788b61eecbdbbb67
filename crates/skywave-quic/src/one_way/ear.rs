//! Record of a connection's one-way delays, kept until its congestion control law takes them.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use skywave_core::Offset;
use skywave_core::tcp::window::OneWayDelays;

use super::lock;

/// Greatest difference between a one-way delay and the connection's first one; delays further from the first are
/// ignored. The clocks of two hosts do not drift so far apart in any pause that a connection survives.
pub const MOST_APART: Duration = Duration::from_secs(60);

/// Record of one connection's one-way delays at the sender of data. With each ACK, the connection's congestion control
/// takes those noted since the last ACK ([`Law::hearing`](crate::Law::hearing)). Delays include the unknown difference
/// between the two hosts' clocks.
#[derive(Clone, Debug)]
pub struct Ear(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    /// Start of this host's time.
    origin: Instant,
    /// First delay, in nanoseconds.
    first: Option<i64>,
    /// Delays since the law was told any.
    heard: Option<OneWayDelays>,
    /// Datagrams that left until then went another way.
    moved: Option<Instant>,
}

impl Ear {
    /// Empty record of one connection's one-way delays. Departure times count from `now`: no datagram may have left
    /// before.
    pub fn new(now: Instant) -> Self {
        Self(Arc::new(Mutex::new(State {
            origin: now,
            first: None,
            heard: None,
            moved: None,
        })))
    }

    /// Notes the one-way delay of a datagram that left at `sent`, by this host's clock, and arrived at `came_us`, in
    /// microseconds of the peer's own clock.
    pub fn hear(&self, sent: Instant, came_us: u64) {
        let mut state = lock(&self.0);
        if state.moved.is_some_and(|moved| sent <= moved) {
            return;
        }
        let sent = sent.saturating_duration_since(state.origin).as_nanos();
        let delay = i128::from(came_us) * 1000 - sent.cast_signed();
        let Ok(delay) = i64::try_from(delay) else {
            return;
        };
        let first = *state.first.get_or_insert(delay);
        if u128::from(delay.abs_diff(first)) <= MOST_APART.as_nanos() {
            let delay = OneWayDelays::of(Offset::from_nanos(delay));
            state.heard = Some(state.heard.map_or(delay, |heard| heard.and(delay)));
        }
    }

    /// The delays that were heard since this was last asked.
    pub(crate) fn take(&self) -> Option<OneWayDelays> {
        lock(&self.0).heard.take()
    }

    /// The connection goes over another path; `last` is when the latest packet over the old one left.
    pub(crate) fn forget(&self, last: Option<Instant>) {
        let mut state = lock(&self.0);
        (state.heard, state.moved) = (None, last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_are_told_once_whichever_clock_is_ahead() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let ear = Ear::new(start);
        assert_eq!(ear.take(), None);
        ear.hear(at(1000), 60_000);
        ear.hear(at(1010), 65_000);
        ear.hear(at(1020), 81_000);
        let three = OneWayDelays {
            least: Offset::from_nanos(-945_000_000),
            mean: Offset::from_nanos(-941_333_334),
            count: 3,
        };
        assert_eq!(ear.take(), Some(three));
        assert_eq!(ear.take(), None);
        ear.hear(at(1030), 1_131_000);
        let one = OneWayDelays::of(Offset::from_nanos(101_000_000));
        assert_eq!(ear.take(), Some(one));
    }

    #[test]
    fn what_cannot_be_is_not_believed() {
        let start = Instant::now();
        let ear = Ear::new(start);
        ear.hear(start, u64::MAX);
        assert_eq!(ear.take(), None, "it would be 584,000 years");
        ear.hear(start, 5_000_000);
        assert!(ear.take().is_some());
        ear.hear(start, 65_000_001);
        assert_eq!(ear.take(), None, "a minute more");
        ear.hear(start, 65_000_000);
        assert!(ear.take().is_some());
    }

    #[test]
    fn what_went_the_old_way_is_forgotten() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let ear = Ear::new(start);
        ear.hear(at(10), 1_000);
        ear.forget(Some(at(20)));
        assert_eq!(ear.take(), None);
        ear.hear(at(20), 2_000);
        assert_eq!(ear.take(), None);
        ear.hear(at(21), 3_000);
        assert!(ear.take().is_some());
    }
}
