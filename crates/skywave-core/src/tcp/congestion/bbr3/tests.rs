//! The draft's rules, phase by phase, with ACKs as a path would send them.

mod cycle;
mod loss;
mod model;
mod start;

use std::ops::{Deref, DerefMut};

use super::*;
use crate::tcp::config::{Profile, TcpConfig};
use crate::tcp::congestion::path::testing::Acks;
use crate::tcp::preset::preset;
use crate::tcp::testing::window;
use crate::time::Duration;

const MSS: u32 = 1000;
/// Bytes that the path delivers in its round trip of 100 ms: a hundred segments, 8 Mb/s.
const BDP: u64 = 100_000;

fn config() -> TcpConfig {
    let composition = preset("bbr3").expect("a preset").composition.clone();
    TcpConfig {
        mss: MSS,
        ..TcpConfig::new(Profile::Rfc, composition)
    }
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// A sender on a path of 100 ms.
struct Path {
    bbr: Bbr3,
    window: Window,
    acks: Acks,
    /// The next segment to be lost.
    next: u64,
}

impl Deref for Path {
    type Target = Acks;
    fn deref(&self) -> &Acks {
        &self.acks
    }
}

impl DerefMut for Path {
    fn deref_mut(&mut self) -> &mut Acks {
        &mut self.acks
    }
}

impl Path {
    fn new() -> Self {
        Self {
            bbr: Bbr3::new(&config().setup()),
            window: window(10.0, 1e6),
            acks: Acks::new(BDP, MSS),
            next: 0,
        }
    }

    /// Past STARTUP and DRAIN, with a queue.
    fn down() -> Self {
        let mut path = Self::new();
        path.flight = 2 * BDP;
        for _ in 0..4 {
            path.round();
        }
        path.flight = BDP;
        path.within(ms(1));
        assert_eq!(path.bbr.phase, Phase::Cruise, "there is no queue");
        path.bbr.start_down(path.acks.now);
        path.window.cwnd = Segments(200.0);
        path
    }

    fn cruise() -> Self {
        let mut path = Self::down();
        path.within(ms(1));
        assert_eq!(path.bbr.phase, Phase::Cruise);
        path
    }

    fn refill() -> Self {
        let mut path = Self::cruise();
        path.within(ms(3000));
        assert_eq!(path.bbr.phase, Phase::Refill);
        path
    }

    fn up() -> Self {
        let mut path = Self::refill();
        path.round();
        assert_eq!(path.bbr.phase, Phase::Up);
        path
    }

    /// [`Acks::ack`], which the sender gets.
    fn ack(&mut self, segments: u64, after: Duration, age: u64) {
        let event = self.acks.ack(segments, after, age);
        self.bbr.on_ack(&event, &mut self.window);
    }

    /// A round trip in one ACK.
    fn round(&mut self) {
        self.ack(100, ms(101), 0);
    }

    /// In the middle of a round trip.
    fn within(&mut self, after: Duration) {
        self.ack(1, after, 1_000_000_000);
    }

    /// A segment is lost, one of `gap` after the last one, when so many bytes were in flight and lost with
    /// it.
    fn lose(&mut self, gap: u64, flight_at_send: u64, lost: u64) {
        let start = self.next + gap * u64::from(MSS);
        self.next = start + u64::from(MSS);
        let sample = LossSample {
            start,
            end: self.next,
            flight_at_send,
            lost,
            total_delivered: self.delivered,
            app_limited: self.app_limited,
        };
        self.bbr
            .on_segment_lost(self.acks.now, &sample, &self.window);
    }

    /// Something is lost that is not too much.
    fn lose_one(&mut self) {
        self.lose(1, BDP, u64::from(MSS));
    }

    fn phase(&self) -> Phase {
        self.bbr.phase
    }

    #[track_caller]
    fn expect_pace(&self, mbps: f64) {
        let pace = self.bbr.pace.rate().as_bps() as f64 / 1e6;
        assert!((pace - mbps).abs() < 1e-5, "pace is {pace}, not {mbps}");
    }

    #[track_caller]
    fn expect_cwnd(&self, cwnd: f64) {
        crate::tcp::testing::assert_near(self.window.cwnd.0, cwnd, "cwnd");
    }
}
