use super::super::testing::{arrival, frame, ms};
use super::*;

fn dualpi2() -> DualPi2 {
    DualPi2::new(DualPi2Config::new(Limit::Packets(2000)))
}

/// A queue with this base probability that does not change.
fn with(probability: f64) -> DualPi2 {
    DualPi2 {
        probability,
        next_update: Time::MAX,
        ..dualpi2()
    }
}

fn packet(id: u32, ecn: Ecn, came: Time) -> Frame {
    Frame {
        ecn,
        ..frame(id, came)
    }
}

/// Packets of these codepoints come at once, numbered from 0.
fn fill(queue: &mut DualPi2, came: Time, packets: impl IntoIterator<Item = Ecn>) {
    for (id, ecn) in (0..).zip(packets) {
        let arrival = arrival(packet(id, ecn, came), queue.waiting());
        assert_eq!(queue.offer(arrival, &mut Gone::new()), None);
    }
}

/// What leaves at `now` until nothing is left: number, and whether marked; and how many are dropped.
fn drain(queue: &mut DualPi2, now: Time) -> (Vec<(u32, bool)>, usize) {
    let mut gone = Gone::new();
    let mut left = Vec::new();
    while let Some(frame) = queue.take(now, &mut gone) {
        left.push((frame.tag.id(), frame.marked));
    }
    assert!(gone.iter().all(|(_, cause)| *cause == DropCause::Early));
    (left, gone.len())
}

fn numbers(left: &[(u32, bool)]) -> Vec<u32> {
    left.iter().map(|(id, _)| *id).collect()
}

/// Of 1000 packets, behind which two more wait: the share that is dropped, and the share that is marked.
fn shares(probability: f64, ecn: Ecn) -> (f64, f64) {
    let mut queue = with(probability);
    fill(&mut queue, ms(0), vec![ecn; 1002]);
    let (mut left, _) = drain(&mut queue, ms(0));
    left.retain(|(id, _)| *id < 1000);
    let marked = left.iter().filter(|(_, marked)| *marked).count();
    (1.0 - left.len() as f64 / 1000.0, marked as f64 / 1000.0)
}

#[test]
fn the_codepoint_says_which_queue() {
    let mut queue = with(0.0);
    fill(
        &mut queue,
        ms(0),
        [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce],
    );
    assert_eq!(queue.waiting(), Backlog::new(4, 6000));
    assert_eq!(numbers(&drain(&mut queue, ms(0)).0), [2, 3, 0, 1]);
}

#[test]
fn the_classic_queue_goes_first_when_its_head_has_waited_for_the_shift_longer() {
    for (low_came, first) in [(40, 1), (50, 1), (51, 0)] {
        let mut queue = with(0.0);
        fill(&mut queue, ms(0), [Ecn::NotEct]);
        let low = packet(1, Ecn::Ect1, ms(low_came));
        assert_eq!(
            queue.offer(arrival(low, queue.waiting()), &mut Gone::new()),
            None
        );
        // The classic packet has waited for 60 ms, the other one for 20, 10 and 9 ms.
        let frame = queue.take(ms(60), &mut Gone::new()).expect("a packet");
        assert_eq!(frame.tag.id(), first, "{low_came}");
    }
}

#[test]
fn the_classic_queue_drops_with_the_square_and_the_other_marks_with_twice_the_probability() {
    let near = |(dropped, marked): (f64, f64), expected: (f64, f64)| {
        assert!((dropped - expected.0).abs() <= 0.0011, "{dropped}");
        assert!((marked - expected.1).abs() <= 0.0011, "{marked}");
    };
    for p in [0.05, 0.1, 0.3] {
        near(shares(p, Ecn::NotEct), (p * p, 0.0));
        near(shares(p, Ecn::Ect0), (0.0, p * p));
        near(shares(p, Ecn::Ect1), (0.0, 2.0 * p));
    }
}

#[test]
fn where_all_would_be_marked_ecn_is_no_protection() {
    let (dropped, marked) = shares(0.5, Ecn::Ect1);
    assert!((dropped - 0.25).abs() <= 0.0011, "{dropped}");
    assert!((marked - 0.75).abs() <= 0.0011, "{marked}");
    let (dropped, marked) = shares(0.5, Ecn::Ect0);
    assert!((dropped - 0.25).abs() <= 0.0011, "{dropped}");
    assert_eq!(marked, 0.0);
}

#[test]
fn nothing_is_dropped_while_less_than_two_full_packets_wait_behind_it() {
    for ecn in [Ecn::Ect1, Ecn::NotEct] {
        let mut queue = with(1.0);
        fill(&mut queue, ms(0), [ecn; 100]);
        let (left, dropped) = drain(&mut queue, ms(0));
        assert_eq!((numbers(&left), dropped), (vec![98, 99], 98), "{ecn:?}");
    }
}

#[test]
fn a_step_marks_what_has_waited_but_not_a_packet_alone() {
    let mut queue = with(0.0);
    fill(&mut queue, ms(0), [Ecn::Ect1; 3]);
    let at = ms(1) + Duration::from_nanos(1);
    let (left, dropped) = drain(&mut queue, at);
    assert_eq!(left, [(0, true), (1, true), (2, false)]);
    assert_eq!(dropped, 0);
    fill(&mut queue, ms(2), [Ecn::Ect1; 3]);
    let (left, _) = drain(&mut queue, ms(3));
    assert!(left.iter().all(|(_, marked)| !marked));
}

