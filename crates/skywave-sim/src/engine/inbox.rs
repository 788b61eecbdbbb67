//! Where packets wait until it is certain that none comes before them.

use skywave_core::{Duration, Time};

use super::arrival::Arrival;
use super::order;
use super::ring::Ring;

/// Packets that arrive at a link from several sides, in buckets of time. A bucket is taken as a
/// whole, at its end or `hold` later, when everything that belongs into it is known.
#[derive(Debug)]
pub(crate) struct Inbox {
    /// A bucket is 2^shift nanoseconds wide, and holds its end but not its start; bucket number `n`
    /// ends at `n` widths.
    shift: u32,
    hold: Duration,
    /// Salt for the lots of this link in this run.
    salt: u32,
    buckets: Ring<Arrival>,
    room: order::Room,
}

impl Inbox {
    /// An inbox whose packets may each be taken up to `slack` after their arrival, and not before
    /// `hold` after it.
    pub(crate) fn new(slack: Duration, hold: Duration, salt: u32) -> Self {
        let widest = slack.saturating_sub(hold).as_nanos().saturating_add(1);
        Self {
            shift: widest.ilog2(),
            hold,
            salt,
            buckets: Ring::new(),
            room: order::Room::default(),
        }
    }

    /// Files a packet. If it opens a bucket, returns the time at which to take that bucket.
    #[inline(always)]
    pub(crate) fn insert(&mut self, arrival: Arrival) -> Option<Time> {
        // Rounded up. (Signed, so that time zero is in bucket zero; no run lasts 2^63 ns.)
        let before = arrival.at.as_nanos().cast_signed() - 1;
        let number = ((before >> self.shift) + 1).cast_unsigned();
        let opens = self.buckets.push(number, arrival);
        opens.then(|| self.wake(number))
    }

    /// When bucket `number` is taken.
    fn wake(&self, number: u64) -> Time {
        Time::from_nanos(number << self.shift) + self.hold
    }

    /// Time up to which all packets have been filed when a bucket is taken at `now`.
    pub(crate) fn horizon(&self, now: Time) -> Time {
        now - self.hold
    }

    /// The packets of the bucket that is taken at `now`, the earliest one, in order of arrival; of equal
    /// times, by a lot between their flows, so that it does not matter who was decided about first.
    pub(crate) fn take(&mut self, now: Time) -> Vec<Arrival> {
        let number = self.horizon(now).as_nanos() >> self.shift;
        let mut packets = self.buckets.take(number);
        let start = (number << self.shift).wrapping_sub(1 << self.shift);
        order::sort(
            &mut packets,
            Time::from_nanos(start),
            self.salt,
            &mut self.room,
        );
        packets
    }

    /// Gives back an emptied list, for the next bucket.
    pub(crate) fn recycle(&mut self, packets: Vec<Arrival>) {
        self.buckets.recycle(packets);
    }
}

#[cfg(test)]
mod tests {
    use super::super::arrival::Label;
    use super::*;

    fn ns(ns: u64) -> Time {
        Time::from_nanos(ns)
    }

    /// Packet `id` of flow `id / 10`.
    fn arrival(at: u64, id: u32) -> Arrival {
        Arrival {
            at: ns(at),
            label: Label::new(id / 10, id, 0, 0),
        }
    }

    fn taken(inbox: &mut Inbox, now: u64) -> Vec<u32> {
        let packets = inbox.take(ns(now));
        packets.iter().map(|arrival| arrival.label.id()).collect()
    }

    #[test]
    fn a_bucket_opens_once_and_comes_out_in_order_of_arrival() {
        // Slack of 100 ns: buckets of 64 ns.
        let mut inbox = Inbox::new(Duration::from_nanos(100), Duration::ZERO, 0);
        assert_eq!(inbox.insert(arrival(70, 21)), Some(ns(128)));
        assert_eq!(inbox.insert(arrival(66, 30)), None);
        assert_eq!(inbox.insert(arrival(64, 40)), Some(ns(64)));
        assert_eq!(inbox.insert(arrival(128, 50)), None);
        assert_eq!(taken(&mut inbox, 64), [40]);
        assert_eq!(taken(&mut inbox, 128), [30, 21, 50]);
    }

