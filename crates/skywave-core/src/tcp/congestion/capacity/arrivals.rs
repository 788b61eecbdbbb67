//! Arrivals of data by the receiver's clock: a queue of ACKs on the way back hides how fast data arrive.
//!
//! While such a queue grows, ACKs come no faster than the way back carries them, whatever arrives at the receiver: by
//! them, a faster pace delivers nothing more, and a sender that goes by them stays at the rate of the ACKs. What the
//! receiver's timestamps say of the same data does not depend on the way back.

use std::collections::VecDeque;

use crate::tcp::flight::RateSample;
use crate::time::{Duration, Offset, Time};
use crate::units::Rate;

/// Longest tick of a receiver's clock: two readings may differ by this much less than the time between them.
const TICK: Duration = Duration::from_millis(10);
/// ACKs that take at least this many times as long as their data arrived through a queue on the way back. Jitter
/// stretches them by less.
const STRETCHED: u64 = 2;

/// The receiver's clock is not used if the sender's has run at least this many times as far since the first reading:
/// the receiver's timestamps then have another tick than the sender assumes. A queue on the way back, which delays the
/// readings, slows the clock down by less.
const CREEPS: u64 = 8;

/// Bytes delivered on the connection as of each ACK of the latest round trip, and when the last of them arrived.
#[derive(Clone, Debug, Default)]
pub(super) struct Arrivals {
    acks: VecDeque<(u64, Offset)>,
    /// First reading of the receiver's clock, and when it came.
    first: Option<(Time, Offset)>,
    /// Latest reading of the receiver's clock.
    latest: Option<Offset>,
}

impl Arrivals {
    /// The rate at which the sample's data arrived by the receiver's clock; `None` unless their ACKs took much longer.
    pub(super) fn on_ack(&mut self, now: Time, sample: &RateSample) -> Option<Rate> {
        let prior = sample.prior_delivered;
        while self.acks.front().is_some_and(|ack| ack.0 < prior) {
            self.acks.pop_front();
        }
        let read = sample.receiver_time?;
        // In QUIC an ACK may report packets that later ones have overtaken: its reading is then an older one.
        let latest = self.latest.map_or(read, |latest| latest.max(read));
        self.latest = Some(latest);
        let first = *self.first.get_or_insert((now, latest));
        let since = self.acks.front().filter(|ack| ack.0 == prior).copied();
        self.acks.push_back((sample.total_delivered, latest));
        let after =
            |before: Offset| Duration::from_nanos(latest.as_nanos().abs_diff(before.as_nanos()));
        let interval = (after(since?.1) + TICK).max(sample.send_elapsed);
        let creeps = after(first.1) * CREEPS < now.since(first.0);
        if sample.too_short || creeps || interval * STRETCHED > sample.interval {
            return None;
        }
        RateSample {
            interval,
            ..*sample
        }
        .rate()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::congestion::path::testing::{Acks, MSS, ms};

    /// ACKs of ten segments each, with these times between them: by the sender's clock, and by the receiver's, which
    /// begins 50 ms before its zero. The rate that the last one tells, in segments a second, of what was delivered since
    /// the one before.
    fn rate(acks: &[(u64, i64)], sending: Duration) -> Option<f64> {
        let mut path = Acks::new(10 * u64::from(MSS));
        let (mut arrivals, mut told, mut rate) = (Arrivals::default(), -50, None);
        for &(after, arrived) in acks {
            told += arrived;
            let sample = path.ack(10, ms(after), 0).rate.expect("a sample");
            let sample = RateSample {
                interval: ms(after),
                send_elapsed: sending,
                receiver_time: Some(Offset::from_nanos(told * 1_000_000)),
                ..sample
            };
            rate = arrivals.on_ack(path.now, &sample);
        }
        rate.map(|rate| rate.as_bps_f64() / (8.0 * f64::from(MSS)))
    }

    #[test]
    fn what_acks_wait_on_the_way_back_does_not_count() {
        // Ten segments in 90 ms, and the tick that the clock may hide.
        assert_eq!(rate(&[(0, 0), (400, 90)], Duration::ZERO), Some(100.0));
    }

    #[test]
    fn a_little_may_be_jitter() {
        assert_eq!(rate(&[(0, 0), (190, 90)], Duration::ZERO), None);
    }

    #[test]
    fn no_more_arrives_than_was_sent() {
        assert_eq!(rate(&[(0, 0), (400, 90)], ms(200)), Some(50.0));
        assert_eq!(rate(&[(0, 0), (400, 90)], ms(300)), None);
    }

    #[test]
    fn an_ack_of_what_was_overtaken_takes_no_time_back() {
        let acks = [(0, 0), (100, 90), (400, -30), (400, 120)];
        assert_eq!(rate(&acks, Duration::ZERO), Some(100.0));
    }

    #[test]
    fn without_a_reading_there_is_no_rate() {
        let mut path = Acks::new(10 * u64::from(MSS));
        let mut arrivals = Arrivals::default();
        for _ in 0..2 {
            let sample = path.ack(10, ms(400), 0).rate.expect("a sample");
            assert_eq!(arrivals.on_ack(path.now, &sample), None);
        }
    }

    #[test]
    fn a_clock_that_creeps_is_not_believed() {
        // As a clock of 1 ms looks that is taken for one of 0.1 ms.
        assert_eq!(rate(&[(0, 0), (400, 40), (400, 40)], Duration::ZERO), None);
        assert_eq!(
            rate(&[(0, 0), (400, 110), (400, 90)], Duration::ZERO),
            Some(100.0)
        );
    }
}
