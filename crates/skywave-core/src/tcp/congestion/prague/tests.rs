//! What sets Prague apart from DCTCP.

use super::*;
use crate::tcp::testing::{ack_at, assert_near, loss_at, timeout_at, window};

fn setup() -> Setup {
    Setup {
        mss: 1000,
        initial_window: Segments(10.0),
        first_data: 0,
        loss_window: Segments::ONE,
        impatient: true,
        sack: true,
        recovery_uses_sack: true,
        ack_delay: Duration::ZERO,
        tick: Duration::from_millis(10),
        timer_slack: Duration::ZERO,
        ecn: true,
        law_owns_window: false,
    }
}

fn prague() -> Prague {
    Prague::new(PragueConfig::DEFAULT, &setup())
}

/// Four rounds after slow start.
fn independent() -> Prague {
    Prague {
        rounds: TRANSITION,
        ..prague()
    }
}

/// An ACK of a segment after `ms` milliseconds, with this round trip in milliseconds.
fn ack(ms: u64, rtt: u64) -> AckEvent {
    AckEvent {
        segment_rtt: Some(Duration::from_millis(rtt)),
        in_flight_before: Segments(20.0),
        may_grow: false,
        ..ack_at(ms as f64, 1.0)
    }
}

fn marked(event: &AckEvent) -> AckEvent {
    AckEvent {
        marked: event.acked,
        ..*event
    }
}

/// cwnd after an ACK at 20 segments.
fn after(law: &mut Prague, event: &AckEvent) -> f64 {
    let mut win = window(20.0, 2.0);
    law.grow(event, &mut win);
    win.cwnd.0
}

#[test]
fn a_round_trip_adds_a_segment_and_in_time_a_short_one_as_much_as_a_virtual_one() {
    assert_near(after(&mut prague(), &ack(0, 5)), 20.0 + 1.0 / 20.0, "cwnd");
    // (5 / 25)² of it.
    let short = 20.0 + 0.04 / 20.0;
    assert_near(after(&mut independent(), &ack(0, 5)), short, "cwnd");
    for rtt in [25, 100] {
        assert_near(after(&mut independent(), &ack(0, rtt)), 20.05, "cwnd");
    }
}

#[test]
fn marked_data_adds_nothing_and_neither_does_an_unused_window() {
    assert_near(after(&mut prague(), &marked(&ack(0, 25))), 20.0, "cwnd");
    let unused = AckEvent {
        in_flight_before: Segments(9.0),
        ..ack(0, 25)
    };
    assert_near(after(&mut prague(), &unused), 20.0, "cwnd");
}

#[test]
fn alpha_is_one_until_the_first_mark() {
    let (mut law, mut win) = (prague(), window(20.0, 30.0));
    for round in 1..10 {
        let event = AckEvent {
            una: round * 10,
            nxt: round * 10 + 5,
            ..ack(round, 25)
        };
        law.grow(&event, &mut win);
        assert_near(law.share.alpha, 1.0, "α");
    }
    let first = marked(&AckEvent {
        una: 100,
        nxt: 105,
        ..ack(10, 25)
    });
    law.grow(&first, &mut win);
    assert_near(law.share.alpha, 1.0, "α");
    let next = AckEvent {
        una: 110,
        nxt: 115,
        ..ack(11, 25)
    };
    law.grow(&next, &mut win);
    assert_near(law.share.alpha, 15.0 / 16.0, "α");
}

#[test]
fn slow_start_over_it_counts_rounds_until_short_ones_do_not_count() {
    let mut law = prague();
    let round = |n: u64, ms: u64| AckEvent {
        una: n * 10,
        nxt: n * 10 + 5,
        ..ack(ms, 5)
    };
    law.grow(&round(1, 5), &mut window(20.0, 30.0));
    assert_eq!(law.rounds, 0, "in slow start");
    for n in 2..=5 {
        assert!(!law.is_independent());
        law.grow(&round(n, 5 * n), &mut window(20.0, 2.0));
    }
    assert!(law.is_independent());
    // From now on α moves once in 25 ms.
    law.seen_mark = true;
    for (n, ms, alpha) in [(6, 30, 1.0), (7, 49, 1.0), (8, 50, 15.0 / 16.0)] {
        law.grow(&round(n, ms), &mut window(20.0, 2.0));
        assert_near(law.share.alpha, alpha, "α");
    }
}

#[test]
fn a_mark_cuts_by_alpha_once_in_a_virtual_round_trip() {
    let cut = |law: &mut Prague, ms| {
        let response = law.on_ecn(&loss_at(ms, 20.0, 0, 20), &window(20.0, 7.0));
        (response.ssthresh.0, response.window_after.0)
    };
    let mut law = independent();
    law.share.alpha = 0.1;
    assert_eq!(cut(&mut law, 100), (19.0, 19.0));
    assert_eq!(cut(&mut law, 124), (7.0, 20.0));
    assert_eq!(cut(&mut law, 125), (19.0, 19.0));
    let mut early = prague();
    assert_eq!(cut(&mut early, 1), (10.0, 10.0));
    assert_eq!(cut(&mut early, 2), (10.0, 10.0));
}

#[test]
fn the_round_trip_is_smoothed_and_takes_segments_only() {
    let mut law = prague();
    law.grow(&ack(0, 20), &mut window(20.0, 2.0));
    let by_timer = AckEvent {
        segment_rtt: None,
        srtt: Some(Duration::from_millis(500)),
        ..ack(0, 20)
    };
    law.grow(&by_timer, &mut window(20.0, 2.0));
    assert_eq!(law.srtt, Duration::from_millis(20));
    law.grow(&ack(1, 28), &mut window(20.0, 2.0));
    assert_eq!(law.srtt, Duration::from_millis(21));
}

#[test]
fn losses_are_answered_as_by_reno() {
    let mut law = independent();
    law.share.alpha = 0.1;
    let win = window(20.0, 2.0);
    assert_near(
        law.on_loss(&loss_at(0, 20.0, 0, 20), &win).window_after.0,
        10.0,
        "cwnd",
    );
    let response = law.on_timeout(&timeout_at(0, 20.0), &win);
    assert_eq!((response.ssthresh.0, response.window_after.0), (10.0, 1.0));
}

#[test]
fn it_is_paced_at_a_window_in_a_round_trip_and_twice_that_in_slow_start() {
    let mut law = prague();
    // 10 segments of 1000 bytes in 1 ms.
    assert_eq!(law.pacing_rate(), Some(Rate::from_bps(80_000_000)));
    law.grow(&marked(&ack(0, 20)), &mut window(20.0, 2.0));
    assert_eq!(law.pacing_rate(), Some(Rate::from_bps(8_000_000)));
    assert_eq!(law.send_quantum(), Some(250));
    law.grow(&marked(&ack(0, 20)), &mut window(20.0, 41.0));
    assert_eq!(law.pacing_rate(), Some(Rate::from_bps(16_000_000)));
}
