//! Results that follow from arithmetic alone.

use std::sync::Arc;

use skywave_core::link::{LossConfig, Reordering};
use skywave_core::quic;
use skywave_core::tcp::{CongestionConfig, PRESETS, Profile, TcpConfig, preset};
use skywave_core::{Duration, Rate, Time};
use skywave_sim::spec::{FlowSpec, Traffic, Transport};
use skywave_sim::{Spec, simulate};

use crate::common::{Path, ftp, link, ns2, single, wire};

fn seconds(s: u64) -> Time {
    Time::ZERO + Duration::from_secs(s)
}

#[test]
fn a_clean_path_is_filled_to_its_last_packet() {
    let path = Path {
        loss: 0.0,
        seconds: 100,
        ..Path::default()
    };
    let mut spec = single(path, ns2("reno", 90), 1);
    spec.measure = (seconds(50), seconds(100));
    let outcome = simulate(&spec);
    let bottleneck = &outcome.links[1];
    assert!(bottleneck.utilisation > 0.9999, "{bottleneck:?}");
    // 1460 of each 1500 bytes are payload; the window may cut one packet at each end.
    let expected = 2e6 * 1460.0 / 1500.0;
    let got = outcome.flows[0].goodput_bps;
    assert!((got - expected).abs() <= 1460.0 * 8.0 / 50.0, "{got}");
}

#[test]
fn the_smallest_round_trip_is_propagation_and_transmission() {
    let path = Path {
        loss: 0.0,
        seconds: 5,
        ..Path::default()
    };
    let mut config = ns2("reno", 90);
    config.rwnd = config.mss; // one segment at a time: nothing ever queues
    let outcome = simulate(&single(path, config, 1));
    // 1500 bytes at 10, 2, 10 Mb/s; 40 bytes back; 2 · 100 ms. The SYN's round trip is shorter.
    let data = 1.2e-3 + 6e-3 + 1.2e-3;
    let ack = 32e-6 + 160e-6 + 32e-6;
    let syn = 2.0 * ack + 0.2;
    let min = outcome.flows[0].rtt_min_s.expect("samples");
    assert!((min - syn).abs() < 1e-8, "{min}");
    let median = outcome.flows[0].delay_p50_s.expect("delays");
    assert!((median / (0.1 + data) - 1.0).abs() < 0.016, "{median}");
}

#[test]
fn the_same_specification_gives_the_same_outcome() {
    for preset in PRESETS.iter() {
        let path = Path {
            seconds: 60,
            ..Path::default()
        };
        let mut spec = single(path, ns2(preset.name, 90), 3);
        spec.series = true;
        assert_eq!(simulate(&spec), simulate(&spec), "{}", preset.name);
    }
}

#[test]
fn seeds_differ() {
    let path = Path {
        loss: 0.05,
        seconds: 30,
        ..Path::default()
    };
    let run = |name, seed| simulate(&single(path, ns2(name, 90), seed));
    let (one, two) = (run("reno", 1), run("reno", 2));
    assert_ne!(one.flows[0].delivered_bytes, two.flows[0].delivered_bytes);
}

#[test]
fn every_packet_offered_to_the_last_link_is_delivered_or_accounted_for() {
    let path = Path {
        loss: 0.03,
        seconds: 120,
        ..Path::default()
    };
    for preset in PRESETS.iter() {
        let outcome = simulate(&single(path, ns2(preset.name, 90), 1));
        let flow = &outcome.flows[0];
        let wireless = &outcome.links[2];
        assert_eq!(
            flow.channel_drops, wireless.channel_drops,
            "{}",
            preset.name
        );
        let arrived = wireless.offered - wireless.channel_drops - wireless.queue_drops;
        let delivered = flow.delivered_bytes / 1460;
        // Spurious retransmissions arrive twice; data that the receiver still holds are not delivered.
        assert!(delivered <= arrived, "{}", preset.name);
        assert!(
            arrived - delivered <= flow.retransmits + 270,
            "{}",
            preset.name
        );
    }
}

#[test]
fn a_fixed_transfer_completes_whatever_happens_on_the_way() {
    let bytes = 1_000_000;
    for preset in PRESETS.iter() {
        for profile in [Profile::Ns2, Profile::Bsd, Profile::Rfc] {
            let mut config = TcpConfig::new(profile, preset.composition.clone());
            config.iss = u32::MAX - 300_000; // wraps on the way
            let mut spec = single(Path::default(), config, 7);
            spec.flows[0].traffic = Traffic::Bytes(bytes);
            let wireless = Arc::make_mut(&mut spec.links[2].config);
            wireless.loss.push(LossConfig::Exponential(0.02));
            wireless.duplication = 0.01;
            wireless.corruption = 0.01;
            wireless.reordering = Some(Reordering {
                probability: 0.02,
                delay: Duration::from_millis(30),
            });
            Arc::make_mut(&mut spec.links[3].config).loss = vec![LossConfig::Iid(0.02)];
            let flow = &simulate(&spec).flows[0];
            let name = (preset.name, profile);
            assert_eq!(flow.delivered_bytes, bytes, "{name:?}");
            assert!(flow.completion_s.is_some(), "{name:?}");
        }
    }
}

