//! Requests for fewer ACKs while they wait on the way back (draft-ietf-quic-ack-frequency).
//!
//! A way back of a hundredth of the rate, or one that an upload fills, carries fewer ACKs than the receiver sends by
//! itself: those wait in its queue or are dropped, and what they tell comes late. The receiver's arrival times show how
//! long they wait.

use crate::aged::Aged;
use crate::quic::packet::Acking;
use crate::time::{Duration, Offset, Time};
use crate::units::Segments;

/// Most packets that one ACK is asked for.
const MOST: f64 = 10.0;
/// ACKs that are asked for in a window at least, and in a round trip.
const LEAST_OF_ROUND: u64 = 4;
/// Part of the smallest round trip that ACKs may wait for without one being asked for more packets, …
const WAIT: f64 = 0.25;
/// … and the time that they may wait on any path.
const SHORTEST_WAIT: Duration = Duration::from_millis(10);
/// Time after which the shortest way back is forgotten, in s: clocks drift, and paths change.
const MEMORY: f64 = 60.0;
/// A request that differs from the present one by less than this factor is not worth its packet.
const FACTOR: f64 = 1.5;

/// Way in which the receiver acknowledges, and what it is asked for as ACKs wait.
#[derive(Clone, Debug)]
pub(super) struct AckFrequency {
    /// Way of the receiver that nobody has asked for anything.
    unasked: Acking,
    /// Way that the receiver is known to have now.
    present: Acking,
    /// The request in flight, and the number of its packet.
    asked: Option<(u64, Acking)>,
    /// The request to be sent next.
    due: Option<Acking>,
    /// Shortest time on the way back of late, in s, by clocks that need not agree.
    shortest: Aged,
    /// Shortest time on the way back in this round trip, in s, and the number of the packet that ends it.
    of_round: f64,
    round_ends: u64,
}

/// An ACK as the rule sees it.
pub(super) struct Heard {
    pub(super) now: Time,
    /// The largest number that the ACK reports, and the number of the next packet to be sent.
    pub(super) largest: u64,
    pub(super) next: u64,
    /// Time since the receiver sent the ACK, by clocks that need not agree.
    pub(super) way_back: Offset,
    /// The round trip, smoothed and at its smallest.
    pub(super) smoothed: Duration,
    pub(super) min_rtt: Duration,
    pub(super) cwnd: Segments,
}

impl AckFrequency {
    /// The rule before anything was asked, of a receiver that does as `unasked` says.
    pub(super) fn new(unasked: Acking) -> Self {
        Self {
            unasked,
            present: unasked,
            asked: None,
            due: None,
            shortest: Aged::default(),
            of_round: f64::INFINITY,
            round_ends: 0,
        }
    }

    /// Longest time for which the receiver may hold an ACK back.
    pub(super) fn max_ack_delay(&self) -> Duration {
        let asked = self.asked.map_or(Duration::ZERO, |(_, asked)| asked.delay);
        self.present.delay.max(asked)
    }

    /// An ACK came: once a round trip, what is asked for follows how long they wait.
    pub(super) fn on_ack(&mut self, heard: &Heard) {
        let way_back = heard.way_back.as_secs_f64();
        self.shortest.note(heard.now, way_back, MEMORY);
        self.of_round = self.of_round.min(way_back);
        if heard.largest < self.round_ends {
            return;
        }
        let wait = std::mem::replace(&mut self.of_round, f64::INFINITY) - self.shortest.get();
        self.round_ends = heard.next;
        let tolerated = heard.min_rtt.mul_f64(WAIT).max(SHORTEST_WAIT).as_secs_f64();
        let of_window = heard.cwnd.0 / LEAST_OF_ROUND as f64;
        let unasked = f64::from(self.unasked.every);
        let every = (unasked * (1.0 + wait / tolerated))
            .min(MOST)
            .min(of_window);
        let wanted = if every < unasked * FACTOR {
            self.unasked
        } else {
            Acking {
                every: every as u32,
                delay: self.unasked.delay.max(heard.smoothed / LEAST_OF_ROUND),
            }
        };
        let last = self.asked.map_or(self.present, |(_, asked)| asked);
        let differs = |a: f64, b: f64| a.max(b) >= a.min(b) * FACTOR;
        let is_due = differs(wanted.every.into(), last.every.into())
            || differs(wanted.delay.as_secs_f64(), last.delay.as_secs_f64());
        self.due = is_due.then_some(wanted);
    }

    /// The request that is due, if one is, leaves in the packet of this number.
    pub(super) fn send(&mut self, number: u64) -> Option<Acking> {
        let due = self.due.take()?;
        self.asked = Some((number, due));
        Some(due)
    }

