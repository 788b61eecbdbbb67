//! One server: waiting times and queue lengths.

use skywave_core::link::{Fate, Link};
use skywave_core::rng::Stream;
use skywave_core::{Duration, Rate, Time};
use skywave_sim::spec::{Dist, FlowSpec, Traffic, Transport};
use skywave_sim::{Spec, simulate};

use crate::common::{link, wire};

/// 1000 bytes at 1 Mb/s.
const SERVICE: f64 = 0.008;

/// Waiting time of a packet of 1000 bytes offered now to a link without delay.
fn wait(link: &mut Link, now: Time) -> f64 {
    match link.send(now, 1000) {
        Fate::Arrives { at, .. } => at.since(now).as_secs_f64() - SERVICE,
        Fate::Dropped(cause) => panic!("dropped: {cause:?}"),
    }
}

#[test]
fn batches_into_a_fixed_service_wait_by_their_place() {
    let mut link = Link::new(wire(1.0, 0.0, 50), 1, "server");
    let batches = 1000;
    for batch in 0..batches {
        let now = Time::ZERO + Duration::from_millis(50 * batch);
        for place in 0..5 {
            let got = wait(&mut link, now);
            assert!((got - f64::from(place) * SERVICE).abs() < 1e-12, "{got}");
        }
    }
    let measured = link.finish(Time::ZERO + Duration::from_millis(50 * batches));
    // 5 · 8 ms of work each 50 ms; 0 + 8 + 16 + 24 + 32 ms of waiting each 50 ms (Little's law).
    assert!((measured.utilisation - 0.8).abs() < 1e-9);
    assert!((measured.queue_mean_packets - 1.6).abs() < 1e-9);
}

#[test]
fn poisson_arrivals_wait_as_pollaczek_and_khinchine_say() {
    for load in [0.3, 0.6, 0.8] {
        let mut link = Link::new(wire(1.0, 0.0, 100_000), 1, "server");
        let mut arrivals = Stream::named(1, "poisson", "gaps");
        let packets = 500_000;
        let (mut now, mut sum) = (0.0, 0.0);
        for _ in 0..packets {
            now += arrivals.exponential(SERVICE / load);
            sum += wait(&mut link, Time::ZERO + Duration::from_secs_f64(now));
        }
        let mean = sum / f64::from(packets);
        let expected = load * SERVICE / (2.0 * (1.0 - load));
        // Standard errors are below 1%: waits are correlated over some hundred packets at 0.8.
        let ratio = mean / expected;
        assert!((ratio - 1.0).abs() < 0.03, "load {load}: {ratio}");
    }
}

#[test]
fn a_poisson_source_fills_a_queue_as_an_md1_does() {
    for load in [0.5, 0.8] {
        // Bursts shorter than a packet time are single packets: exponential pauses between them.
        let source = FlowSpec {
            name: "poisson".into(),
            from: 0,
            to: 1,
            route: None,
            transport: Transport::Udp { header: 0 },
            traffic: Traffic::OnOff {
                rate: Rate::from_bps(1_000_000_000),
                packet: 1000,
                on: Dist::Constant(0.0),
                off: Dist::Exponential(SERVICE / load),
            },
            start: Time::ZERO,
            stop: None,
        };
        let end = Time::ZERO + Duration::from_secs(2000);
        let outcome = simulate(&Spec {
            nodes: ["A", "B"].map(Into::into).to_vec(),
            links: vec![link("server", 0, 1, wire(1.0, 20.0, 100_000))],
            flows: vec![source],
            duration: end,
            measure: (Time::ZERO + Duration::from_secs(10), end),
            seed: 1,
            ..Spec::default()
        });
        let server = &outcome.links[0];
        // 125,000 packets and more: standard errors of 0.3% of the load, 2% of the queue at 0.8.
        assert!((server.utilisation / load - 1.0).abs() < 0.01, "{server:?}");
        let waiting = load * load / (2.0 * (1.0 - load));
        let ratio = server.queue_mean_packets / waiting;
        assert!((ratio - 1.0).abs() < 0.05, "load {load}: {ratio}");
    }
}
