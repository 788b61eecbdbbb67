//! When datagrams came.

use std::time::Instant;

use super::{LATEST, MOST_TOLD, Report, Tag};

/// Arrival times of one peer's datagrams since the last [`Report`] to that peer, kept by the receiver of data. Of many
/// datagrams only a sample is kept, chosen by their tags.
#[derive(Debug)]
pub struct Arrivals {
    /// Start of the time in which arrivals are told.
    origin: Instant,
    /// Tags of datagrams and their arrivals in microseconds since `origin`, in the order of arrival.
    arrived: Vec<(Tag, u64)>,
    /// Smallest level of the datagrams that are told of (the module says what a level is).
    level: u32,
    /// When `level` was last looked at, to lower it.
    looked: Instant,
}

impl Arrivals {
    /// Empty record of arrivals; times in reports count from `origin` on, in this host's clock.
    pub fn new(origin: Instant) -> Self {
        Self {
            origin,
            arrived: Vec::with_capacity(MOST_TOLD + 1),
            level: 0,
            looked: origin,
        }
    }

    /// Notes that the datagram with this tag came at `now`. Returns whether it is the first one that the next report
    /// will tell of, so that the time to that report begins.
    pub fn note(&mut self, tag: Tag, now: Instant) -> bool {
        if self.arrived.is_empty() && now.saturating_duration_since(self.looked) > LATEST {
            // There are so few that none of this level came in the time of a report.
            self.lower(now);
        }
        if tag.level() < self.level {
            return false;
        }
        let since = now.saturating_duration_since(self.origin);
        let us = u64::try_from(since.as_micros()).unwrap_or(u64::MAX);
        self.arrived.push((tag, us));
        if self.arrived.len() > MOST_TOLD {
            self.level += 1;
            self.arrived.retain(|(tag, _)| tag.level() >= self.level);
        }
        self.arrived.len() == 1
    }

    fn lower(&mut self, now: Instant) {
        self.level = self.level.saturating_sub(1);
        self.looked = now;
    }

    /// Report of the datagrams noted since the last report, with times since the origin given to [`Self::new`]; `None` if
    /// there are none. `now` is the present time. If few were noted, a larger share of the datagrams is sampled from
    /// then on.
    pub fn report(&mut self, now: Instant) -> Option<Report> {
        self.looked = now;
        if self.arrived.len() < MOST_TOLD / 2 {
            self.lower(now);
        }
        let report = Report::new(&self.arrived);
        self.arrived.clear();
        report
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn told(report: Option<Report>) -> Vec<(u64, u64)> {
        let report = report.into_iter();
        report
            .flat_map(|r| {
                r.arrivals()
                    .map(|(tag, us)| (tag.0, us))
                    .collect::<Vec<_>>()
            })
            .collect()
    }

    #[test]
    fn few_are_all_told_once() {
        let start = Instant::now();
        let mut arrivals = Arrivals::new(start);
        assert!(arrivals.report(start).is_none());
        assert!(arrivals.note(Tag(7), start + Duration::from_millis(1)));
        assert!(!arrivals.note(Tag(9), start + Duration::from_millis(2)));
        assert_eq!(told(arrivals.report(start)), [(7, 1000), (9, 2000)]);
        assert!(arrivals.report(start).is_none());
    }

    #[test]
    fn of_many_a_sample_is_told_whose_size_follows() {
        let start = Instant::now();
        let mut arrivals = Arrivals::new(start);
        let mut sizes = Vec::new();
        // 1000 and then 6 datagrams between two reports, with tags as even as those of ciphers.
        for (round, datagrams) in [1000; 6].into_iter().chain([6; 10]).enumerate() {
            for n in 0..datagrams {
                let mixed =
                    (n as u64 + 1 + 1000 * round as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                arrivals.note(Tag(mixed >> 24), start);
            }
            sizes.push(told(arrivals.report(start)).len());
        }
        assert!(sizes.iter().all(|size| *size <= MOST_TOLD), "{sizes:?}");
        assert!(
            sizes[..6].iter().all(|size| *size >= MOST_TOLD / 4),
            "{sizes:?}"
        );
        assert_eq!(sizes[15], 6, "all of them again: {sizes:?}");
    }

    #[test]
    fn a_slow_stream_after_a_fast_one_is_told_soon() {
        let start = Instant::now();
        let mut arrivals = Arrivals::new(start);
        for n in 0..100_000 {
            arrivals.note(Tag(n), start);
        }
        arrivals.report(start);
        // One datagram each 200 ms, in the smallest sample.
        let told = (1..=20).position(|n| arrivals.note(Tag(1), start + LATEST * 4 * n));
        assert!(
            told.is_some_and(|unheard| (8..15).contains(&unheard)),
            "{told:?}"
        );
    }
}
