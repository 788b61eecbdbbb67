//! Rule by rule: what a loss does with a queue and without one, and how slow start ends.

use super::*;
use crate::tcp::congestion::path::testing::{MSS, OnPath, setup};
use crate::tcp::testing::{assert_near, loss_at, timeout_at, window};
use crate::time::Duration;

/// A path of 100 ms that delivers 100 segments in it.
const BDP: f64 = 100.0;
const STEP: Duration = Duration::from_millis(1);

type Sender = OnPath<Capacity>;

impl Sender {
    /// In its first slow start, with this window.
    fn starting(cwnd: f64) -> Self {
        let law = Capacity::new(&setup("skywave"));
        Self::of(law, window(cwnd, 1e9), BDP as u64)
    }

    /// After slow start, with the BDP known and this window.
    fn avoiding(cwnd: f64) -> Self {
        let mut sender = Self::starting(cwnd);
        sender.step();
        sender.law.startup = false;
        sender.window = window(cwnd, 2.0);
        sender
    }

    fn step(&mut self) {
        self.take_ack(1, STEP, BDP as u64 * u64::from(MSS));
    }

    /// An ACK of a segment that found this queue.
    fn queue(&mut self, ms: u64) {
        self.acks.rtt = Duration::from_millis(100 + ms);
        self.step();
    }

    /// The window after a loss.
    fn lose(&mut self) -> f64 {
        let loss = LossEvent {
            window: self.window.cwnd,
            ..loss_at(0, self.window.cwnd.0, 0, 0)
        };
        let response = self.law.on_loss(&loss, &self.window);
        self.window.apply(response);
        self.window.cwnd.0
    }
}

#[test]
fn a_loss_without_a_queue_cuts_nothing() {
    let mut sender = Sender::avoiding(200.0);
    sender.queue(80);
    sender.queue(5);
    let before = sender.window;
    sender.lose();
    assert_eq!(sender.window, before);
}

#[test]
fn a_loss_with_a_long_queue_is_cubics() {
    let mut sender = Sender::avoiding(200.0);
    sender.queue(80);
    let cwnd = sender.window.cwnd.0;
    assert_near(sender.lose(), 0.7 * cwnd, "cwnd");
}

#[test]
fn no_loss_cuts_below_the_bdp() {
    let mut sender = Sender::avoiding(120.0);
    sender.queue(20);
    assert_near(sender.lose(), BDP, "cwnd");
    // And where there is next to nothing above it, nothing is cut, and growth goes on.
    let mut sender = Sender::avoiding(104.0);
    sender.queue(20);
    let before = sender.window;
    sender.lose();
    assert_eq!(sender.window, before);
}

#[test]
fn half_of_the_largest_queue_is_long_where_the_buffer_is_small() {
    let mut sender = Sender::avoiding(200.0);
    sender.queue(4);
    sender.queue(2);
    let before = sender.window;
    sender.lose();
    assert_eq!(sender.window, before, "2 of 4 ms");
    sender.queue(3);
    let cwnd = sender.window.cwnd.0;
    assert_near(sender.lose(), 0.7 * cwnd, "cwnd at 3 of 4 ms");
}

#[test]
fn an_eighth_of_the_round_trip_is_a_long_queue() {
    let mut sender = Sender::avoiding(200.0);
    sender.queue(80);
    sender.queue(12);
    let before = sender.window;
    sender.lose();
    assert_eq!(sender.window, before, "12 of 100 ms");
    sender.queue(13);
    let cwnd = sender.window.cwnd.0;
    assert_near(sender.lose(), 0.7 * cwnd, "cwnd at 13 of 100 ms");
}

#[test]
fn an_explicit_notification_is_believed() {
    let mut sender = Sender::avoiding(200.0);
    sender.queue(80);
    let loss = LossEvent {
        cause: LossCause::Eln,
        ..loss_at(0, 200.0, 0, 0)
    };
    let response = sender.law.on_loss(&loss, &sender.window);
    assert_eq!(response.window_after, sender.window.cwnd);
}

