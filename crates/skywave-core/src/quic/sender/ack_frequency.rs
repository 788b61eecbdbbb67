//! Requests for fewer ACKs while they wait on the way back (draft-ietf-quic-ack-frequency).
//!
//! A way back of a hundredth of the rate, or one that an upload fills, carries fewer ACKs than the receiver sends by
//! itself: those wait in its queue or are dropped, and what they tell comes late. The receiver's arrival times show how
//! long they wait.

use crate::aged::Aged;
use crate::quic::packet::{Acking, MAX_ACK_TIMES};
use crate::time::{Duration, Offset, Time};
use crate::units::Segments;

/// Largest number of packets that the receiver is asked to acknowledge at once: an ACK has no room for more arrival times.
const MOST: f64 = MAX_ACK_TIMES as f64;
/// ACKs that a window and a round trip have at least: the one bounds the packets of a request, the other its delay.
const LEAST_OF_ROUND: u64 = 4;
/// Part of the smallest round trip that ACKs may wait for without one being asked for more packets, …
const WAIT: f64 = 0.5;
/// … and the time that they may wait on any path.
const SHORTEST_WAIT: Duration = Duration::from_millis(10);
/// Time after which the shortest way back is forgotten, in s: clocks drift, and paths change.
const MEMORY: f64 = 60.0;
/// Factors by which the number of packets for an ACK grows after a round trip in which ACKs waited too long, and shrinks
/// after another one: a way back that has just emptied would be filled again at once.
const RAISE: f64 = 2.0;
const FALL: f64 = 31.0 / 32.0;
/// A delay that differs from the present one by less than this factor is not worth a request.
const FACTOR: f64 = 1.5;

