//! TCP's throughput under random loss: the square-root law and the formula of Padhye and others.

use skywave_core::link::{LossConfig, PeriodicConfig};
use skywave_core::tcp::TcpConfig;
use skywave_core::{Duration, Time};
use skywave_sim::{Outcome, Spec, simulate};

use crate::common::{ftp, link, ns2, wire};

/// Round trip in seconds: there is no queue and hardly any transmission time.
const RTT: f64 = 0.1;

/// One flow over a path that only loses; after a minute of settling.
fn lossy(config: TcpConfig, loss: LossConfig, seconds: u64, seed: u64) -> Outcome {
    let mut there = wire(1000.0, 1e3 * RTT / 2.0, 10_000);
    there.loss = vec![loss];
    let end = Time::ZERO + Duration::from_secs(seconds);
    simulate(&Spec {
        nodes: ["A", "B"].map(Into::into).to_vec(),
        links: vec![
            link("there", 0, 1, there),
            link("back", 1, 0, wire(1000.0, 1e3 * RTT / 2.0, 10_000)),
        ],
        flows: vec![ftp("bulk", 0, 1, config)],
        duration: end,
        measure: (Time::ZERO + Duration::from_secs(60), end),
        seed,
        ..Spec::default()
    })
}

/// Goodput in segments a round trip.
fn rate(outcome: &Outcome) -> f64 {
    outcome.flows[0].goodput_bps / (8.0 * 1460.0) * RTT
}

#[test]
fn periodic_loss_gives_the_square_root_law() {
    // Mathis and others 1997: sqrt(3/2)/sqrt(p) segments a round trip with an ACK a segment. Left
    // out there: the round trip of the repair, one of W/2 in a period (4% at 1000 packets), and that
    // thresholds are whole segments.
    for every in [1000, 3000, 10_000] {
        let loss = LossConfig::Periodic(PeriodicConfig {
            every,
            first: Some(every),
        });
        let outcome = lossy(ns2("sack", 1000), loss, 3000, 1);
        let law = (1.5 * every as f64).sqrt();
        let ratio = rate(&outcome) / law;
        assert!((0.94..=1.02).contains(&ratio), "1 in {every}: {ratio}");
        assert_eq!(outcome.flows[0].timeouts, 0);
    }
}

#[test]
fn independent_loss_gives_the_stationary_window_of_an_ideal_tcp() {
    // Ott, Kemperman and Mathis 1996: the time average of the window is 1.3098/sqrt(p).
    for p in [0.001, 0.003] {
        let outcome = lossy(ns2("sack", 1000), LossConfig::Iid(p), 8000, 1);
        let ratio = rate(&outcome) / (1.3098 / f64::sqrt(p));
        // As above; about 3000 losses have a standard error of about 1%.
        assert!((0.93..=1.03).contains(&ratio), "p = {p}: {ratio}");
    }
}

#[test]
fn losses_with_timeouts_follow_padhye_and_others() {
    // Padhye and others 1998, equation 30 with b = 1. It supposes that all packets of a round after a lost
    // one are lost too, so it is only approximate for independent losses. Measured: 0.93 to 0.96.
    for p in [0.01_f64, 0.03, 0.06] {
        let mut config = ns2("reno", 1000);
        config.limited_transmit = false;
        std::sync::Arc::make_mut(&mut config.rto).min = Duration::from_secs(1);
        let outcome = lossy(config, LossConfig::Iid(p), 5000, 1);
        let first_rto = 1.0;
        let timeouts =
            first_rto * (3.0 * (3.0 * p / 8.0).sqrt()).min(1.0) * p * (1.0 + 32.0 * p * p);
        let formula = RTT / (RTT * (2.0 * p / 3.0).sqrt() + timeouts);
        let ratio = rate(&outcome) / formula;
        assert!(outcome.flows[0].timeouts > 500);
        assert!((0.85..=1.15).contains(&ratio), "p = {p}: {ratio}");
    }
}
