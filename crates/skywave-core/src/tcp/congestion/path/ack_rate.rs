//! The rate at which ACKs say that data arrives, by the estimator of TCP Jersey.

use super::AckCount;
use crate::tcp::window::AckEvent;
use crate::time::{Duration, Time};
use crate::units::Segments;

/// Available bandwidth estimation (ABE; Xu, Tian and Ansari 2004): with each ACK
/// `Rₙ = (RTT·Rₙ₋₁ + Lₙ) / ((tₙ − tₙ₋₁) + RTT)`. The rate before the last
/// round trip has little weight.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AckRate {
    count: AckCount,
    last_ack: Option<Time>,
    /// R, segments per second.
    rate: f64,
    /// Smoothed round-trip time of the retransmission timer, after the first sample.
    rtt: Option<Duration>,
}

impl AckRate {
    /// An ACK came, of new data or a duplicate one.
    pub(crate) fn on_ack(&mut self, ack: &AckEvent) {
        let arrived = self.count.reported(ack.acked.0);
        let last = self.last_ack.replace(ack.now);
        self.rtt = ack.srtt.or(self.rtt);
        // The first ACK begins the first interval.
        if let (Some(last), Some(rtt)) = (last, self.rtt) {
            let (gap, rtt) = (ack.now.since(last).as_secs_f64(), rtt.as_secs_f64());
            if gap + rtt > 0.0 {
                self.rate = (rtt * self.rate + arrived) / (gap + rtt);
            }
        }
    }

    /// Nothing was sent for a while: the next ACK begins an interval, of which the pause is no part.
    pub(crate) fn on_resume(&mut self) {
        self.last_ack = None;
    }

    /// Segments that the path takes in `time`; `None` before there is an estimate.
    pub(crate) fn in_time(&self, time: Duration) -> Option<Segments> {
        (self.rate > 0.0).then(|| Segments(self.rate * time.as_secs_f64()))
    }

    /// Segments that the path takes in the smoothed round trip; `None` before there is an estimate.
    pub(crate) fn in_round_trip(&self) -> Option<Segments> {
        self.in_time(self.rtt?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::testing::{ack_at, assert_near};

    /// A round trip of 100 ms, one ACK of `acked` segments at `ms`.
    fn ack(rate: &mut AckRate, ms: f64, acked: f64) {
        rate.on_ack(&AckEvent {
            srtt: Some(Duration::from_millis(100)),
            ..ack_at(ms, acked)
        });
    }

    #[test]
    fn it_is_the_recursion_by_hand() {
        let mut rate = AckRate::default();
        ack(&mut rate, 0.0, 1.0);
        assert_eq!(rate.in_round_trip(), None);
        ack(&mut rate, 100.0, 2.0);
        assert_near(rate.rate, 2.0 / 0.2, "R after the first interval");
        ack(&mut rate, 125.0, 1.0);
        assert_near(rate.rate, (0.1 * 10.0 + 1.0) / 0.125, "R after the second");
        let window = rate.in_round_trip().expect("an estimate");
        assert_near(window.0, 1.6, "segments in a round trip");
    }

    #[test]
    fn it_settles_at_the_rate_of_the_acks_and_forgets_a_pause() {
        let mut rate = AckRate::default();
        for n in 0..200 {
            ack(&mut rate, f64::from(n) * 10.0, 1.0);
        }
        // 100 ACKs a second of one segment each.
        assert!((rate.rate - 100.0).abs() < 0.01, "{}", rate.rate);
        ack(&mut rate, 1990.0 + 900.0, 1.0);
        assert!((rate.rate - 11.0).abs() < 0.01, "{}", rate.rate);
    }

    #[test]
    fn a_pause_in_which_nothing_was_sent_leaves_the_rate() {
        let mut rate = AckRate::default();
        ack(&mut rate, 0.0, 1.0);
        ack(&mut rate, 100.0, 2.0);
        rate.on_resume();
        ack(&mut rate, 100_000.0, 1.0);
        assert_near(rate.rate, 10.0, "R after a pause");
        ack(&mut rate, 100_100.0, 2.0);
        assert_near(
            rate.rate,
            (0.1 * 10.0 + 2.0) / 0.2,
            "R after the next interval",
        );
    }

    #[test]
    fn what_duplicate_acks_announced_is_not_counted_again() {
        let mut rate = AckRate::default();
        ack(&mut rate, 0.0, 1.0);
        for _ in 0..3 {
            ack(&mut rate, 0.0, 0.0);
        }
        assert_near(rate.rate, 30.0, "R after three duplicate ACKs at once");
        ack(&mut rate, 0.0, 4.0);
        assert_near(rate.rate, 40.0, "R after the ACK of the four");
    }
}
