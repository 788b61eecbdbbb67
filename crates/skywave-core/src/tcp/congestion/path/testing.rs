//! A law on a path of 100 ms, and ACKs as that path would send them.

use std::ops::{Deref, DerefMut};

use crate::tcp::config::{Profile, TcpConfig};
use crate::tcp::congestion::CongestionControl;
use crate::tcp::flight::RateSample;
use crate::tcp::preset::preset;
use crate::tcp::slot::Setup;
use crate::tcp::testing::ack_at;
use crate::tcp::window::{AckEvent, Repairing, Window};
use crate::time::{Duration, Time};
use crate::units::Segments;

/// Payload of a segment.
pub(crate) const MSS: u32 = 1000;

pub(crate) fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// The ACKs of a path that delivers a segment an ACK, unless a test wants others.
pub(crate) struct Acks {
    pub(crate) now: Time,
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
    /// Position after the segment that was lost last.
    pub(crate) lost_to: u64,
}

impl Acks {
    /// Of a path that delivers `rate` bytes in its round trip, all of which are in flight.
    pub(crate) fn new(rate: u64) -> Self {
        Self {
            now: Time::ZERO + Duration::from_secs(1),
            delivered: 0,
            rate,
            flight: rate,
            repairing: Repairing::Nothing,
            lost: 0.0,
            lost_meanwhile: 0,
            app_limited: false,
            rtt: ms(100),
            lost_to: 0,
        }
    }

    /// An ACK of `segments`, `after` since the last one, of a segment sent when `age` bytes less than now
    /// had been delivered.
    pub(crate) fn ack(&mut self, segments: u64, after: Duration, age: u64) -> AckEvent {
        let prior = self.delivered.saturating_sub(age);
        self.delivered += segments * u64::from(MSS);
        self.now += after;
        let sample = RateSample {
            delivered: self.rate,
            interval: ms(100),
            send_elapsed: Duration::ZERO,
            receiver_time: None,
            prior_delivered: prior,
            total_delivered: self.delivered,
            flight_at_send: self.flight,
            flight_before: self.flight,
            flight_now: self.flight,
            lost: self.lost_meanwhile,
            rtt: Some(self.rtt),
            app_limited: self.app_limited,
            too_short: false,
            of_original: false,
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

/// What a law of this preset is told of its connection.
pub(crate) fn setup(name: &str) -> Setup {
    let composition = preset(name).expect("a preset").composition.clone();
    let config = TcpConfig {
        mss: MSS,
        ..TcpConfig::new(Profile::Rfc, composition)
    };
    config.setup()
}

/// A law, its window, and the path that it sends over.
pub(crate) struct OnPath<L> {
    pub(crate) law: L,
    /// Segments that the path delivers in its round trip.
    bdp: u64,
    pub(crate) window: Window,
    pub(crate) acks: Acks,
}

impl<L> Deref for OnPath<L> {
    type Target = Acks;
    fn deref(&self) -> &Acks {
        &self.acks
    }
}

impl<L> DerefMut for OnPath<L> {
    fn deref_mut(&mut self) -> &mut Acks {
        &mut self.acks
    }
}

impl<L: CongestionControl> OnPath<L> {
    /// On a path that delivers so many segments in its round trip.
    pub(crate) fn of(law: L, window: Window, bdp: u64) -> Self {
        Self {
            law,
            bdp,
            window,
            acks: Acks::new(bdp * u64::from(MSS)),
        }
    }

    /// A round trip in one ACK.
    pub(crate) fn round(&mut self) {
        self.take_ack(self.bdp, ms(101), 0);
    }

    /// An ACK in the middle of a round trip.
    pub(crate) fn within(&mut self, after: Duration) {
        self.take_ack(1, after, u64::MAX);
    }

    /// [`Acks::ack`], which the law hears of.
    pub(crate) fn take_ack(&mut self, segments: u64, after: Duration, age: u64) {
        let event = self.acks.ack(segments, after, age);
        self.law.on_ack(&event);
        self.law.grow(&event, &mut self.window);
    }

    #[track_caller]
    pub(crate) fn expect_pace(&self, mbps: f64) {
        let pace = self.law.pacing_rate().expect("a pace").as_bps() as f64 / 1e6;
        assert!((pace - mbps).abs() < 1e-5, "pace is {pace}, not {mbps}");
    }
}