    /// Packets filed for one time at an inbox with this salt, in the order in which they come out.
    fn meeting_at(at: u64, ids: &[u32], salt: u32) -> Vec<u32> {
        let mut inbox = Inbox::new(Duration::from_nanos(100), Duration::ZERO, salt);
        let wakes = ids.iter().filter_map(|&id| inbox.insert(arrival(at, id)));
        let wakes: Vec<Time> = wakes.collect();
        taken(&mut inbox, wakes[0].as_nanos())
    }

    fn meeting(at: u64, ids: &[u32]) -> Vec<u32> {
        meeting_at(at, ids, 0)
    }

    #[test]
    fn equal_times_go_by_lot_whoever_is_filed_first_and_within_a_flow_as_filed() {
        for at in 0..100 {
            let order = meeting(at, &[21, 12, 20, 11]);
            let [one, two] = [[12, 11], [21, 20]];
            assert!(order == [one, two].concat() || order == [two, one].concat());
            assert_eq!(meeting(at, &[12, 11, 21, 20]), order);
        }
    }

    #[test]
    fn long_and_short_lists_have_the_same_order() {
        let ids: Vec<u32> = (0..30).map(|flow| flow * 10).collect();
        for at in 0..20 {
            let all = meeting(at, &ids);
            let few: Vec<u32> = all.iter().copied().filter(|&id| id < 100).collect();
            assert_eq!(meeting(at, &ids[..10]), few);
        }
    }

    #[test]
    fn another_run_draws_other_lots() {
        let differ = |at: &u64| {
            let order = [0, 0x5bd1_e995].map(|salt| meeting_at(*at, &[10, 20, 30], salt));
            order[0] != order[1]
        };
        let differing = (0..100).filter(differ).count();
        assert!((60..100).contains(&differing), "{differing}");
    }

    #[test]
    fn no_flow_has_the_better_lot() {
        // Times as far apart as the packets of a link of 10 Mb/s.
        for (one, other) in [(0, 10), (10, 20), (0, 230), (110, 120)] {
            let first = (0..10_000)
                .filter(|n| meeting(n * 832_000, &[one, other]) == [one, other])
                .count();
            assert!((4_800..5_200).contains(&first), "{one} {other}: {first}");
        }
    }

    #[test]
    fn a_timer_comes_after_the_packets_of_its_time() {
        for at in 0..100 {
            let mut inbox = Inbox::new(Duration::from_nanos(100), Duration::ZERO, 0);
            let wake = inbox.insert(Arrival::timer(ns(at)));
            inbox.insert(arrival(at, 10));
            let timer = Arrival::timer(ns(at)).label.id();
            let wake = wake.map(Time::as_nanos).unwrap_or_default();
            assert_eq!(taken(&mut inbox, wake), [10, timer]);
        }
    }

    #[test]
    fn without_slack_each_time_is_a_bucket_of_its_own() {
        let mut inbox = Inbox::new(Duration::ZERO, Duration::ZERO, 0);
        assert_eq!(inbox.insert(arrival(7, 1)), Some(ns(7)));
        assert_eq!(inbox.insert(arrival(8, 2)), Some(ns(8)));
        assert_eq!(inbox.insert(arrival(7, 3)), None);
        assert_eq!(taken(&mut inbox, 7), [1, 3]);
    }

    #[test]
    fn buckets_far_ahead_come_in_their_turn() {
        let mut inbox = Inbox::new(Duration::ZERO, Duration::ZERO, 0);
        let times = [5, 1_000_000, 2_000_000, 1_000_000, 6, 3_000];
        let mut wakes: Vec<Time> = (0..)
            .zip(times)
            .filter_map(|(id, at)| inbox.insert(arrival(at, id)))
            .collect();
        wakes.sort();
        let ids: Vec<u32> = wakes
            .iter()
            .flat_map(|&now| inbox.take(now))
            .map(|arrival| arrival.label.id())
            .collect();
        assert_eq!(ids, [0, 4, 5, 1, 3, 2]);
    }

    #[test]
    fn a_hold_delays_the_taking_and_narrows_the_buckets() {
        let mut inbox = Inbox::new(Duration::from_nanos(100), Duration::from_nanos(50), 0);
        // 2^5 ≤ 51
        assert_eq!(inbox.insert(arrival(33, 1)), Some(ns(64 + 50)));
    }
}
