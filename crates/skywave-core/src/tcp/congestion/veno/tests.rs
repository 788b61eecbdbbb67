//! Fu and Liew 2003, section II.

use super::*;
use crate::tcp::testing::{ack_at, assert_near, loss_at, take_ack, timeout_at, window};

fn veno() -> Veno {
    Veno::new(VenoConfig::DEFAULT)
}

fn ack(rtt_ms: u64) -> AckEvent {
    AckEvent {
        segment_rtt: Some(Duration::from_millis(rtt_ms)),
        ..ack_at(0.0, 1.0)
    }
}

/// A sender with BaseRTT 100 ms whose last round trip took `rtt` ms.
fn measured(rtt: u64) -> Veno {
    let mut v = veno();
    take_ack(&mut v, &ack(100), &mut window(10.0, 5.0));
    take_ack(&mut v, &ack(rtt), &mut window(10.0, 5.0));
    v
}

#[test]
fn the_backlog_is_the_windows_share_of_the_queueing_delay() {
    // N = cwnd·(RTT − BaseRTT)/RTT.
    for (cwnd, rtt, backlog) in [(10.0, 100, 0.0), (10.0, 125, 2.0), (20.0, 160, 7.5)] {
        assert_near(measured(rtt).backlog(Segments(cwnd)), backlog, "backlog");
    }
    assert_near(
        veno().backlog(Segments(10.0)),
        0.0,
        "backlog before a sample",
    );
}

#[test]
fn below_the_threshold_it_grows_as_reno() {
    let mut v = measured(125); // a backlog of 2
    let mut w = window(10.0, 5.0);
    take_ack(&mut v, &ack(125), &mut w);
    assert_near(w.cwnd.0, 10.1, "cwnd");
    take_ack(&mut v, &ack(125), &mut w);
    assert_near(w.cwnd.0, 10.1 + 1.0 / 10.1, "cwnd");
}

#[test]
fn from_the_threshold_on_it_grows_with_every_second_ack() {
    let mut v = measured(200); // a backlog of 5
    let mut w = window(10.0, 5.0);
    let growth: Vec<bool> = (0..6)
        .map(|_| {
            let before = w.cwnd;
            take_ack(&mut v, &ack(200), &mut w);
            w.cwnd > before
        })
        .collect();
    // The first ACK after one that grew is skipped.
    assert!(
        growth.windows(2).all(|pair| pair[0] != pair[1]),
        "{growth:?}"
    );
}

#[test]
fn slow_start_is_renos() {
    let mut v = measured(200);
    let mut w = window(4.0, 8.0);
    take_ack(&mut v, &ack(200), &mut w);
    assert_eq!(w.cwnd, Segments(5.0));
}

#[test]
fn a_random_loss_cuts_by_a_fifth_a_congestive_one_by_half() {
    // A backlog below 3 segments of 10: RTT below 142.86 ms.
    let after = |rtt| {
        let r = measured(rtt).on_loss(&loss_at(0, 10.0, 1, 11), &window(10.0, 5.0));
        assert_eq!(r.ssthresh, r.window_after);
        r.ssthresh.0
    };
    assert_near(after(142), 8.0, "ssthresh");
    assert_near(after(143), 5.0, "ssthresh");
    assert_near(after(100), 8.0, "ssthresh");
}

#[test]
fn the_cut_leaves_two_segments() {
    let r = measured(100).on_loss(&loss_at(0, 2.0, 1, 3), &window(2.0, 5.0));
    assert_eq!(r.window_after, Segments(2.0));
}

#[test]
fn a_timeout_is_renos() {
    let r = measured(100).on_timeout(&timeout_at(0, 10.0), &window(10.0, 5.0));
    assert_eq!((r.ssthresh, r.window_after), (Segments(5.0), Segments::ONE));
}

#[test]
fn by_bytes_an_ack_of_two_segments_counts_twice() {
    let mut w = window(10.0, 5.0);
    let two = AckEvent {
        counted: Segments(2.0),
        ..ack(100)
    };
    take_ack(&mut measured(100), &two, &mut w);
    assert_near(w.cwnd.0, 10.2, "cwnd");
}
