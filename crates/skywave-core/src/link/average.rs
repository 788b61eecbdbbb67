//! The average of a queue, as RED keeps it (Floyd and Jacobson 1993, section 4).

use crate::time::Time;
use crate::units::Rate;

/// An exponential average of the queue, over arrivals.
///
/// At each arrival `avg ← (1−w)^(m+1)·avg + w·q`, where `m` is how many typical packets could have been sent
/// since the link became idle (0 if it is not idle), and `q` is what waits.
#[derive(Clone, Debug)]
pub(super) struct Average {
    weight: f64,
    rate: Rate,
    pub(super) value: f64,
    /// When the transmitter has nothing more to send.
    idle_from: Time,
}

impl Average {
    /// Average of zero, for an empty queue before a transmitter of `rate`; a sample weighs
    /// `weight`.
    pub(super) fn new(weight: f64, rate: Rate) -> Self {
        Self {
            weight,
            rate,
            value: 0.0,
            idle_from: Time::ZERO,
        }
    }

    /// A packet arrives while `length` waits; a typical packet has `typical` bytes, at least one.
    pub(super) fn update(&mut self, now: Time, length: f64, typical: u64) {
        let mut keep = 1.0 - self.weight;
        if now > self.idle_from {
            let missed = self.rate.bytes_in(now.since(self.idle_from)) / typical;
            keep = libm::pow(keep, (missed + 1) as f64);
        }
        self.value = keep * self.value + self.weight * length;
    }

    /// The transmitter will be idle from `end` on, unless another packet comes before.
    pub(super) fn idle_from(&mut self, end: Time) {
        self.idle_from = end;
    }
}
