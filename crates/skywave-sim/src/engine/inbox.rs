//! Where packets wait until it is sure that none comes before them.

use skywave_core::{Duration, Time};

use super::ring::Ring;

/// Packets that arrive at a link from several sides, in buckets of time. A bucket is taken as a
/// whole, at its end or `hold` later, when everything that belongs into it is known.
#[derive(Debug)]
pub(crate) struct Inbox {
    /// A bucket is 2^shift nanoseconds wide, and holds its end but not its start; bucket number `n`
    /// ends at `n` widths.
    shift: u32,
    hold: Duration,
    buckets: Ring<(Time, u32)>,
}

impl Inbox {
    /// An inbox whose packets may each be taken up to `slack` after their arrival, and not before
    /// `hold` after it.
    pub(crate) fn new(slack: Duration, hold: Duration) -> Self {
        let widest = slack.saturating_sub(hold).as_nanos().saturating_add(1);
        Self {
            shift: widest.ilog2(),
            hold,
            buckets: Ring::new(),
        }
    }

    /// Files packet `id`, which arrives at `at`; if that opens a bucket, when to take that.
    #[inline]
    pub(crate) fn insert(&mut self, at: Time, id: u32) -> Option<Time> {
        let last = (1 << self.shift) - 1;
        let number = at.as_nanos().saturating_add(last) >> self.shift;
        let bucket = self.buckets.bucket(number);
        bucket.push((at, id));
        (bucket.len() == 1).then(|| self.wake(number))
    }

    /// When bucket `number` is taken.
    fn wake(&self, number: u64) -> Time {
        Time::from_nanos(number << self.shift) + self.hold
    }

    /// The packets of the earliest bucket, if it is due, in order of arrival; of equal times, as they
    /// were filed.
    pub(crate) fn take(&mut self, now: Time) -> Vec<(Time, u32)> {
        let first = self.buckets.first();
        let Some(number) = first.filter(|&number| self.wake(number) <= now) else {
            return Vec::new();
        };
        let mut packets = self.buckets.take(number);
        packets.sort_by_key(|&(at, _)| at);
        packets
    }

    /// Gives back an emptied list, for the next bucket.
    pub(crate) fn recycle(&mut self, packets: Vec<(Time, u32)>) {
        self.buckets.recycle(packets);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ns(ns: u64) -> Time {
        Time::from_nanos(ns)
    }

    #[test]
    fn a_bucket_opens_once_and_comes_out_in_order_of_arrival() {
        // Slack of 100 ns: buckets of 64 ns.
        let mut inbox = Inbox::new(Duration::from_nanos(100), Duration::ZERO);
        assert_eq!(inbox.insert(ns(70), 1), Some(ns(128)));
        assert_eq!(inbox.insert(ns(66), 2), None);
        assert_eq!(inbox.insert(ns(70), 3), None);
        assert_eq!(inbox.insert(ns(64), 4), Some(ns(64)));
        assert_eq!(inbox.insert(ns(128), 5), None);
        assert_eq!(inbox.take(ns(63)), []);
        assert_eq!(inbox.take(ns(64)), [(ns(64), 4)]);
        assert_eq!(
            inbox.take(ns(128)),
            [(ns(66), 2), (ns(70), 1), (ns(70), 3), (ns(128), 5)]
        );
    }

    #[test]
    fn without_slack_each_time_is_a_bucket_of_its_own() {
        let mut inbox = Inbox::new(Duration::ZERO, Duration::ZERO);
        assert_eq!(inbox.insert(ns(7), 1), Some(ns(7)));
        assert_eq!(inbox.insert(ns(8), 2), Some(ns(8)));
        assert_eq!(inbox.insert(ns(7), 3), None);
        assert_eq!(inbox.take(ns(7)), [(ns(7), 1), (ns(7), 3)]);
    }

    #[test]
    fn buckets_far_ahead_come_in_their_turn() {
        let mut inbox = Inbox::new(Duration::ZERO, Duration::ZERO);
        let times = [5, 1_000_000, 2_000_000, 1_000_000, 6, 3_000];
        let mut wakes: Vec<Time> = (0..)
            .zip(times)
            .filter_map(|(id, at)| inbox.insert(ns(at), id))
            .collect();
        wakes.sort();
        let taken = wakes.iter().flat_map(|&now| inbox.take(now));
        let ids: Vec<u32> = taken.map(|(_, id)| id).collect();
        assert_eq!(ids, [0, 4, 5, 1, 3, 2]);
    }

    #[test]
    fn a_hold_delays_the_taking_and_narrows_the_buckets() {
        let mut inbox = Inbox::new(Duration::from_nanos(100), Duration::from_nanos(50));
        // 2^5 ≤ 51
        assert_eq!(inbox.insert(ns(33), 1), Some(ns(64 + 50)));
    }
}