/// A constant-rate voice flow beside a bulk flow over one link.
fn voice(rate_kbps: u64) -> Spec {
    let voice = FlowSpec {
        name: "voice".into(),
        from: 0,
        to: 1,
        route: None,
        transport: Transport::Udp { header: 28 },
        traffic: Traffic::Cbr {
            rate: Rate::from_bps(rate_kbps * 1000),
            packet: 160,
            jitter: 0.0,
        },
        start: Time::ZERO,
        stop: None,
    };
    Spec {
        nodes: ["A", "B"].map(Into::into).to_vec(),
        links: vec![
            link("there", 0, 1, wire(1.0, 20.0, 50)),
            link("back", 1, 0, wire(1.0, 20.0, 50)),
        ],
        flows: vec![voice],
        duration: seconds(100),
        measure: (seconds(10), seconds(100)),
        seed: 1,
        ..Spec::default()
    }
}

#[test]
fn a_constant_rate_arrives_at_its_rate_and_delay() {
    let outcome = simulate(&voice(64));
    let flow = &outcome.flows[0];
    assert!((flow.goodput_bps / 64_000.0 - 1.0).abs() < 1e-3, "{flow:?}");
    // 188 bytes at 1 Mb/s and 20 ms.
    let delay = flow.delay_p99_s.expect("delays");
    assert!((delay / 0.021_504 - 1.0).abs() < 0.016, "{delay}");
    assert!((outcome.links[0].utilisation - 0.064 * 188.0 / 160.0).abs() < 1e-4);
    assert_eq!(outcome.links[0].queue_mean_packets, 0.0);
}

#[test]
fn datagrams_need_no_way_back() {
    let mut spec = voice(64);
    spec.links.pop();
    assert!(simulate(&spec).flows[0].delivered_bytes > 0);
}

#[test]
fn handshake_and_close_are_no_deliveries() {
    let mut spec = voice(64);
    let config = TcpConfig::new(
        Profile::Rfc,
        preset("newreno").expect("known").composition.clone(),
    );
    spec.flows = vec![ftp("one", 0, 1, config)];
    spec.flows[0].traffic = Traffic::Bytes(1460);
    spec.measure = (seconds(0), seconds(100));
    let flow = &simulate(&spec).flows[0];
    // 1512 bytes with timestamps at 1 Mb/s and 20 ms; a SYN or FIN would arrive in 20.4 ms.
    let median = flow.delay_p50_s.expect("delays");
    assert!((median / 0.032_096 - 1.0).abs() < 0.016, "{median}");
}

#[test]
fn a_hundred_links_in_a_row_are_a_path() {
    let mut spec = voice(64);
    let hops = 100;
    spec.nodes = (0..=hops).map(|n| n.to_string().into()).collect();
    spec.links = (0..hops)
        .map(|i| link(&format!("l{i}"), i, i + 1, wire(1.0, 1.0, 50)))
        .collect();
    Arc::make_mut(&mut spec.links[50].config).duplication = 1.0;
    spec.flows[0].to = hops;
    let flow = &simulate(&spec).flows[0];
    let delay = flow.delay_p50_s.expect("delays");
    assert!((delay / (100.0 * 0.002_504) - 1.0).abs() < 0.016, "{delay}");
    assert!((flow.goodput_bps / 64_000.0 - 1.0).abs() < 0.01, "{flow:?}");
    assert!(flow.throughput_bps > 1.9 * flow.goodput_bps);
}

#[test]
fn bulk_and_voice_share_the_link_to_its_capacity() {
    let mut spec = voice(64);
    spec.flows.push(ftp("bulk", 0, 1, ns2("newreno", 50)));
    let outcome = simulate(&spec);
    assert!(outcome.links[0].utilisation > 0.99, "{:?}", outcome.links);
    assert!(outcome.flows[0].goodput_bps > 60_000.0);
}

