//! The law by events, on a path of 100 ms that delivers 100 segments in it.

use super::*;
use crate::tcp::congestion::path::testing::{MSS, OnPath, ms, setup};
use crate::tcp::testing::{assert_near, loss_at, timeout_at, window};
use crate::time::Offset;

const BDP: u64 = 100;
/// An ACK of a round trip is a lump of it, up to 100 ms' worth.
const LUMP: f64 = 100.0;

type Sender = OnPath<Capacity>;

impl Sender {
    fn starting() -> Self {
        let law = Capacity::new(&setup("skywave"));
        Self::of(law, window(10.0, 1e9), BDP)
    }

    /// Alone, after slow start.
    fn alone() -> Self {
        let mut sender = Self::starting();
        while !matches!(sender.law.phase, Phase::Cycle(_)) {
            sender.acks.flight = if sender.law.phase == Phase::Startup {
                2 * BDP * u64::from(MSS)
            } else {
                0
            };
            sender.round();
        }
        sender.acks.flight = BDP * u64::from(MSS);
        sender
    }

    /// Rounds with this queue until `done`, at most `most` of them; how many there were.
    fn until(&mut self, queue: u64, most: u32, done: impl Fn(&Capacity) -> bool) -> u32 {
        self.acks.rtt = ms(100 + queue);
        for round in 0..most {
            if done(&self.law) {
                return round;
            }
            self.round();
        }
        panic!("not after {most} round trips: {:?}", self.law.phase);
    }