#[test]
fn a_mark_cuts_without_a_queue_and_below_the_bdp() {
    let mut sender = Sender::avoiding(100.0);
    let mark = LossEvent {
        cause: LossCause::Mark,
        ..loss_at(0, 100.0, 0, 0)
    };
    let response = sender.law.on_ecn(&mark, &sender.window);
    assert_near(response.window_after.0, 70.0, "cwnd");
}

#[test]
fn the_window_grows_while_losses_are_repaired() {
    let mut sender = Sender::avoiding(100.0);
    sender.acks.repairing = crate::tcp::window::Repairing::Loss;
    for _ in 0..1000 {
        sender.step();
    }
    assert!(sender.window.cwnd.0 > 100.0);
}

#[test]
fn a_window_that_nobody_fills_does_not_grow() {
    let mut sender = Sender::avoiding(100.0);
    sender.acks.flight = 49 * u64::from(MSS);
    for _ in 0..1000 {
        sender.step();
    }
    assert_near(sender.window.cwnd.0, 100.0, "cwnd");
}

#[test]
fn a_loss_without_a_queue_does_not_end_slow_start() {
    let mut sender = Sender::starting(20.0);
    sender.step();
    sender.lose();
    let cwnd = sender.window.cwnd.0;
    sender.step();
    assert_near(sender.window.cwnd.0, cwnd + 1.0, "cwnd");
}

#[test]
fn slow_start_ends_at_the_bdp_when_a_loss_finds_a_queue() {
    let mut sender = Sender::starting(250.0);
    sender.queue(0);
    sender.queue(80);
    assert_near(sender.lose(), BDP, "cwnd");
    assert_near(sender.window.ssthresh.0, BDP, "ssthresh");
}

#[test]
fn slow_start_ends_when_the_rate_stops_growing() {
    let mut sender = Sender::starting(150.0);
    for _ in 0..99 {
        sender.step();
    }
    assert!(sender.law.startup, "one round trip");
    for _ in 0..400 {
        sender.step();
    }
    assert!(!sender.law.startup, "five round trips");
    assert_near(sender.window.ssthresh.0, BDP, "ssthresh");
}

#[test]
fn slow_start_ends_when_a_queue_stays_for_a_round_trip() {
    let mut sender = Sender::starting(150.0);
    sender.queue(0);
    let mut queue = |ms: u64| {
        // The rate still grows.
        sender.acks.rate = sender.acks.rate * 13 / 10;
        for _ in 0..100 {
            sender.queue(ms);
        }
        sender.law.startup
    };
    assert!(
        queue(20) && queue(20) && queue(20),
        "a fifth of the round trip"
    );
    assert!(!(queue(26) && queue(26)), "more than a quarter");
}

#[test]
fn slow_start_ends_when_a_round_trip_loses_more_than_a_channel_would() {
    let mut sender = Sender::starting(150.0);
    for _ in 0..20 {
        sender.acks.lost = 0.25;
        sender.step();
    }
    assert!(sender.law.startup, "a fifth is lost");
    for _ in 0..20 {
        sender.acks.lost = 1.0;
        sender.step();
    }
    assert!(!sender.law.startup, "more than a third is lost");
}

#[test]
fn a_timeout_restarts_and_goes_back_to_the_bdp_in_slow_start() {
    let mut sender = Sender::avoiding(100.0);
    let response = sender.law.on_timeout(&timeout_at(0, 100.0), &sender.window);
    assert_eq!(response.window_after, Segments::ONE);
    assert_near(response.ssthresh.0, BDP, "ssthresh");
}

#[test]
fn the_pace_is_linuxs() {
    let mut sender = Sender::starting(50.0);
    sender.step();
    let rate = |windows: f64| windows * f64::from(MSS) * 8.0 / 0.1;
    assert_near(
        sender.law.pace.as_bps() as f64,
        rate(2.0 * 51.0),
        "slow start",
    );
    let mut sender = Sender::avoiding(100.0);
    sender.acks.flight = 0;
    sender.step();
    assert_near(sender.law.pace.as_bps() as f64, rate(120.0), "afterwards");
}
