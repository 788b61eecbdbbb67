//! The draft's rules, phase by phase, with ACKs as a path would send them.

mod cycle;
mod loss;
mod model;
mod start;

use super::*;
use crate::tcp::congestion::path::testing::{MSS, OnPath, ms, setup};
use crate::tcp::testing::window;
use crate::time::Duration;

/// Bytes that the path delivers in its round trip of 100 ms: a hundred segments, 8 Mb/s.
const BDP: u64 = 100_000;

/// A sender on a path of 100 ms.
type Path = OnPath<Bbr3>;

impl Path {
    fn new() -> Self {
        Self::of(Bbr3::new(&setup("bbr3")), window(10.0, 1e6), 100)
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
        assert_eq!(path.law.phase, Phase::Cruise, "there is no queue");
        path.law.start_down(path.acks.now);
        path.window.cwnd = Segments(200.0);
        path
    }

    fn cruise() -> Self {
        let mut path = Self::down();
        path.within(ms(1));
        assert_eq!(path.law.phase, Phase::Cruise);
        path
    }

    fn refill() -> Self {
        let mut path = Self::cruise();
        path.within(ms(3000));
        assert_eq!(path.law.phase, Phase::Refill);
        path
    }

    fn up() -> Self {
        let mut path = Self::refill();
        path.round();
        assert_eq!(path.law.phase, Phase::Up);
        path
    }

    /// A segment is lost, one of `gap` after the last one, when so many bytes were in flight and lost with
    /// it.
    fn lose(&mut self, gap: u64, flight_at_send: u64, lost: u64) {
        let start = self.lost_to + gap * u64::from(MSS);
        self.lost_to = start + u64::from(MSS);
        let sample = LossSample {
            start,
            end: self.lost_to,
            flight_at_send,
            lost,
            total_delivered: self.delivered,
            sent_at: self.acks.now,
            resent: false,
            app_limited: self.app_limited,
        };
        self.law
            .on_segment_lost(self.acks.now, &sample, &self.window);
    }

    /// Something is lost that is not too much.
    fn lose_one(&mut self) {
        self.lose(1, BDP, u64::from(MSS));
    }

    fn phase(&self) -> Phase {
        self.law.phase
    }

    #[track_caller]
    fn expect_cwnd(&self, cwnd: f64) {
        crate::tcp::testing::assert_near(self.window.cwnd.0, cwnd, "cwnd");
    }
}