    /// The packet of this number has arrived.
    pub(super) fn on_acked(&mut self, number: u64) {
        if let Some((_, asked)) = self.asked.take_if(|(asked, _)| *asked == number) {
            self.present = asked;
        }
    }

    /// The packet of this number is lost.
    pub(super) fn on_lost(&mut self, number: u64) {
        if let Some((_, asked)) = self.asked.take_if(|(asked, _)| *asked == number) {
            self.due = self.due.or(Some(asked));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNASKED: Acking = Acking {
        every: 2,
        delay: Duration::from_millis(25),
    };

    /// A rule that has heard one ACK in each round trip of ten packets; each was this long on its way back, in ms. The
    /// smallest round trip is 100 ms, the smoothed one 200, the window `cwnd` packets.
    fn heard(ways_back: &[u32], cwnd: f64) -> AckFrequency {
        let mut rule = AckFrequency::new(UNASKED);
        for (round, &ms) in (1..).zip(ways_back) {
            rule.on_ack(&Heard {
                now: Time::ZERO + Duration::from_millis(200 * round),
                largest: 10 * round - 1,
                next: 10 * round + 9,
                way_back: Offset::from_nanos(i64::from(ms) * 1_000_000 - 5_000_000_000),
                smoothed: Duration::from_millis(200),
                min_rtt: Duration::from_millis(100),
                cwnd: Segments(cwnd),
            });
        }
        rule
    }

    fn due(ways_back: &[u32], cwnd: f64) -> Option<(u32, u64)> {
        let due = heard(ways_back, cwnd).due?;
        Some((due.every, due.delay.as_nanos() / 1_000_000))
    }

    #[test]
    fn acks_that_wait_are_asked_for_more_packets() {
        assert_eq!(due(&[30, 30, 30], 100.0), None);
        // A quarter of 100 ms is tolerated; half of it more, and three packets share an ACK.
        assert_eq!(due(&[30, 42], 100.0), None);
        assert_eq!(due(&[30, 43], 100.0), Some((3, 50)));
        assert_eq!(due(&[30, 81], 100.0), Some((6, 50)));
        assert_eq!(due(&[30, 3000], 100.0), Some((10, 50)), "at most ten");
    }

    #[test]
    fn a_window_has_four_acks() {
        assert_eq!(due(&[30, 3000], 20.0), Some((5, 50)));
        assert_eq!(due(&[30, 3000], 8.0), None, "two packets, as unasked");
    }

    #[test]
    fn the_shortest_wait_of_a_round_trip_counts() {
        let mut rule = heard(&[30, 30], 100.0);
        let late = |rule: &mut AckFrequency, largest, ms: i64| {
            rule.on_ack(&Heard {
                now: Time::ZERO + Duration::from_millis(500),
                largest,
                next: largest + 10,
                way_back: Offset::from_nanos(ms * 1_000_000 - 5_000_000_000),
                smoothed: Duration::from_millis(200),
                min_rtt: Duration::from_millis(100),
                cwnd: Segments(100.0),
            });
        };
        late(&mut rule, 25, 31);
        late(&mut rule, 29, 500);
        assert!(rule.due.is_none(), "one ACK of the round trip did not wait");
        late(&mut rule, 39, 500);
        assert!(rule.due.is_some());
    }

    #[test]
    fn a_lost_request_is_repeated_and_one_that_arrived_is_not() {
        let mut rule = heard(&[30, 80], 100.0);
        let asked = rule.send(30);
        assert!(asked.is_some() && rule.due.is_none());
        assert_eq!(rule.max_ack_delay().as_nanos(), 50_000_000, "it may hold");
        rule.on_lost(30);
        assert_eq!(rule.max_ack_delay(), UNASKED.delay);
        assert_eq!(rule.send(31), asked);
        rule.on_acked(31);
        rule.on_lost(31);
        assert!(rule.due.is_none());
        assert_eq!(rule.max_ack_delay().as_nanos(), 50_000_000, "it holds");
    }

    #[test]
    fn the_receiver_is_told_when_nothing_waits_any_more() {
        let mut rule = heard(&[30, 80, 80], 100.0);
        assert!(rule.send(40).is_some());
        rule.on_acked(40);
        rule.on_ack(&Heard {
            now: Time::ZERO + Duration::from_secs(1),
            largest: 49,
            next: 60,
            way_back: Offset::from_nanos(30_000_000 - 5_000_000_000),
            smoothed: Duration::from_millis(120),
            min_rtt: Duration::from_millis(100),
            cwnd: Segments(100.0),
        });
        assert_eq!(rule.send(60), Some(UNASKED));
    }
}