    /// Beside others, whose queue varies around 40 ms.
    fn beside() -> Self {
        let mut sender = Self::alone();
        // CUBIC's queue grows slowly, and falls at once.
        for queue in (20..60).step_by(2).cycle().take(400) {
            if sender.law.phase == Phase::Beside {
                return sender;
            }
            sender.acks.rtt = ms(100 + queue);
            sender.round();
        }
        panic!("it is {:?}", sender.law.phase);
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

/// The pace of the present step in parts of the rate; `None` outside of the cycle.
fn gain(law: &Capacity) -> Option<f64> {
    match law.phase {
        Phase::Cycle(cycle) => Some(cycle.gain(1.0)),
        _ => None,
    }
}

#[test]
fn slow_start_doubles_until_the_rate_stands_still() {
    let mut sender = Sender::starting();
    sender.acks.flight = 2 * BDP * u64::from(MSS);
    sender.round();
    assert_near(sender.window.cwnd.0, 110.0, "cwnd after a round trip");
    let rounds = sender.until(0, 9, |law| law.phase != Phase::Startup);
    assert_eq!(rounds, 3, "round trips without a quarter more");
}

#[test]
fn alone_no_loss_cuts_the_window() {
    let mut sender = Sender::alone();
    for queue in [0, 30, 0, 30, 0, 30] {
        sender.acks.rtt = ms(100 + queue);
        sender.round();
        let before = sender.window.cwnd.0;
        assert_near(sender.lose(), before, "cwnd");
    }
}

#[test]
fn alone_two_bdps_and_a_lump_are_in_flight_at_most() {
    let mut sender = Sender::alone();
    for _ in 0..20 {
        sender.round();
    }
    // A burst is two segments at this pace, and three bursts are in flight.
    assert_near(sender.window.cwnd.0, 200.0 + LUMP + 6.0, "cwnd");
}

#[test]
fn a_loss_at_a_queue_that_its_probe_does_not_explain_is_others() {
    // In the drain, when a probe of a tenth has left half of 10 ms; 3 ms are no queue.
    for (queue, left) in [(7, 1.0), (12, 0.95)] {
        let mut sender = Sender::alone();
        let drains = |law: &Capacity| gain(law).is_some_and(|gain| gain < 1.0);
        sender.until(0, 40, |law| law.giving.calm() > 1 && drains(law));
        sender.acks.rtt = ms(100 + queue);
        sender.round();
        assert!(sender.law.model.is_congested());
        sender.lose();
        assert_near(sender.law.giving.pace(), left, "the pace that is left");
    }
}

#[test]
fn a_queue_of_half_the_base_is_looked_at_however_much_delays_vary() {
    // The shortest delay of a round trip varies by 60 ms, so that no queue is known from the path.
    for (least, looks) in [(20, false), (60, true)] {
        let mut sender = Sender::alone();
        let mut looked = false;
        for varies in [0, 60].into_iter().cycle().take(100) {
            sender.acks.rtt = ms(100 + least + varies);
            sender.round();
            looked |= matches!(sender.law.phase, Phase::Look { queue: None, .. });
        }
        assert_eq!(looked, looks, "{least} ms");
    }
}

#[test]
fn a_queue_of_a_path_that_has_become_slower_is_its_own() {
    // The second cycle on the slower path knows its rate.
    for (share, left) in [(10, [0.95, 0.9025]), (7, [1.0, 0.95])] {
        let mut sender = Sender::alone();
        let cycles = |sender: &mut Sender, queues: &[u64]| {
            let mut queues = queues.iter().cycle();
            let mut round = |sender: &mut Sender| {
                sender.acks.rtt = ms(100 + queues.next().expect("endless"));
                sender.round();
                gain(&sender.law).expect("it goes through the cycle") > 1.0
            };
            while round(sender) {}
            while !round(sender) {}
        };
        cycles(&mut sender, &[0]);
        sender.acks.rate = sender.acks.rate * share / 10;
        for left in left {
            cycles(&mut sender, &[20, 22, 24, 26, 28, 30, 32, 34]);
            assert_near(sender.law.giving.pace(), left, "the pace that is left");
        }
    }
}

#[test]
fn a_faster_path_takes_back_what_was_given() {
    for (tenths, left) in [(10, 0.95), (12, 1.0)] {
        let mut sender = Sender::alone();
        let probes = |law: &Capacity| gain(law).is_some_and(|gain| gain > 1.0);
        sender.until(0, 40, |law| law.giving.calm() > 0 && probes(law));
        sender.law.giving.give();
        sender.acks.rate = sender.acks.rate * tenths / 10;
        for _ in 0..4 {
            sender.round();
        }
        assert_near(sender.law.giving.pace(), left, "the pace that is left");
    }
}

#[test]
fn jitter_is_no_queue() {
    let mut sender = Sender::alone();
    for round in 0..400_u64 {
        // Some sample of each round trip waits next to nothing, and others as long again.
        for sample in 0..10 {
            sender.acks.rtt = ms(100 + (sample * 7 + round) % 10 * 5);
            sender.within(ms(10));
        }
        sender.acks.rtt = ms(101);
        sender.take_ack(1, ms(1), 0);
    }
    assert!(sender.law.is_alone());
    assert_near(sender.law.giving.pace(), 1.0, "the pace that is left");
}

#[test]
fn what_the_queue_of_the_start_cost_comes_back() {
    let mut sender = Sender::alone();
    sender.law.giving.give_for_loss();
    sender.until(0, 40, |law| law.giving.calm() > 0);
    assert_near(sender.law.giving.pace(), 1.0, "the pace that is left");
}

#[test]
fn what_was_sent_again_for_nothing_ends_no_round_trip() {
    for (original, rounds) in [(false, 5), (true, 0)] {
        let mut sender = Sender::alone();
        let before = sender.law.model.rounds.count();
        for _ in 0..5 {
            // It was sent again a moment ago, when as much had been delivered as by now.
            let mut ack = sender.acks.ack(1, ms(1), 0);
            let sample = ack.rate.as_mut().expect("a sample");
            sample.of_original = original;
            sender.law.grow(&ack, &mut sender.window);
        }
        assert_eq!(sender.law.model.rounds.count() - before, rounds);
    }
}

#[test]
fn the_rate_of_a_policer_is_kept_to_without_probes() {
    let mut sender = Sender::alone();
    let half = Rate::from_bps(sender.law.model.bandwidth.get().as_bps() / 2);
    sender.law.policed = Policed::held(half);
    let mut most = 0;
    for _ in 0..16 {
        sender.round();
        most = most.max(sender.law.pace.rate().as_bps());
    }
    let least = half.as_bps() * 99 / 100;
    assert!((least..least * 103 / 100).contains(&most), "{most}");
}

#[test]
fn a_queue_that_stays_and_varies_is_others() {
    let sender = Sender::beside();
    assert!(sender.law.giving.has_given_enough());
    // From three quarters of what the path holds with its queue.
    let model = &sender.law.model;
    let held = model.bdp() * (1.0 + model.queue.latest() / model.queue.base());
    let begun = (0.75 * held).max(model.bdp());
    assert!(begun > model.bdp(), "{begun} of {}", model.bdp());
    assert!(
        sender.window.cwnd.0 <= BDP as f64 * 1.1,
        "{:?}",
        sender.window
    );
    assert_near(sender.window.cwnd.0, begun, "cwnd");
}

#[test]
fn beside_others_a_loss_at_a_long_queue_is_cubics() {
    let mut sender = Sender::beside();
    for queue in [20, 60] {
        sender.acks.rtt = ms(100 + queue);
        sender.round();
    }
    let before = sender.window.cwnd.0;
    assert_near(sender.lose(), 0.7 * before, "cwnd at the longest queue");
    for queue in [60, 20] {
        sender.acks.rtt = ms(100 + queue);
        sender.round();
    }
    let before = sender.window.cwnd.0;
    assert_near(sender.lose(), before, "cwnd at the shortest queue");
}

#[test]
fn beside_others_it_looks_and_is_alone_when_the_queue_goes() {
    let mut sender = Sender::beside();
    let rounds = sender.until(50, 40, |law| law.looks().is_some());
    assert!(rounds >= 15, "{rounds} round trips");
    assert!(sender.window.cwnd.0 < sender.law.own.cwnd.0.max(76.0));
    let held = |law: &Capacity| matches!(law.phase, Phase::Hold { .. });
    assert!(sender.until(0, 3, held) <= 2, "the queue has gone");
    let rounds = sender.until(0, 20, |law| matches!(law.phase, Phase::Cycle(_)));
    assert_eq!(rounds, 16, "round trips of holding still");
}

#[test]
fn a_queue_after_holding_still_is_others() {
    let mut sender = Sender::beside();
    let held = |law: &Capacity| matches!(law.phase, Phase::Hold { .. });
    sender.until(0, 20, held);
    let rounds = sender.until(50, 20, |law| law.phase == Phase::Beside);
    assert!((8..=16).contains(&rounds), "{rounds} round trips");
}

#[test]
fn a_loss_at_a_long_queue_while_it_holds_still_is_others() {
    for (queue, lost) in [(50, true), (0, false)] {
        let mut sender = Sender::beside();
        let held = |law: &Capacity| matches!(law.phase, Phase::Hold { .. });
        sender.until(0, 20, held);
        let kept = sender.law.kept.0;
        sender.acks.rtt = ms(100 + queue);
        sender.round();
        let before = sender.window.cwnd.0;
        let after = sender.lose();
        if lost {
            assert_eq!(sender.law.phase, Phase::Beside);
            // 112 of 150 segments that the path holds with its queue, or the window of before.
            assert_near(after, 0.7 * kept.min(0.75 * 1.5 * BDP as f64), "cwnd");
        } else {
            assert!(held(&sender.law));
            assert_near(after, before, "cwnd after a random loss");
        }
    }
}

#[test]
fn a_longer_path_is_no_queue() {
    let mut sender = Sender::alone();
    sender.until(0, 17, |law| law.giving.calm() > 0);
    let looks = |law: &Capacity| matches!(law.phase, Phase::Look { queue: Some(_), .. });
    sender.until(40, 30, looks);
    assert!(
        sender.window.cwnd.0 < 80.0,
        "half of what was a BDP and is more"
    );
    sender.until(40, 5, |law| matches!(law.phase, Phase::Cycle(_)));
    sender.round();
    assert!(!sender.law.model.has_queue());
    assert_near(sender.law.model.queue.base(), 0.14, "base in seconds");
}

#[test]
fn an_explicit_notification_is_believed() {
    let mut sender = Sender::beside();
    let loss = LossEvent {
        cause: LossCause::Eln,
        ..loss_at(0, 200.0, 0, 0)
    };
    let response = sender.law.on_loss(&loss, &sender.window);
    assert_eq!(response.window_after, sender.window.cwnd);
}

#[test]
fn a_mark_makes_it_give_way_once_a_cycle_and_cuts_beside_others() {
    let mut sender = Sender::alone();
    let mark = LossEvent {
        cause: LossCause::Mark,
        ..loss_at(0, 100.0, 0, 0)
    };
    for _ in 0..2 {
        sender.law.on_ecn(&mark, &sender.window);
        assert_near(sender.law.giving.pace(), 0.95, "the pace that is left");
    }
    let mut sender = Sender::beside();
    let before = sender.window.cwnd.0;
    let response = sender.law.on_ecn(&mark, &sender.window);
    assert_near(response.window_after.0, 0.7 * before, "cwnd");
}

#[test]
fn a_series_of_timeouts_leaves_a_quarter() {
    let mut sender = Sender::alone();
    let before = sender.window.cwnd.0;
    for _ in 0..3 {
        let response = sender
            .law
            .on_timeout(&timeout_at(0, before), &sender.window);
        sender.window.apply(response);
        assert_near(sender.window.cwnd.0, before / 4.0, "cwnd");
    }
    let rate = sender.law.model.rate();
    for _ in 0..15 {
        sender.acks.rate = BDP * u64::from(MSS) / 10;
        sender.acks.delivered += 1;
        sender.take_ack(1, ms(101), 0);
    }
    assert_near(
        sender.law.model.rate(),
        rate,
        "the rate while it is made up for",
    );
}

#[test]
fn a_cut_by_mistake_is_taken_back() {
    type Cut = fn(&mut Sender) -> Response;
    let by_mark: Cut = |s| s.law.on_ecn(&loss_at(0, 100.0, 0, 0), &s.window);
    let by_timeout: Cut = |s| s.law.on_timeout(&timeout_at(0, 100.0), &s.window);
    for cut in [by_mark, by_timeout] {
        let mut sender = Sender::beside();
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
fn usual_losses_are_made_up_for() {
    let mut sender = Sender::alone();
    let pace = sender.law.pace.rate().as_bps() as f64;
    let lose = |sender: &mut Sender, drain: bool| {
        let position = 1_000_000;
        let losses = &mut sender.law.model.losses;
        losses.end_drain(0);
        losses.begin_drain(position);
        for lost in 0..100_u64 {
            let start = position + lost * 4 * u64::from(MSS);
            losses.on_lost(&LossSample {
                start,
                end: start + u64::from(MSS),
                flight_at_send: 0,
                lost: 0,
                total_delivered: 0,
                sent_at: sender.acks.now,
                resent: !drain,
                app_limited: false,
            });
        }
        losses.end_drain(position + 400 * u64::from(MSS));
        losses.settle(MSS);
    };
    lose(&mut sender, false);
    assert_near(
        sender.law.model.losses.share(),
        0.0,
        "what was sent again does not count",
    );
    for _ in 0..8 {
        lose(&mut sender, true);
    }
    let share = sender.law.model.losses.share();
    assert!((share - 0.25).abs() < 0.01, "{share}");
    sender.round();
    let more = sender.law.pace.rate().as_bps() as f64 / pace;
    assert!(more > 1.0, "{more} times the pace");
}

#[test]
fn a_queue_of_acks_hides_no_faster_delivery() {
    // A round trip's segments arrive in seven tenths of the time, and their ACKs take four times as long.
    let rate_after = |hears: bool| {
        let mut sender = Sender::alone();
        for told in [0, 70, 140] {
            let mut ack = sender.acks.ack(BDP, ms(400), 0);
            let sample = ack.rate.as_mut().expect("a sample");
            sample.interval = ms(400);
            sample.receiver_time = hears.then(|| Offset::from_nanos(told * 1_000_000));
            sender.law.grow(&ack, &mut sender.window);
        }
        sender.law.model.rate()
    };
    assert_near(rate_after(false), 1000.0, "segments a second by ACKs");
    assert_near(
        rate_after(true),
        1250.0,
        "segments a second by arrivals, and a tick",
    );
}