#[test]
fn two_equal_flows_share_equally_and_a_window_limits_a_flow() {
    let mut spec = voice(64);
    let config = TcpConfig::new(
        Profile::Rfc,
        preset("cubic").expect("known").composition.clone(),
    );
    spec.flows = vec![ftp("one", 0, 1, config.clone()), ftp("two", 0, 1, config)];
    let outcome = simulate(&spec);
    let [one, two] = [&outcome.flows[0], &outcome.flows[1]];
    let ratio = one.goodput_bps / two.goodput_bps;
    assert!((0.8..1.25).contains(&ratio), "{ratio}");

    // A window of two segments gives two segments a round trip.
    let mut limited = ns2("reno", 50);
    limited.rwnd = 2 * limited.mss;
    spec.flows = vec![ftp("limited", 0, 1, limited)];
    let flow = &simulate(&spec).flows[0];
    // The second segment waits for the first: the round trip has two transmissions of 12 ms, but
    // each ACK releases one segment, so that two leave in (12 + 20 + 0.32 + 20) ms.
    let expected = 2.0 * 1460.0 * 8.0 / 0.052_32;
    assert!((flow.goodput_bps / expected - 1.0).abs() < 0.01, "{flow:?}");
}

#[test]
fn a_stopped_flow_stops_and_a_late_one_starts_late() {
    let mut spec = voice(64);
    spec.measure = (seconds(0), seconds(100));
    spec.flows[0].start = seconds(40);
    spec.flows[0].stop = Some(seconds(60));
    let flow = &simulate(&spec).flows[0];
    assert!(
        (flow.delivered_bytes as f64 - 20.0 * 8000.0).abs() <= 160.0,
        "{flow:?}"
    );
}

#[test]
fn the_mean_window_of_a_late_flow_is_that_of_an_early_one() {
    let path = Path {
        loss: 0.0,
        seconds: 80,
        ..Path::default()
    };
    let tcp = Transport::Tcp(Arc::new(ns2("newreno", 90)));
    let quic = Transport::Quic {
        config: Arc::new(quic::Config::new(CongestionConfig::Reno)),
        header: 28,
    };
    for transport in [tcp, quic] {
        let mean = |start, end| {
            let mut spec = single(path, ns2("newreno", 90), 1);
            spec.flows[0].transport = transport.clone();
            spec.flows[0].start = seconds(start);
            spec.measure = (seconds(0), seconds(end));
            simulate(&spec).flows[0].cwnd_mean
        };
        let early = mean(0, 30).expect("a window");
        let late = mean(50, 80).expect("a window");
        assert!((late / early - 1.0).abs() < 1e-9, "{late} and {early}");
        assert_eq!(mean(50, 40), None);
    }
}

#[test]
fn the_window_is_measured_exactly() {
    // The measurements of two halves add up to those of the whole.
    let whole = single(
        Path {
            seconds: 60,
            ..Path::default()
        },
        ns2("newreno", 90),
        5,
    );
    let part = |from, to| {
        let mut spec = whole.clone();
        spec.measure = (seconds(from), seconds(to));
        let outcome = simulate(&spec);
        let f = &outcome.flows[0];
        let counts = [
            f.delivered_bytes,
            f.sent_packets,
            f.retransmits,
            f.timeouts,
            f.fast_retransmits,
            f.queue_drops,
            f.channel_drops,
            outcome.links[1].offered,
            outcome.links[2].channel_drops,
        ];
        (
            counts,
            f.cwnd_mean.expect("TCP"),
            outcome.links[1].utilisation,
        )
    };
    let (all, first, second) = (part(0, 60), part(0, 30), part(30, 60));
    for (i, count) in all.0.iter().enumerate() {
        assert_eq!(*count, first.0[i] + second.0[i], "count {i}");
    }
    assert!((all.1 - f64::midpoint(first.1, second.1)).abs() < 1e-9);
    assert!((all.2 - f64::midpoint(first.2, second.2)).abs() < 1e-9);
}

#[test]
fn the_queue_series_is_the_queue() {
    let path = Path {
        seconds: 20,
        ..Path::default()
    };
    let mut spec = single(path, ns2("reno", 90), 2);
    spec.series = true;
    let outcome = simulate(&spec);
    let is_queue = |s: &&skywave_sim::Series| s.entity == "bottleneck" && s.quantity == "queue";
    let series = outcome.series.iter().find(is_queue).expect("recorded");
    // Its time average equals the link's measurement.
    let end = (20.0, 0.0);
    let next = series.points.iter().skip(1).chain([&end]);
    let area: f64 = series
        .points
        .iter()
        .zip(next)
        .map(|(a, b)| a.1 * (b.0 - a.0))
        .sum();
    let mean = outcome.links[1].queue_mean_packets;
    assert!(mean > 0.1, "{mean}");
    assert!((area / 20.0 - mean).abs() < 1e-6, "{} {mean}", area / 20.0);
}
