//! Rule by rule: what a loss does with a queue and without one, and how slow start ends.

use super::*;
use crate::tcp::congestion::path::testing::{MSS, OnPath, setup};
use crate::tcp::testing::{assert_near, loss_at, timeout_at, window};
use crate::time::Duration;

/// A path of 100 ms that delivers 100 segments in it, with an ACK for each: a lump of one.
const BDP: f64 = 100.0;
const LUMP: f64 = 1.0;
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

    /// The same beside others, with this window: the queue has stayed for more than twenty round trips.
    fn beside_others(cwnd: f64) -> Self {
        let mut sender = Self::avoiding(100.0);
        for _ in 0..2_300 {
            sender.queue(80);
        }
        assert!(!sender.law.alone.is_alone() && !sender.law.alone.looks());
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
    assert_near(sender.lose(), BDP + LUMP, "cwnd");
    let mut sender = Sender::beside_others(120.0);
    sender.queue(20);
    assert_near(sender.lose(), BDP, "cwnd beside others");
    // And where there is next to nothing above it, nothing is cut, and growth goes on.
    let mut sender = Sender::avoiding(104.0);
    sender.queue(20);
    let before = sender.window;
    sender.lose();
    assert_eq!(sender.window, before);
}

#[test]
fn alone_half_of_the_largest_queue_is_long() {
    for largest in [4, 80] {
        let mut sender = Sender::avoiding(200.0);
        sender.queue(largest);
        sender.queue(largest / 2);
        let before = sender.window;
        sender.lose();
        assert_eq!(sender.window, before, "half of {largest} ms");
        sender.queue(largest * 3 / 4);
        let bound = 1.5 * BDP + LUMP;
        assert_near(sender.lose(), 0.7 * bound, "cwnd at three quarters");
    }
}

#[test]
fn alone_the_window_grows_to_one_and_a_half_bdps() {
    let mut sender = Sender::avoiding(140.0);
    for _ in 0..10_000 {
        sender.queue(0);
    }
    assert_near(sender.window.cwnd.0, 1.5 * BDP + LUMP, "cwnd");
}

#[test]
fn beside_others_the_window_grows_further() {
    let bound = 1.5 * BDP + LUMP;
    let mut sender = Sender::beside_others(bound);
    for _ in 0..10_000 {
        sender.queue(80);
    }
    assert!(sender.window.cwnd.0 > bound + 1.0);
}

#[test]
fn a_sender_that_sees_a_queue_for_long_looks_whether_it_is_its_own() {
    let mut sender = Sender::avoiding(140.0);
    sender.acks.flight = 200 * u64::from(MSS);
    let mut rounds = 0;
    while !sender.law.alone.looks() {
        (0..100).for_each(|_| sender.queue(40));
        rounds += 1;
        assert!(rounds < 20);
    }
    assert!(rounds >= 15, "{rounds} round trips");
    assert_near(sender.window.cwnd.0, BDP, "cwnd while it looks");
    // No loss of this time cuts anything.
    assert_near(sender.lose(), BDP, "cwnd after a loss");
    let own = sender.law.own.cwnd.0;
    sender.queue(1);
    assert!(sender.window.cwnd.0 >= own, "it has seen no queue");
}

#[test]
fn a_few_segments_are_no_queue() {
    // A segment takes 1 ms: three are on their way, and the fourth makes a queue, where the round trip is short.
    let mut sender = Sender::avoiding(100.0);
    for _ in 0..100 {
        sender.acks.rtt = Duration::from_millis(10);
        sender.step();
    }
    assert!(!sender.law.queue.is_long_for_the_path());
    sender.acks.rtt = Duration::from_millis(13);
    sender.step();
    assert!(!sender.law.queue.is_long_for_the_path());
    sender.acks.rtt = Duration::from_millis(14);
    sender.step();
    assert!(sender.law.queue.is_long_for_the_path());
}

#[test]
fn a_cut_by_mistake_is_taken_back() {
    type Cut = fn(&mut Sender) -> Response;
    let by_loss: Cut = |s| s.law.on_loss(&loss_at(0, 200.0, 0, 0), &s.window);
    let by_timeout: Cut = |s| s.law.on_timeout(&timeout_at(0, 200.0), &s.window);
    for cut in [by_loss, by_timeout] {
        let mut sender = Sender::beside_others(200.0);
        let before = sender.window.cwnd;
        let response = cut(&mut sender);
        sender.window.apply(response);
        assert!(sender.window.cwnd < before);
        let spurious = SpuriousEvent {
            now: sender.acks.now,
            outstanding: before,
        };
        sender.law.on_spurious(&spurious, &mut sender.window);
        assert_eq!(sender.window.cwnd, before);
    }
}

#[test]
fn beside_others_an_eighth_of_the_round_trip_is_a_long_queue() {
    let mut sender = Sender::beside_others(200.0);
    sender.queue(12);
    let before = sender.window;
    sender.lose();
    assert_eq!(sender.window, before, "12 of 100 ms");
    let mut sender = Sender::beside_others(200.0);
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
    assert_near(sender.lose(), BDP + LUMP, "cwnd");
    assert_near(sender.window.ssthresh.0, BDP + LUMP, "ssthresh");
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
    assert_near(sender.window.ssthresh.0, BDP + LUMP, "ssthresh");
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
