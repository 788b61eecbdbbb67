//! After any events a flight gives the same answers as a walk over all segments.

use super::literal::Literal;
use super::*;
use crate::time::Duration;
use proptest::prelude::*;

const MSS: u32 = 100;

#[derive(Clone, Debug)]
enum Operation {
    /// Time passes, in milliseconds.
    Wait(u64),
    /// New segments of this many bytes.
    Send(Vec<u64>),
    /// The next segment in order is sent again, as in going back N.
    SendInOrder,
    /// The first segment that is marked lost is sent again.
    SendLost,
    /// The hole that a rescue retransmission would fill is sent.
    Rescue,
    /// Any segment in flight is sent, as a probe would be; its position in thousandths of the flight.
    Probe(u64),
    /// A block between these positions in thousandths of the flight, in whole segments or not.
    Sack(u64, u64, bool),
    /// An ACK up to this position in thousandths of the flight, of whole segments or not.
    Acknowledge(u64, bool),
    /// The segments that DupThresh finds lost are marked.
    MarkLost(u32),
    /// The segments that Sack1 finds lost are marked.
    MarkHoles,
    MarkFirstLost,
    /// The segments that RACK finds lost with this reordering window, in milliseconds, are marked.
    MarkSentBefore(u64),
    EndRecovery,
    Rewind,
    ClearSacked,
}

fn operation() -> impl Strategy<Value = Operation> {
    use Operation as O;
    let size = prop_oneof![8 => Just(u64::from(MSS)), 1 => 1..=u64::from(MSS)];
    prop_oneof![
        4 => (0..20u64).prop_map(O::Wait),
        6 => prop::collection::vec(size, 1..8).prop_map(O::Send),
        4 => Just(O::SendInOrder),
        8 => Just(O::SendLost),
        3 => Just(O::Rescue),
        2 => (0..1000u64).prop_map(O::Probe),
        16 => (0..1000u64, 0..1000u64, prop::bool::weighted(0.9))
            .prop_map(|(a, b, whole)| O::Sack(a, b, whole)),
        5 => (0..400u64, prop::bool::weighted(0.9)).prop_map(|(a, whole)| O::Acknowledge(a, whole)),
        6 => (0..6u32).prop_map(O::MarkLost),
        2 => Just(O::MarkHoles),
        2 => Just(O::MarkFirstLost),
        6 => (0..30u64).prop_map(O::MarkSentBefore),
        1 => Just(O::EndRecovery),
        1 => Just(O::Rewind),
        1 => Just(O::ClearSacked),
    ]
}

/// Both flights, after the same operations.
struct Both {
    fast: Flight,
    literal: Literal,
    now: Time,
}

impl Both {
    fn new() -> Self {
        let mut fast = Flight::default();
        fast.track_delivery(false);
        Self {
            fast,
            literal: Literal::default(),
            now: Time::ZERO,
        }
    }

    /// The position at this many thousandths of the flight, rounded to a whole number of segments.
    fn place(&self, thousandth: u64, whole: bool) -> u64 {
        let (una, max) = (self.fast.una(), self.fast.max());
        let position = una + (max - una) * thousandth / 1000;
        match self.fast.at(position) {
            Some(segment) if whole => segment.start,
            _ => position,
        }
    }

    fn rule(&self, wait: u64) -> SentBefore {
        let delivery = self.fast.delivery().expect("it is kept");
        delivery.sent_before(Duration::from_millis(wait), self.now)
    }

    fn begin_ack(&mut self) {
        self.fast.begin_ack(self.now, None);
        self.literal.delivery.begin_ack(self.now, None);
    }

    fn send_again(&mut self, position: u64) {
        self.fast.send_again(position, self.now);
        self.literal.send_again(position, self.now);
    }

