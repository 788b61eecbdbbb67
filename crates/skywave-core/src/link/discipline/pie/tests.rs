use super::super::testing::{arrival, frame, ms};
use super::*;
use crate::packet::Ecn;

fn pie(change: impl FnOnce(&mut PieConfig)) -> Pie {
    let mut config = PieConfig::new(Limit::Packets(1000));
    change(&mut config);
    Pie::new(config, Stream::named(1, "test", "pie"))
}

/// A queue with this drop probability, no burst allowance left, and a delay that stays at 20 ms.
fn busy(probability: f64, change: impl FnOnce(&mut PieConfig)) -> Pie {
    let mut queue = pie(change);
    let delay = Duration::from_millis(20);
    (queue.delay, queue.control.last_delay) = (delay, delay);
    queue.control.burst_left = Duration::ZERO;
    queue.control.probability = probability;
    for _ in 0..10 {
        queue.frames.push(frame(0, ms(0)));
    }
    queue
}

/// The shares of 10,000 simultaneous packets that are dropped and that are marked.
fn shares(queue: &mut Pie, ecn: Ecn) -> (f64, f64) {
    let (mut dropped, mut marked) = (0, 0);
    for id in 0..10_000 {
        let packet = Frame {
            ecn,
            ..frame(id, ms(0))
        };
        if let Some(cause) =
            queue.offer(arrival(packet, Backlog::new(10, 15_000)), &mut Gone::new())
        {
            assert_eq!(cause, DropCause::Early);
            dropped += 1;
        }
    }
    while let Some(frame) = queue.frames.pop() {
        marked += u32::from(frame.marked);
    }
    (f64::from(dropped) / 1e4, f64::from(marked) / 1e4)
}

#[test]
fn packets_are_dropped_with_the_probability() {
    for p in [0.02, 0.3] {
        let (dropped, marked) = shares(&mut busy(p, |_| ()), Ecn::Ect0);
        assert!((dropped - p).abs() < 0.015, "{dropped}");
        assert_eq!(marked, 0.0);
    }
}

#[test]
fn up_to_a_probability_capable_packets_are_marked() {
    let ecn = |config: &mut PieConfig| config.mark_p = Some(0.1);
    assert_eq!(shares(&mut busy(0.05, ecn), Ecn::Ect0).0, 0.0);
    assert!(shares(&mut busy(0.05, ecn), Ecn::NotEct).0 > 0.03);
    assert!(shares(&mut busy(0.15, ecn), Ecn::Ect0).0 > 0.1);
}

#[test]
fn a_burst_passes_and_so_do_two_packets() {
    let mut queue = busy(0.9, |_| ());
    queue.control.burst_left = Duration::from_millis(1);
    assert_eq!(shares(&mut queue, Ecn::NotEct), (0.0, 0.0));
    let mut queue = busy(0.9, |_| ());
    while queue.frames.bytes() > 2048 {
        queue.frames.pop();
    }
    assert_eq!(
        queue.offer(
            arrival(frame(0, ms(0)), Backlog::new(1, 1500)),
            &mut Gone::new()
        ),
        None
    );
}

/// RFC 8033 section 4.1: while the delay was below half of the target, a probability below 0.2 drops nothing.
#[test]
fn a_short_delay_keeps_packets_from_a_small_probability() {
    let after_a_delay_of = |probability, ms| {
        let mut queue = busy(probability, |_| ());
        queue.control.last_delay = Duration::from_millis(ms);
        shares(&mut queue, Ecn::NotEct).0
    };
    assert_eq!(after_a_delay_of(0.15, 7), 0.0);
    assert!(after_a_delay_of(0.15, 8) > 0.1);
    assert!(after_a_delay_of(0.25, 7) > 0.2);
}

#[test]
fn the_probability_moves_as_the_rfc_says() {
    // 0.125 × 5 ms above the target, and no change: 0.000625 a step, scaled by the probability.
    for (before, divisor) in [
        (0.0, 2048.0),
        (0.000_005, 512.0),
        (0.000_05, 128.0),
        (0.000_5, 32.0),
        (0.005, 8.0),
        (0.05, 2.0),
        (0.5, 1.0),
    ] {
        let mut queue = busy(before, |_| ());
        queue.control.update(queue.delay);
        let step = queue.control.probability - before;
        assert!(
            (step * divisor - 0.000_625).abs() < 1e-9,
            "{before}: {step}"
        );
    }
    // 1.25 × 100 ms more than before, and 0.125 × 105 ms above the target: the step is capped.
    let mut queue = busy(0.5, |_| ());
    queue.delay = Duration::from_millis(120);
    queue.control.update(queue.delay);
    assert!((queue.control.probability - 0.52).abs() < 1e-12);
}

#[test]
fn without_a_queue_the_probability_decays_and_bursts_are_let_through_again() {
    let mut queue = pie(|_| ());
    queue.control.probability = 1.0;
    queue.control.burst_left = Duration::ZERO;
    // 0.98 a step, and 0.125 × 15 ms less.
    queue.control.update(queue.delay);
    assert!((queue.control.probability - 0.98 * (1.0 - 0.001_875)).abs() < 1e-12);
    queue.update_until(ms(60_000));
    assert_eq!(queue.control.probability, 0.0);
    assert_eq!(queue.control.burst_left, Duration::from_millis(150));
    // Years without a packet cost no time, and the updates stay in step.
    queue.update_until(ms(100_000_000_000));
    assert_eq!(queue.next_update.as_nanos() % 15_000_000, 0);
    assert!(queue.next_update > ms(100_000_000_000));
}

#[test]
fn the_delay_is_that_of_the_packet_that_left_last() {
    let mut queue = pie(|_| ());
    for id in 0..2 {
        queue.offer(
            arrival(frame(id, ms(1)), Backlog::default()),
            &mut Gone::new(),
        );
    }
    queue.take(ms(8), &mut Gone::new());
    assert_eq!(queue.delay, Duration::from_millis(7));
    // No packet waits after the last one.
    queue.take(ms(9), &mut Gone::new());
    assert_eq!(queue.delay, Duration::ZERO);
}
