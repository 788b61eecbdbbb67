//! How often the receiver shall acknowledge (section 3.2, item 3).
//!
//! One ACK a round trip, or one a threshold where that is less, is what should get through; so with
//! ACK losses more are asked for. The paper leaves the rule open, and its third factor (the deviation of
//! inter-ACK separations) to future work.

use crate::time::Duration;

use crate::wtcp::packet::Micros;

/// Weight of the latest ACK in the share that is lost.
const WEIGHT: f64 = 0.125;
/// However many are lost, some hope is left.
const MAX_LOSS: f64 = 0.9;

/// The share of ACKs that do not arrive.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AckLoss(f64);

impl AckLoss {
    /// An ACK arrived, `missing` numbers after the one before it.
    pub(super) fn on_ack(&mut self, missing: u64) {
        let share = missing as f64 / (missing as f64 + 1.0);
        self.0 += WEIGHT * (share - self.0);
    }

    /// Data packets for each ACK.
    pub(super) fn ack_every(self, rtt: Duration, threshold: Duration, separation: Micros) -> u16 {
        let wanted = rtt.min(threshold).as_secs_f64() * (1.0 - self.0.min(MAX_LOSS));
        // A cast of a float saturates.
        ((wanted / separation.as_secs_f64()) as u16).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEPARATION: Micros = Micros(100_000);

    fn ack_every(loss: AckLoss, rtt_ms: u64) -> u16 {
        let rtt = Duration::from_millis(rtt_ms);
        loss.ack_every(rtt, Duration::from_secs(5), SEPARATION)
    }

    #[test]
    fn one_ack_a_round_trip_and_at_least_one_a_threshold() {
        let none = AckLoss::default();
        assert_eq!(ack_every(none, 1000), 10);
        assert_eq!(ack_every(none, 60), 1);
        assert_eq!(ack_every(none, 60_000), 50);
    }

    #[test]
    fn lost_acks_ask_for_more() {
        let mut loss = AckLoss::default();
        loss.on_ack(0);
        assert_eq!(ack_every(loss, 1000), 10);
        (0..100).for_each(|_| loss.on_ack(1));
        assert_eq!(ack_every(loss, 1000), 5);
        (0..100).for_each(|_| loss.on_ack(1_000_000));
        assert_eq!(ack_every(loss, 1000), 1);
    }
}
