//! The rate by hand, and the gaps between the segments of a sender.

use super::*;
use crate::tcp::config::TcpConfig;
use crate::tcp::testing::{
    MSS, Script, ack_at, assert_near, config, loss_at, take_ack, timeout_at, window,
};
use crate::units::Segments;

fn law(hops: f64) -> TcpAp {
    let config = TcpApConfig {
        hops,
        ..TcpApConfig::DEFAULT
    };
    TcpAp::new(config, MSS)
}

/// Milliseconds from one segment to the next after these round trips.
fn gap(law: &mut TcpAp, rtts: impl IntoIterator<Item = u64>) -> f64 {
    for rtt in rtts {
        let ack = AckEvent {
            segment_rtt: Some(Duration::from_millis(rtt)),
            ..ack_at(0.0, 1.0)
        };
        take_ack(law, &ack, &mut window(4.0, 4.0));
    }
    let rate = law.pacing_rate().expect("a rate").as_bps() as f64;
    f64::from(MSS) * 8e3 / rate
}

/// Equal but for the rounding of a rate to whole bits a second.
#[track_caller]
fn assert_gap(actual: f64, expected: f64) {
    assert!(
        (actual / expected - 1.0).abs() < 1e-3,
        "{actual} ms, not {expected}"
    );
}

#[test]
fn a_steady_round_trip_gives_one_segment_in_the_time_of_four_hops() {
    // Four hops are half the way there and back, and a fourth part of it with eight.
    assert_gap(gap(&mut law(4.0), [40; 60]), 20.0);
    assert_gap(gap(&mut law(8.0), [40; 60]), 10.0);
}

#[test]
fn the_delay_is_an_average_and_its_variation_widens_the_gap() {
    // FHD: 20 ms, then 0.7·20 + 0.3·30; 40 and 60 ms have a mean of 50 and a deviation of 10.
    assert_gap(gap(&mut law(4.0), [40, 60]), 23.0 * (1.0 + 2.0 * 0.2));
}

#[test]
fn only_the_last_fifty_round_trips_vary() {
    let mut law = law(4.0);
    let varied = gap(&mut law, [40, 400]);
    assert!(varied > 100.0, "{varied}");
    assert_gap(gap(&mut law, [40; 50]), 20.0);
}

#[test]
fn an_ack_without_a_round_trip_measures_nothing() {
    let mut law = law(4.0);
    let before = gap(&mut law, [40]);
    take_ack(&mut law, &ack_at(0.0, 1.0), &mut window(4.0, 4.0));
    assert_near(gap(&mut law, []), before, "gap");
}

#[test]
fn the_window_is_renos() {
    let mut law = law(4.0);
    let mut win = window(4.0, 4.0);
    take_ack(&mut law, &ack_at(0.0, 1.0), &mut win);
    assert_near(win.cwnd.0, 4.25, "cwnd");
    let loss = law.on_loss(&loss_at(0, 8.0, 1, 9), &window(8.0, 8.0));
    assert_eq!(loss, Response::cut_to(Segments(4.0)));
    let timeout = law.on_timeout(&timeout_at(0, 8.0), &window(8.0, 8.0));
    assert_eq!(timeout, Response::restart(Segments(4.0)));
}

#[test]
fn segments_leave_one_by_one_at_the_rate() {
    let config: TcpConfig = config("tcp-ap", 4);
    let mut s = Script::new(config);
    // Before a round trip one segment each millisecond.
    s.expect_sent([1]);
    s.wait(1);
    s.on_timer();
    s.expect_sent([2]);
    s.wait(39);
    s.on_timer();
    s.expect_sent([3]);
    // The window has room for two more, and for what the ACK lets out: one leaves now, the next after 20 ms.
    s.ack(2);
    s.wait(1);
    s.on_timer();
    s.expect_sent([4]);
    s.wait(19);
    s.on_timer();
    s.expect_nothing();
    s.wait(1);
    s.on_timer();
    s.expect_sent([5]);
}