    fn apply(&mut self, operation: &Operation) {
        let Self { fast, literal, now } = self;
        match *operation {
            Operation::Wait(ms) => *now += Duration::from_millis(ms),
            Operation::Send(ref sizes) => {
                let goes_back = fast.nxt() < fast.max();
                for size in sizes.iter().filter(|_| !goes_back) {
                    let end = fast.max() + size;
                    fast.send_new(end, *now);
                    literal.send_new(end, *now);
                }
            }
            Operation::SendInOrder => {
                fast.skip_sacked();
                literal.skip_sacked();
                assert_eq!(fast.nxt(), literal.nxt);
                self.send_again(self.literal.nxt);
            }
            Operation::SendLost => {
                let lost = fast.next_lost();
                assert_eq!(lost, literal.next_lost().map(|s| s.start..s.end));
                if let Some(lost) = lost {
                    self.send_again(lost.start);
                }
            }
            Operation::Rescue => {
                let hole = fast.next_hole();
                assert_eq!(hole, literal.next_hole());
                if let Some(hole) = hole {
                    self.send_again(hole.start);
                }
            }
            Operation::Probe(place) => self.send_again(self.place(place, true)),
            Operation::Sack(from, to, whole) => {
                let (start, end) = (self.place(from, whole), self.place(to, whole));
                self.begin_ack();
                let fresh = self.fast.sack(start, end);
                assert_eq!(fresh, self.literal.sack(start, end));
            }
            Operation::Acknowledge(place, whole) => {
                let ack = self.place(place, whole);
                self.begin_ack();
                if ack > self.literal.una {
                    let acked = self.fast.acknowledge(ack);
                    assert_eq!(acked.sacked_before, self.literal.acknowledge(ack));
                }
            }
            Operation::MarkLost(threshold) => {
                fast.mark_lost_below(fast.lost_below(MSS, threshold));
                literal.mark_lost_below(literal.lost_below(MSS, threshold));
            }
            Operation::MarkHoles => {
                fast.mark_lost_below(fast.highest_sacked());
                literal.mark_lost_below(literal.highest_sacked);
            }
            Operation::MarkFirstLost => {
                fast.mark_first_lost();
                literal.mark_first_lost();
            }
            Operation::MarkSentBefore(wait) => {
                let rule = self.rule(wait);
                self.fast.mark_sent_before(rule);
                self.literal.mark_sent_before(rule);
            }
            Operation::EndRecovery => {
                fast.end_recovery();
                literal.end_recovery();
            }
            Operation::Rewind => {
                fast.rewind();
                literal.rewind();
            }
            Operation::ClearSacked => {
                fast.clear_sacked();
                literal.clear_sacked();
            }
        }
    }

    fn compare(&self) {
        let Self { fast, literal, .. } = self;
        let edges = |una, nxt, max, highest| (una, nxt, max, highest);
        assert_eq!(
            edges(fast.una(), fast.nxt(), fast.max(), fast.highest_sacked()),
            edges(
                literal.una,
                literal.nxt,
                literal.max,
                literal.highest_sacked
            )
        );
        let segments: Vec<Sent> = fast.segments().collect();
        assert_eq!(segments, literal.segments);
        assert_eq!(fast.lost_bytes(), literal.bytes(|s| s.lost));
        assert_eq!(fast.sacked_bytes(), literal.bytes(|s| s.sacked));
        assert_eq!(fast.pipe(), literal.pipe());
        assert_eq!(fast.first(), literal.segments.first().copied());
        assert_eq!(fast.last(), literal.segments.last().copied());
        // A search remembers how far it went. The copy discards this, so that later steps are tried with
        // and without it.
        let lost = literal.next_lost().map(|s| s.start..s.end);
        assert_eq!(fast.clone().next_lost(), lost);
        assert_eq!(fast.clone().next_hole(), literal.next_hole());
        let held = literal.segments.iter().filter(|s| s.sacked).count();
        for wanted in 0..5 {
            assert_eq!(fast.holds_segments(wanted), held >= wanted);
        }
        for segment in &segments {
            assert_eq!(fast.at(segment.start), Some(*segment));
            let last = fast.last_hole_below(segment.end);
            assert_eq!(last, literal.last_hole_below(segment.end));
        }
        if segments.first().is_some_and(|first| !first.sacked) {
            for threshold in 0..6 {
                let (fast, literal) = (
                    fast.lost_below(MSS, threshold),
                    literal.lost_below(MSS, threshold),
                );
                assert_eq!(fast > self.fast.una(), literal > self.fast.una());
            }
        }
        for wait in [0, 1, 5, 20, 100] {
            let rule = self.rule(wait);
            assert_eq!(fast.judge(rule), literal.judge(rule), "{rule:?}");
        }
        self.compare_deliveries();
    }

    fn compare_deliveries(&self) {
        let seen = |d: &Delivery| {
            let rule = d.sent_before(Duration::ZERO, Time::ZERO);
            (d.rtt(), d.min_rtt(), d.reordered(), rule)
        };
        let fast = self.fast.delivery().expect("it is kept");
        assert_eq!(seen(fast), seen(&self.literal.delivery));
    }
}

/// A segment with two copies in the pipe is found lost, skipped because it is lost, and sent once more.
#[test]
fn a_lost_segment_that_counts_twice_is_judged_again_once_it_was_sent() {
    let mut both = Both::new();
    for operation in [
        Operation::Send(vec![100, 100, 100]),
        Operation::Sack(334, 667, false),
        Operation::Rescue,
        Operation::MarkFirstLost,
        Operation::MarkHoles,
        Operation::SendLost,
        Operation::MarkHoles,
    ] {
        both.apply(&operation);
        both.compare();
    }
}

proptest! {
    #[test]
    fn its_answers_are_those_of_a_walk(operations in prop::collection::vec(operation(), 1..100)) {
        let mut both = Both::new();
        for operation in &operations {
            both.apply(operation);
            both.compare();
        }
    }
}
