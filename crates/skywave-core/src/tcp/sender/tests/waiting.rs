//! How window laws grow while TCP-DCR waits (section 3.3: the window "continues to evolve as indicated by the
//! congestion avoidance algorithm"): by their own rule, once for each duplicate ACK.

use super::config;
use crate::tcp::config::{CongestionConfig, TcpConfig};
use crate::tcp::congestion::{CubicConfig, FewConfig, VegasConfig, VenoConfig};
use crate::tcp::testing::Script;

/// TCP-DCR under this law, in congestion avoidance with a window of ten segments, all of them in flight. With an RTO
/// of many seconds.
fn dcr(law: CongestionConfig) -> Script {
    let mut config = TcpConfig {
        limited_transmit: false,
        ..config("dcr", 10)
    };
    config.composition.congestion = law;
    Script::sent(config, 10)
}

/// Five duplicate ACKs for segment `n`, at once: the windows before the first and after each.
fn while_it_waits(s: &mut Script, n: u64) -> Vec<f64> {
    let mut windows = vec![s.sender.window().cwnd.0];
    for top in n + 2..n + 7 {
        s.dupack_sacking(&[n + 1..top]);
        windows.push(s.sender.window().cwnd.0);
    }
    assert_eq!(s.sender.counters().fast_retransmits, 0, "it still waits");
    windows
}

#[track_caller]
fn assert_steps(windows: &[f64], step: impl Fn(usize, f64) -> f64) {
    for (n, pair) in windows.windows(2).enumerate() {
        let expected = pair[0] + step(n, pair[0]);
        assert!((pair[1] - expected).abs() < 1e-9, "step {n} of {windows:?}");
    }
}

#[test]
fn cubic_grows_along_its_curve() {
    let mut s = dcr(CongestionConfig::Cubic(CubicConfig::DEFAULT));
    s.wait(1000);
    s.ack(2);
    // Two seconds into the epoch the target is the curve's a round trip ahead, 10 + 0.4·3³, but 1.5 windows at most
    // (RFC 9438 section 4.2): each ACK goes 1/cwnd of the way.
    s.wait(2000);
    let windows = while_it_waits(&mut s, 2);
    assert_steps(&windows, |_, cwnd| {
        ((10.0 + 0.4 * 27.0_f64).min(1.5 * cwnd) - cwnd) / cwnd
    });
    assert!(windows[5] > 12.5, "Reno would have 10.6: {windows:?}");
}

#[test]
fn veno_grows_on_every_second_ack_where_a_queue_stands() {
    let mut s = dcr(CongestionConfig::Veno(VenoConfig::DEFAULT));
    s.wait(100);
    s.ack(2);
    // The round trip has doubled: five of ten segments are queued, which is more than three (section II-B).
    s.wait(200);
    s.ack(12);
    let windows = while_it_waits(&mut s, 12);
    assert_steps(
        &windows,
        |n, cwnd| {
            if n % 2 == 0 { 1.0 / cwnd } else { 0.0 }
        },
    );
}

#[test]
fn vegas_goes_on_with_what_the_round_trip_has_decided() {
    let mut s = dcr(CongestionConfig::Vegas(VegasConfig::DEFAULT));
    s.wait(100);
    s.ack(2);
    // Nothing was queued: a tenth of a segment an ACK for the rest of the round.
    let windows = while_it_waits(&mut s, 2);
    assert_steps(&windows, |_, _| 0.1);
}

#[test]
fn few_grows_by_its_fraction() {
    let mut s = dcr(CongestionConfig::Few(FewConfig::DEFAULT));
    s.wait(100);
    s.ack(2);
    let windows = while_it_waits(&mut s, 2);
    assert_steps(&windows, |_, cwnd| 0.01 / cwnd);
}