/// Rule that asks the receiver for fewer ACKs while they wait in a queue on the way back.
#[derive(Clone, Debug)]
pub(super) struct AckFrequency {
    /// Way of the receiver that nobody has asked for anything.
    unasked: Acking,
    /// Way that was asked for last, and the number of the packet with that request, while nothing is known of it.
    last: Acking,
    asked_in: Option<u64>,
    /// The last request is lost.
    is_lost: bool,
    /// Longest delay of the ways in which the receiver may acknowledge, as requests may be on their way.
    longest: Duration,
    /// Packets for an ACK that would be right now.
    every: f64,
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
            last: unasked,
            asked_in: None,
            is_lost: false,
            longest: unasked.delay,
            every: unasked.every.into(),
            due: None,
            shortest: Aged::default(),
            of_round: f64::INFINITY,
            round_ends: 0,
        }
    }

    /// Longest time for which the receiver may hold an ACK back.
    pub(super) fn max_ack_delay(&self) -> Duration {
        self.longest
    }

    /// An ACK came: once a round trip, the number of packets for an ACK follows from how long ACKs wait.
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
        let factor = if wait > tolerated { RAISE } else { FALL };
        let least = f64::from(self.unasked.every);
        self.every = (self.every * factor).min(MOST).min(of_window).max(least);
        let every = libm::round(self.every) as u32;
        let wanted = if every <= self.unasked.every {
            self.unasked
        } else {
            Acking {
                every,
                delay: self.unasked.delay.max(heard.smoothed / LEAST_OF_ROUND),
            }
        };
        let last = self.last;
        let (longer, shorter) = (wanted.delay.max(last.delay), wanted.delay.min(last.delay));
        let differs = wanted.every != last.every || longer > shorter.mul_f64(FACTOR);
        self.due = (differs || self.is_lost).then_some(wanted);
    }

    /// The request that is due, if one is, leaves in the packet of this number.
    pub(super) fn send(&mut self, number: u64) -> Option<Acking> {
        let due = self.due.take()?;
        self.last = due;
        self.asked_in = Some(number);
        self.is_lost = false;
        self.longest = self.longest.max(due.delay);
        Some(due)
    }

    /// The packet of this number has arrived.
    pub(super) fn on_acked(&mut self, number: u64) {
        if self.asked_in.take_if(|asked| *asked == number).is_some() {
            self.longest = self.last.delay;
        }
    }

    /// The packet of this number is lost. If it carried the latest request, the sender sends another one.
    pub(super) fn on_lost(&mut self, number: u64) {
        if self.asked_in.take_if(|asked| *asked == number).is_some() {
            self.is_lost = true;
            self.due = self.due.or(Some(self.last));
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

    /// An ACK up to `largest` that was `ms` on its way back, when `next` is sent next; the smallest round trip is 100 ms, the
    /// smoothed one 200, the window `cwnd` packets.
    fn ack(ms: i64, largest: u64, next: u64, cwnd: f64) -> Heard {
        Heard {
            now: Time::ZERO + Duration::from_millis(20 * largest),
            largest,
            next,
            way_back: Offset::from_nanos(ms * 1_000_000 - 5_000_000_000),
            smoothed: Duration::from_millis(200),
            min_rtt: Duration::from_millis(100),
            cwnd: Segments(cwnd),
        }
    }

    /// A rule that has heard one ACK in each round trip of ten packets, each of these ms on its way back.
    fn heard(ways_back: &[i64], cwnd: f64) -> AckFrequency {
        let mut rule = AckFrequency::new(UNASKED);
        for (round, &ms) in (1..).zip(ways_back) {
            rule.on_ack(&ack(ms, 10 * round - 1, 10 * round + 9, cwnd));
        }
        rule
    }

    fn due(ways_back: &[i64], cwnd: f64) -> Option<(u32, u64)> {
        let due = heard(ways_back, cwnd).due?;
        Some((due.every, due.delay.as_nanos() / 1_000_000))
    }

    #[test]
    fn while_acks_wait_each_is_asked_for_twice_as_many_packets() {
        assert_eq!(due(&[30, 30, 30], 100.0), None);
        // Half of 100 ms is tolerated.
        assert_eq!(due(&[30, 80], 100.0), None);
        assert_eq!(due(&[30, 81], 100.0), Some((4, 50)));
        assert_eq!(due(&[30, 90, 90], 100.0), Some((8, 50)));
        assert_eq!(
            due(&[30, 90, 90, 90], 100.0),
            Some((8, 50)),
            "at most eight"
        );
    }

    #[test]
    fn what_is_asked_for_shrinks_slowly_when_nothing_waits() {
        let mut ways_back = vec![30, 90];
        ways_back.extend([30; 4]);
        assert_eq!(due(&ways_back, 100.0), Some((4, 50)));
        ways_back.extend([30; 16]);
        assert_eq!(due(&ways_back, 100.0), None, "as unasked");
    }

    #[test]
    fn a_window_has_four_acks() {
        assert_eq!(due(&[30, 3000, 3000, 3000], 20.0), Some((5, 50)));
        assert_eq!(due(&[30, 3000], 8.0), None, "two packets, as unasked");
    }

    #[test]
    fn the_shortest_wait_of_a_round_trip_counts() {
        let mut rule = heard(&[30, 30], 100.0);
        rule.on_ack(&ack(31, 25, 35, 100.0));
        rule.on_ack(&ack(500, 29, 39, 100.0));
        assert!(rule.due.is_none(), "one ACK of the round trip did not wait");
        rule.on_ack(&ack(500, 39, 49, 100.0));
        assert!(rule.due.is_some());
    }

    #[test]
    fn a_lost_request_is_repeated_and_one_that_arrived_is_not() {
        let mut rule = heard(&[30, 90], 100.0);
        let asked = rule.send(30);
        assert!(asked.is_some() && rule.due.is_none());
        assert_eq!(rule.max_ack_delay().as_nanos(), 50_000_000, "it may hold");
        rule.on_lost(30);
        assert_eq!(
            rule.max_ack_delay().as_nanos(),
            50_000_000,
            "it may be late"
        );
        assert_eq!(rule.send(31), asked);
        rule.on_acked(31);
        rule.on_lost(31);
        assert!(rule.due.is_none());
        assert_eq!(rule.max_ack_delay().as_nanos(), 50_000_000, "it holds");
    }

    #[test]
    fn after_a_lost_request_what_is_right_by_then_is_asked_for() {
        let mut rule = heard(&[30, 90], 100.0);
        rule.send(30);
        rule.on_lost(30);
        rule.on_ack(&ack(30, 39, 49, 8.0));
        assert_eq!(rule.send(49), Some(UNASKED), "though nobody waits");
        assert_eq!(
            rule.max_ack_delay().as_nanos(),
            50_000_000,
            "the first may come late"
        );
        rule.on_acked(49);
        assert_eq!(rule.max_ack_delay(), UNASKED.delay);
    }

    #[test]
    fn the_receiver_is_told_when_nothing_waits_any_more() {
        let mut rule = heard(&[30, 90], 100.0);
        assert!(rule.send(30).is_some());
        rule.on_acked(30);
        rule.every = 2.4;
        rule.on_ack(&ack(30, 49, 60, 100.0));
        assert_eq!(rule.send(60), Some(UNASKED));
    }
}
