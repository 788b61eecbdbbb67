//! ACKs as a path of 100 ms would send them.

use crate::tcp::flight::RateSample;
use crate::tcp::testing::ack_at;
use crate::tcp::window::{AckEvent, Repairing};
use crate::time::{Duration, Time};
use crate::units::Segments;

/// The ACKs of a path that delivers a segment an ACK, unless a test wants others.
pub(crate) struct Acks {
    pub(crate) now: Time,
    pub(crate) mss: u32,
    pub(crate) delivered: u64,
    /// Bytes that a round trip delivers.
    pub(crate) rate: u64,
    /// What is in flight before and after each ACK, and was when the segment was sent.
    pub(crate) flight: u64,
    pub(crate) repairing: Repairing,
    /// Segments found lost by the next ACK, and bytes while its segment was on its way.
    pub(crate) lost: f64,
    pub(crate) lost_meanwhile: u64,
    pub(crate) app_limited: bool,
    pub(crate) rtt: Duration,
}

impl Acks {
    /// Of a path that delivers `rate` bytes in its round trip, all of which are in flight.
    pub(crate) fn new(rate: u64, mss: u32) -> Self {
        Self {
            now: Time::ZERO + Duration::from_secs(1),
            mss,
            delivered: 0,
            rate,
            flight: rate,
            repairing: Repairing::Nothing,
            lost: 0.0,
            lost_meanwhile: 0,
            app_limited: false,
            rtt: Duration::from_millis(100),
        }
    }

    /// An ACK of `segments`, `after` since the last one, of a segment sent when `age` bytes less than now
    /// had been delivered.
    pub(crate) fn ack(&mut self, segments: u64, after: Duration, age: u64) -> AckEvent {
        let prior = self.delivered.saturating_sub(age);
        self.delivered += segments * u64::from(self.mss);
        self.now += after;
        let sample = RateSample {
            delivered: self.rate,
            interval: Duration::from_millis(100),
            prior_delivered: prior,
            total_delivered: self.delivered,
            flight_at_send: self.flight,
            flight_before: self.flight,
            flight_now: self.flight,
            lost: self.lost_meanwhile,
            rtt: Some(self.rtt),
            app_limited: self.app_limited,
            too_short: false,
        };
        AckEvent {
            now: self.now,
            rate: Some(sample),
            srtt: Some(self.rtt),
            lost: Segments(self.lost),
            repairing: self.repairing,
            ..ack_at(0.0, segments as f64)
        }
    }
}
