//! Section 3.1.3's two rules by hand, and what they must not do.

use super::*;
use crate::tcp::testing::{ack_at, assert_near, loss_at, take_ack, timeout_at, window};

/// A sender that has had `n` ACKs of one segment, 10 ms apart: 100 segments a second; the smallest of its round
/// trips took 50 ms, the others `rtt`.
fn measured(n: u32, rtt: u64) -> Yongmei {
    let mut law = Yongmei {
        bandwidth: AckRate::default(),
        rtt_min: None,
    };
    for i in 0..n {
        let rtt = if i == 3 { 50 } else { rtt };
        let ack = AckEvent {
            segment_rtt: Some(Duration::from_millis(rtt)),
            srtt: Some(Duration::from_millis(100)),
            ..ack_at(f64::from(i) * 10.0, 1.0)
        };
        take_ack(&mut law, &ack, &mut window(10.0, 5.0));
    }
    law
}

#[test]
fn a_loss_leaves_what_the_path_carries_in_its_smallest_round_trip() {
    // 100 segments a second for 50 ms; with the present round trip of 100 ms it would be ten.
    let r = measured(300, 100).on_loss(&loss_at(0, 20.0, 1, 21), &window(20.0, 30.0));
    assert!((r.ssthresh.0 - 5.0).abs() < 1e-6, "{:?}", r.ssthresh);
    assert_eq!(r.window_after, r.ssthresh);
}

#[test]
fn a_window_below_the_threshold_is_not_raised() {
    let r = measured(300, 100).on_loss(&loss_at(0, 4.0, 1, 5), &window(4.0, 4.0));
    assert!((r.ssthresh.0 - 5.0).abs() < 1e-6, "{:?}", r.ssthresh);
    assert_eq!(r.window_after, Segments(4.0));
}

#[test]
fn a_timeout_leaves_one_segment_and_the_same_threshold() {
    let r = measured(300, 100).on_timeout(&timeout_at(0, 20.0), &window(20.0, 30.0));
    assert!((r.ssthresh.0 - 5.0).abs() < 1e-6, "{:?}", r.ssthresh);
    assert_eq!(r.window_after, Segments::ONE);
}

#[test]
fn the_threshold_is_two_segments_at_least() {
    // Two ACKs: a rate of 1/0.11 s, and in 100 ms less than one segment.
    let mut law = measured(2, 100);
    let r = law.on_timeout(&timeout_at(0, 20.0), &window(20.0, 30.0));
    assert_eq!(r.ssthresh, Segments(2.0));
    let r = law.on_loss(&loss_at(0, 20.0, 1, 21), &window(20.0, 30.0));
    assert_eq!(r.ssthresh, Segments(2.0));
}

#[test]
fn before_there_is_an_estimate_the_window_is_halved() {
    let mut law = measured(0, 100);
    let r = law.on_loss(&loss_at(0, 20.0, 1, 21), &window(20.0, 30.0));
    assert_eq!(r, Response::cut_to(Segments(10.0)));
    let r = law.on_timeout(&timeout_at(0, 20.0), &window(20.0, 30.0));
    assert_eq!(r, Response::restart(Segments(10.0)));
}

#[test]
fn duplicate_acks_are_part_of_the_rate_and_growth_is_renos() {
    let mut law = measured(300, 100);
    let before = law.path_window().expect("an estimate");
    for ms in 0..5 {
        law.on_dupack(&ack_at(2990.0 + f64::from(ms), 0.0));
    }
    assert!(law.path_window().expect("an estimate") > before);
    let mut win = window(10.0, 5.0);
    take_ack(&mut law, &ack_at(3000.0, 1.0), &mut win);
    assert_near(win.cwnd.0, 10.1, "cwnd");
}