#[test]
fn every_update_moves_the_probability_by_distance_and_trend() {
    let mut queue = dualpi2();
    fill(&mut queue, ms(0), [Ecn::NotEct]);
    // The head has waited for 16 ms, then for 32 ms.
    queue.update_until(ms(16));
    let first = 0.16 * 0.001 + 3.2 * 0.016;
    assert!((queue.probability - first).abs() < 1e-12);
    queue.update_until(ms(32));
    let second = first + 0.16 * 0.017 + 3.2 * 0.016;
    assert!((queue.probability - second).abs() < 1e-12);
    // Without a queue it goes down: at once by the trend, then slowly.
    queue.classic.frames.pop();
    queue.update_until(ms(48));
    let third = second - 0.16 * 0.015 - 3.2 * 0.032;
    assert!((queue.probability - third.max(0.0)).abs() < 1e-12);
    queue.update_until(ms(1_000_000));
    assert_eq!(queue.probability, 0.0);
    assert!(queue.next_update > ms(1_000_000));
}

/// Appendix A's controller by hand: target 15 ms, p' moves every 16 ms by 0.16 for each second above the target and by
/// 3.2 for each second more than at the last update. A classic packet waits from 0 on, so that at update n the delay
/// is 16·n ms, and p' grows by 0.16 · (0.016·n − 0.015) + 3.2 · 0.016. A classic packet is then dropped with p_C = p'²;
/// one of low latency is marked with p_CL = 2·p', until that is 1 (appendix A.2): then all are, of those that p_C
/// spares.
///
/// | n | adds | p' | p_CL | p_C |
/// |---|---|---|---|---|
/// | 1 | 0.00016 + 0.0512 | 0.05136 | 0.10272 | 0.0026378496 |
/// | 2 | 0.00272 + 0.0512 | 0.10528 | 0.21056 | 0.0110838784 |
/// | 3 | 0.00528 + 0.0512 | 0.16176 | 0.32352 | 0.0261662976 |
/// | 4 | 0.00784 + 0.0512 | 0.22080 | 0.44160 | 0.0487526400 |
/// | 5 | 0.01040 + 0.0512 | 0.28240 | 0.56480 | 0.0797497600 |
/// | 6 | 0.01296 + 0.0512 | 0.34656 | 0.69312 | 0.1201038336 |
/// | 7 | 0.01552 + 0.0512 | 0.41328 | 0.82656 | 0.1708003584 |
/// | 8 | 0.01808 + 0.0512 | 0.48256 | 0.96512 | 0.2328641536 |
/// | 9 | 0.02064 + 0.0512 | 0.55440 | 1 | 0.3073593600 |
#[test]
fn the_controller_goes_by_the_appendix() {
    let config = DualPi2Config::new(Limit::Packets(1000));
    let (update, longest_rtt) = (config.update.as_secs_f64(), 0.1);
    assert!((config.alpha - 0.1 * update / (longest_rtt * longest_rtt)).abs() < 1e-12);
    let rows = [
        (0.051_36, 0.102_72, 0.002_637_849_6),
        (0.105_28, 0.210_56, 0.011_083_878_4),
        (0.161_76, 0.323_52, 0.026_166_297_6),
        (0.220_80, 0.441_60, 0.048_752_640_0),
        (0.282_40, 0.564_80, 0.079_749_760_0),
        (0.346_56, 0.693_12, 0.120_103_833_6),
        (0.413_28, 0.826_56, 0.170_800_358_4),
        (0.482_56, 0.965_12, 0.232_864_153_6),
        (0.554_40, 1.0, 0.307_359_360_0),
    ];
    let mut queue = dualpi2();
    fill(&mut queue, ms(0), [Ecn::NotEct]);
    for (n, (base, low, classic)) in (1..).zip(rows) {
        // Nothing moves before the update is due.
        let before = queue.probability;
        queue.update_until(ms(16 * n - 1));
        assert_eq!(queue.probability, before);
        queue.update_until(ms(16 * n));
        let near = |got: f64, expected: f64, error| {
            assert!((got - expected).abs() <= error, "{n}: {got}, {expected}");
        };
        near(queue.probability, base, 1e-12);
        let (dropped, marked) = shares(queue.probability, Ecn::NotEct);
        near(dropped, classic, 0.0011);
        assert_eq!(marked, 0.0);
        let lost = if low < 1.0 { 0.0 } else { classic };
        let (dropped, marked) = shares(queue.probability, Ecn::Ect1);
        near(dropped, lost, 0.0011);
        near(marked, low - lost, 0.0011);
    }
}

#[test]
fn the_longer_of_both_delays_counts() {
    let mut queue = dualpi2();
    fill(&mut queue, ms(0), [Ecn::Ect1]);
    queue.update_until(ms(16));
    assert!(queue.probability > 0.05);
}

#[test]
fn the_limit_is_that_of_both_queues() {
    let mut queue = DualPi2::new(DualPi2Config::new(Limit::Packets(2)));
    fill(&mut queue, ms(0), [Ecn::Ect1, Ecn::NotEct]);
    for ecn in [Ecn::Ect1, Ecn::NotEct] {
        let refused = queue.offer(
            arrival(packet(3, ecn, ms(0)), queue.waiting()),
            &mut Gone::new(),
        );
        assert_eq!(refused, Some(DropCause::Queue));
    }
}
