//! The window over slots: constant, then the share; and what ends a slot before its time.

use super::*;
use crate::tcp::testing::{ack_at, assert_near, loss_at, take_ack, timeout_at, window};

fn slotted(probe: f64) -> Slotted {
    Slotted {
        config: SlottedConfig {
            round_trips: 10.0,
            probe,
        },
        rtt_min: None,
        slot: None,
        is_over: false,
        share: None,
    }
}

/// An ACK of one segment; the smallest round trip is 50 ms, the smoothed one 100 ms.
fn ack(ms: f64) -> AckEvent {
    AckEvent {
        segment_rtt: Some(Duration::from_millis(50)),
        srtt: Some(Duration::from_millis(100)),
        ..ack_at(ms, 1.0)
    }
}

/// cwnd after each of `n` ACKs, 10 ms apart from `from` ms on: 100 segments a second.
fn windows(law: &mut Slotted, win: &mut Window, from: f64, n: u32) -> Vec<f64> {
    (0..n)
        .map(|i| {
            take_ack(law, &ack(from + f64::from(i) * 10.0), win);
            win.cwnd.0
        })
        .collect()
}

#[test]
fn the_window_is_constant_for_ten_round_trips_then_the_share_and_the_probe() {
    let (mut law, mut win) = (slotted(1.0), window(8.0, 8.0));
    let cwnd = windows(&mut law, &mut win, 0.0, 101);
    // The first ACK begins the slot, the one 1 s later ends it: 100 segments a second for 50 ms, and one.
    assert!(cwnd[..100].iter().all(|&cwnd| cwnd == 8.0), "{cwnd:?}");
    assert_near(cwnd[100], 6.0, "cwnd of the second slot");
    assert_near(win.ssthresh.0, 6.0, "ssthresh");
    let cwnd = windows(&mut law, &mut win, 1010.0, 101);
    assert!(
        cwnd.iter().all(|&cwnd| (cwnd - 6.0).abs() < 1e-9),
        "{cwnd:?}"
    );
}

#[test]
fn two_acks_at_once_on_a_path_without_delay_measure_nothing() {
    let (mut law, mut win) = (slotted(1.0), window(8.0, 8.0));
    let at_once = AckEvent {
        segment_rtt: Some(Duration::ZERO),
        srtt: Some(Duration::ZERO),
        ..ack_at(0.0, 1.0)
    };
    for _ in 0..3 {
        take_ack(&mut law, &at_once, &mut win);
        assert_near(win.cwnd.0, 8.0, "cwnd");
    }
    assert_eq!(law.share, None);
}

#[test]
fn a_slot_measures_only_itself() {
    let (mut law, mut win) = (slotted(1.0), window(8.0, 8.0));
    windows(&mut law, &mut win, 0.0, 101);
    // The next slot delivers half as much.
    for i in 0..=50 {
        take_ack(&mut law, &ack(1020.0 + f64::from(i) * 20.0), &mut win);
    }
    assert_near(win.cwnd.0, 2.5 + 1.0, "cwnd");
}

#[test]
fn slow_start_goes_on_to_its_threshold() {
    let (mut law, mut win) = (slotted(1.0), window(2.0, 5.0));
    let cwnd = windows(&mut law, &mut win, 0.0, 5);
    assert_eq!(cwnd, [3.0, 4.0, 5.0, 5.0, 5.0]);
}

#[test]
fn a_loss_begins_a_slot_with_what_was_measured_so_far() {
    let (mut law, mut win) = (slotted(1.0), window(20.0, 20.0));
    windows(&mut law, &mut win, 0.0, 51);
    let r = law.on_loss(&loss_at(510, 20.0, 1, 21), &win);
    assert_near(r.window_after.0, 6.0, "cwnd");
    assert_near(r.ssthresh.0, 6.0, "ssthresh");
    win.apply(r);
    let cwnd = windows(&mut law, &mut win, 520.0, 100);
    assert!(
        cwnd.iter().all(|&cwnd| (cwnd - 6.0).abs() < 1e-9),
        "{cwnd:?}"
    );
}

