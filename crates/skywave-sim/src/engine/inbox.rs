//! Where packets wait until it is sure that none comes before them.

use std::collections::VecDeque;

use skywave_core::{Duration, Time};

/// Packets that arrive at a link from several sides, in buckets of time. A bucket is taken as a
/// whole, at its end or `hold` later, when everything that belongs into it is known.
#[derive(Debug)]
pub(crate) struct Inbox {
    /// A bucket is 2^shift nanoseconds wide, and holds its end but not its start.
    shift: u32,
    hold: Duration,
    /// In order of time.
    buckets: VecDeque<Bucket>,
    spare: Vec<Vec<(Time, u32)>>,
}

#[derive(Debug)]
struct Bucket {
    end: Time,
    packets: Vec<(Time, u32)>,
}

impl Inbox {
    /// An inbox whose packets may each be taken up to `slack` after their arrival, and not before
    /// `hold` after it.
    pub(crate) fn new(slack: Duration, hold: Duration) -> Self {
        let widest = slack.saturating_sub(hold).as_nanos().saturating_add(1);
        Self {
            shift: widest.ilog2(),
            hold,
            buckets: VecDeque::new(),
            spare: Vec::new(),
        }
    }

    /// Files packet `id`, which arrives at `at`; if that opens a bucket, when to take that.
    pub(crate) fn insert(&mut self, at: Time, id: u32) -> Option<Time> {
        let last = (1 << self.shift) - 1;
        let end =
            Time::from_nanos((at.as_nanos().saturating_add(last) >> self.shift) << self.shift);
        let place = match self.buckets.back() {
            Some(back) if back.end < end => self.buckets.len(),
            Some(_) => self.buckets.partition_point(|b| b.end < end),
            None => 0,
        };
        if let Some(bucket) = self.buckets.get_mut(place)
            && bucket.end == end
        {
            bucket.packets.push((at, id));
            return None;
        }
        let mut packets = self.spare.pop().unwrap_or_default();
        packets.push((at, id));
        self.buckets.insert(place, Bucket { end, packets });
        Some(end + self.hold)
    }

    /// The packets of the earliest bucket in order of arrival; of equal times, as they were filed.
    pub(crate) fn take(&mut self) -> Vec<(Time, u32)> {
        let mut packets = self
            .buckets
            .pop_front()
            .map_or_else(Vec::new, |b| b.packets);
        packets.sort_by_key(|&(at, _)| at);
        packets
    }

    /// Gives back an emptied list, for the next bucket.
    pub(crate) fn recycle(&mut self, mut packets: Vec<(Time, u32)>) {
        packets.clear();
        self.spare.push(packets);
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
        assert_eq!(inbox.take(), [(ns(64), 4)]);
        assert_eq!(
            inbox.take(),
            [(ns(66), 2), (ns(70), 1), (ns(70), 3), (ns(128), 5)]
        );
    }

    #[test]
    fn without_slack_each_time_is_a_bucket_of_its_own() {
        let mut inbox = Inbox::new(Duration::ZERO, Duration::ZERO);
        assert_eq!(inbox.insert(ns(7), 1), Some(ns(7)));
        assert_eq!(inbox.insert(ns(8), 2), Some(ns(8)));
        assert_eq!(inbox.insert(ns(7), 3), None);
        assert_eq!(inbox.take(), [(ns(7), 1), (ns(7), 3)]);
    }

    #[test]
    fn a_hold_delays_the_taking_and_narrows_the_buckets() {
        let mut inbox = Inbox::new(Duration::from_nanos(100), Duration::from_nanos(50));
        // 2^5 ≤ 51
        assert_eq!(inbox.insert(ns(33), 1), Some(ns(64 + 50)));
    }
}
