//! How long a round trip is: without a queue, with the one that stands, and at its longest.

use std::collections::VecDeque;

use crate::time::{Duration, Time};

/// For how long the smallest round trip counts (RTTmin).
const LONG: Duration = Duration::from_secs(10);
/// Number of round trips over which the longest one (RTTmax) is kept.
const LONGEST_OF: u64 = 4;

/// Round trips of late, as far as one of them may yet be the smallest or largest of a window of time.
#[derive(Clone, Debug, Default)]
struct Windowed {
    kept: VecDeque<(Time, Duration)>,
}

impl Windowed {
    /// Adds a round trip, and forgets those older than `window` and the latest ones that `outdone`
    /// accepts.
    fn update(
        &mut self,
        now: Time,
        rtt: Duration,
        window: Duration,
        outdone: impl Fn(Duration) -> bool,
    ) {
        while self.kept.back().is_some_and(|(_, old)| outdone(*old)) {
            self.kept.pop_back();
        }
        self.kept.push_back((now, rtt));
        while self.kept.front().is_some_and(|(at, _)| now > *at + window) {
            self.kept.pop_front();
        }
    }

    fn get(&self) -> Duration {
        self.kept.front().map_or(Duration::ZERO, |(_, rtt)| *rtt)
    }
}

/// Smallest, standing and largest round trip, each over its own window of time.
#[derive(Clone, Debug, Default)]
pub(super) struct Delays {
    min: Windowed,
    standing: Windowed,
    max: Windowed,
}

impl Delays {
    /// A round trip was seen.
    pub(super) fn update(&mut self, now: Time, rtt: Duration, srtt: Duration) {
        self.min.update(now, rtt, LONG, |old| old >= rtt);
        self.standing.update(now, rtt, srtt / 2, |old| old >= rtt);
        self.max
            .update(now, rtt, srtt * LONGEST_OF, |old| old <= rtt);
    }

    /// RTTstanding: the smallest of the last half of a round trip, without what comes of compressed ACKs.
    pub(super) fn standing(&self) -> Duration {
        self.standing.get()
    }

    /// dq: the delay of the queue that stands.
    pub(super) fn queueing(&self) -> Duration {
        self.standing.get().saturating_sub(self.min.get())
    }

    /// By how much round trips have varied of late.
    pub(super) fn swing(&self) -> Duration {
        self.max.get().saturating_sub(self.min.get())
    }
}