#[test]
fn a_loss_raises_nothing_and_less_than_a_round_trip_measures_nothing() {
    let (mut law, mut win) = (slotted(1.0), window(4.0, 4.0));
    windows(&mut law, &mut win, 0.0, 51);
    let r = law.on_loss(&loss_at(510, 4.0, 1, 5), &win);
    assert_eq!(r, Response::cut_to(Segments(4.0)));
    let (mut law, mut win) = (slotted(1.0), window(20.0, 20.0));
    windows(&mut law, &mut win, 0.0, 9);
    let r = law.on_loss(&loss_at(90, 20.0, 1, 21), &win);
    assert_eq!(r, Response::cut_to(Segments(10.0)));
}

#[test]
fn a_timeout_restarts_up_to_the_share_and_no_further_than_half() {
    let (mut law, mut win) = (slotted(1.0), window(20.0, 20.0));
    windows(&mut law, &mut win, 0.0, 51);
    let r = law.on_timeout(&timeout_at(510, 20.0), &win);
    assert_near(r.ssthresh.0, 6.0, "ssthresh");
    assert_eq!(r.window_after, Segments::ONE);
    let r = law.on_timeout(&timeout_at(510, 8.0), &win);
    assert_near(r.ssthresh.0, 4.0, "ssthresh");
}

#[test]
fn a_window_that_was_not_used_is_no_share() {
    let (mut law, mut win) = (slotted(1.0), window(8.0, 8.0));
    windows(&mut law, &mut win, 0.0, 50);
    let idle = AckEvent {
        may_grow: false,
        ..ack(500.0)
    };
    take_ack(&mut law, &idle, &mut win);
    windows(&mut law, &mut win, 510.0, 60);
    assert_near(win.cwnd.0, 8.0, "cwnd");
}

#[test]
fn without_a_probe_a_queue_shrinks_the_window_slot_by_slot() {
    // Window over round trip is the rate: in ten slots of a constant queue the window falls by half each time.
    let (mut law, mut win) = (slotted(f64::MIN_POSITIVE), window(16.0, 16.0));
    let mut now = 0.0;
    let mut seen = Vec::new();
    for _ in 0..4 {
        let gap = 100.0 / win.cwnd.0;
        let before = win.cwnd;
        while win.cwnd == before {
            take_ack(&mut law, &ack(now), &mut win);
            now += gap;
        }
        seen.push(win.cwnd.0);
    }
    for (cwnd, expected) in seen.iter().zip([8.0, 4.0, 2.0, 1.0]) {
        assert!((cwnd - expected).abs() < 0.1 * expected, "{seen:?}");
    }
}

#[test]
fn a_slot_does_not_end_while_a_detector_waits() {
    let (mut law, mut win) = (slotted(1.0), window(8.0, 8.0));
    windows(&mut law, &mut win, 0.0, 50);
    law.grow(&ack(60_000.0), &mut win);
    assert_near(win.cwnd.0, 8.0, "cwnd");
}

#[test]
fn a_pause_is_no_part_of_a_slot() {
    let (mut law, mut win) = (slotted(1.0), window(8.0, 8.0));
    windows(&mut law, &mut win, 0.0, 50);
    law.on_resume(&IdleEvent {
        now: Time::ZERO + Duration::from_secs(60),
        idle: Duration::from_secs(60),
        initial_window: Segments(8.0),
    });
    // A slot of its own: the ACK that begins it, and 100 in the second after it.
    let cwnd = windows(&mut law, &mut win, 60_000.0, 101);
    assert!(cwnd[..100].iter().all(|&cwnd| cwnd == 8.0), "{cwnd:?}");
    assert_near(cwnd[100], 6.0, "cwnd");
}
