//! The share of the time in which more than half of a queue's limit waited (TCP-DCR figure 15).

use skywave_core::{Duration, Time};

/// Adds up the time in which more than `half` packets wait at one link.
///
/// A queue that serves in order tells when it will be at `half` again unless more packets come:
/// when the packet with `half` others after it begins its transmission.
#[derive(Clone, Debug)]
pub(crate) struct Fullness {
    half: usize,
    window: (Time, Time),
    /// Time before this has been added up.
    until: Time,
    above: Duration,
}

impl Fullness {
    /// Meter of a queue of `limit` packets, nothing of which waits yet.
    pub(crate) fn new(limit: u32, window: (Time, Time)) -> Self {
        Self {
            half: limit as usize / 2,
            window,
            until: Time::ZERO,
            above: Duration::ZERO,
        }
    }

    /// Packets wait at `now`, and leave the queue at the times `leaving`, in order.
    pub(crate) fn waiting(
        &mut self,
        now: Time,
        waiting: usize,
        mut leaving: impl Iterator<Item = Time>,
    ) {
        let Some(above) = waiting.checked_sub(self.half + 1) else {
            return;
        };
        let Some(end) = leaving.nth(above) else {
            return;
        };
        let from = now.max(self.until).max(self.window.0);
        self.above += end.min(self.window.1).since(from);
        self.until = self.until.max(end);
    }

    /// The share of the window, when the run ended at `now`.
    pub(crate) fn share(&self, now: Time) -> f64 {
        let end = self.window.1.min(now);
        // Some of the time that was added up may lie after the end.
        let ahead = self.until.min(self.window.1).since(end);
        let above = self.above.saturating_sub(ahead);
        above.as_nanos() as f64 / end.since(self.window.0).as_nanos() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    /// A queue of four at a link that takes 10 ms a packet; packets come at these times.
    fn share(arrivals: &[u64], window: (u64, u64), end: u64) -> f64 {
        let mut fullness = Fullness::new(4, (at(window.0), at(window.1)));
        let mut starts: Vec<Time> = Vec::new();
        let mut free = Time::ZERO;
        for &ms in arrivals {
            let now = at(ms);
            let start = free.max(now);
            free = start + Duration::from_millis(10);
            starts.push(start);
            starts.retain(|&s| s > now);
            fullness.waiting(now, starts.len(), starts.iter().copied());
        }
        fullness.share(at(end))
    }

    #[test]
    fn half_and_less_is_not_above() {
        // One in transmission, two wait.
        assert_eq!(share(&[0, 0, 0], (0, 100), 100), 0.0);
        // Three wait until the first of them is transmitted at 10 ms.
        assert_eq!(share(&[0, 0, 0, 0], (0, 100), 100), 0.1);
    }

    #[test]
    fn times_that_overlap_count_once() {
        // Five come at once: four wait, three from 10 ms, two from 20 ms. Another at 15 ms: four
        // wait until 20 ms, and three until 30 ms.
        assert_eq!(share(&[0, 0, 0, 0, 0, 15], (0, 100), 100), 0.3);
    }

    #[test]
    fn only_the_window_counts_and_not_what_lies_ahead() {
        assert_eq!(share(&[0, 0, 0, 0, 0, 15], (10, 20), 100), 1.0);
        assert_eq!(share(&[0, 0, 0, 0, 0, 15], (5, 25), 100), 1.0);
        assert_eq!(share(&[0, 0, 0, 0, 0, 15], (0, 100), 15), 1.0);
        assert_eq!(share(&[0, 0, 0, 0], (0, 20), 15), 10.0 / 15.0);
    }
}
