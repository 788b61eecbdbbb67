//! Figures of losses, gaps, arrivals and queues that arithmetic gives too.

use std::sync::Arc;

use skywave_core::link::{LinkConfig, LossConfig};
use skywave_core::quic;
use skywave_core::tcp::{CongestionConfig, TcpConfig};
use skywave_core::{Duration, Rate, Segments, Time};
use skywave_sim::spec::{Dist, FlowSpec, PauseFrom, Traffic, Transport};
use skywave_sim::{Outcome, Spec, simulate};

use crate::common::{Path, link, ns2, single, wire};

const PATH: Path = Path {
    delay_ms: 80.0,
    rate_mbps: 2.0,
    buffer: 90,
    loss: 0.0,
    seconds: 20,
};

/// Time of 1500 bytes over the path: 100 ms, twice 1.2 ms at 10 Mb/s and 6 ms at 2 Mb/s.
const ONE_WAY: f64 = 0.1084;
/// Time of 40 bytes back over the path, with 0.16 ms at 2 Mb/s and twice 0.032 ms.
const BACK: f64 = 0.100_224;

/// One flow with a window of eight segments that loses these packets.
fn losing(variant: &str, packets: &[u64]) -> Outcome {
    let mut config = ns2(variant, PATH.buffer);
    config.rwnd = 8 * config.mss;
    std::sync::Arc::make_mut(&mut config.rto).min = Duration::from_secs(1);
    run(config, packets)
}

fn run(config: TcpConfig, packets: &[u64]) -> Outcome {
    let mut spec = single(PATH, config, 1);
    Arc::make_mut(&mut spec.links[2].config).loss = vec![LossConfig::Packets(packets.into())];
    spec.details = true;
    spec.bins = Some(Duration::from_millis(300));
    simulate(&spec)
}

#[track_caller]
fn near(actual: Option<f64>, expected: f64, tolerance: f64) {
    let actual = actual.expect("a number");
    assert!(
        (actual / expected - 1.0).abs() <= tolerance,
        "{actual}, not {expected}"
    );
}

#[test]
fn arrivals_are_timed_from_the_first_transmission() {
    let outcome = losing("newreno", &[100]);
    let flow = &outcome.flows[0];
    assert_eq!((flow.retransmits, flow.fast_retransmits), (1, 1));
    for percentile in [flow.arrival_p10_s, flow.arrival_p50_s] {
        near(percentile, ONE_WAY, 0.016);
    }
    // Later segments queue 6 ms each: the third dupack comes 18 ms after an ACK would have.
    let round_trip = ONE_WAY + BACK;
    near(flow.retx_arrival_mean_s, round_trip + ONE_WAY + 0.018, 0.05);
    // Because data are delivered in order, the segments after the lost one wait for it.
    assert!(flow.delay_p99_s > flow.arrival_p90_s);
    // An SRTT in whole ticks of 10 ms is on average near the round trip.
    near(flow.srtt_mean_s, flow.rtt_mean_s.expect("samples"), 0.1);
    assert!(flow.rttvar_mean_s.is_some_and(|v| v > 0.0 && v < 0.1));
}

#[test]
fn what_is_received_and_what_the_bins_hold() {
    let outcome = losing("newreno", &[100]);
    let flow = &outcome.flows[0];
    // A packet of 40 bytes opens the connection.
    let bits = (flow.received_packets - 1) * 1500 * 8 + 40 * 8;
    near(Some(flow.throughput_bps * 20.0), bits as f64, 1e-9);
    let bins = outcome.bins.as_ref().expect("bins");
    assert_eq!(bins.width_s, 0.3);
    assert_eq!(bins.delivered[0].len(), 67);
    assert_eq!(bins.delivered[0].iter().sum::<u64>(), flow.delivered_bytes);
    assert_eq!(bins.delivered[0][0], 0); // a round trip of handshake and one way of data
    assert!(bins.delivered[0][3..66].iter().all(|&b| b > 0));
}

#[test]
fn a_segment_lost_three_times_makes_one_gap_of_the_three_timeouts() {
    // The window is one segment: no duplicate ACK is possible. Packet 1 is the SYN.
    let mut config = ns2("reno", PATH.buffer);
    config.rwnd = config.mss;
    std::sync::Arc::make_mut(&mut config.rto).min = Duration::from_secs(1);
    let outcome = run(config, &[11, 12, 13]);
    let flow = &outcome.flows[0];
    assert_eq!(flow.timeouts, 3);
    assert_eq!((flow.timeouts_dupacks_0, flow.failed_dupacks_0), (3, 3));
    assert_eq!((flow.ack_gaps, flow.small_cwnd_fast_retransmits), (1, 0));
    // The segment leaves as the last ACK comes.
    near(
        Some(flow.ack_gaps_s),
        1.0 + 2.0 + 4.0 + ONE_WAY + BACK,
        1e-3,
    );
    assert_eq!(
        flow.small_cwnd_timeouts, 2,
        "the first one found a cwnd of ten"
    );
}

#[test]
fn two_losses_in_a_window_cost_reno_a_timeout_and_tahoe_none() {
    let counts = |variant| {
        let flow = losing(variant, &[100, 102]).flows.remove(0);
        (flow.multi_loss_windows, flow.multi_loss_timeouts)
    };
    assert_eq!(counts("reno"), (1, 1));
    assert_eq!(counts("tahoe"), (1, 0));
    assert_eq!(counts("newreno"), (1, 0));
}

#[test]
fn a_window_capped_at_three_segments_is_small_all_the_time() {
    let share = |cap: f64| {
        let config = TcpConfig {
            max_cwnd: Segments(cap),
            initial_window: Segments(4.0),
            ..ns2("reno", PATH.buffer)
        };
        run(config, &[]).flows[0].share_small_cwnd
    };
    assert_eq!(share(3.0), Some(1.0));
    assert_eq!(share(4.0), Some(0.0));
}

/// Packets of 1000 bytes at `rate_mbps` into a link of 1 Mb/s.
fn offered(rate_mbps: f64, traffic: impl Fn(Rate) -> Traffic) -> Spec {
    let end = Time::ZERO + Duration::from_secs(100);
    let narrow: LinkConfig = wire(1.0, 10.0, 10);
    Spec {
        nodes: ["A", "B"].map(Into::into).to_vec(),
        links: vec![link("narrow", 0, 1, narrow)],
        flows: vec![FlowSpec {
            name: "cbr".into(),
            from: 0,
            to: 1,
            transport: Transport::Udp { header: 0 },
            traffic: traffic(Rate::from_bps((rate_mbps * 1e6) as u64)),
            route: None,
            start: Time::ZERO,
            stop: None,
        }],
        duration: end,
        measure: (Time::ZERO + Duration::from_secs(50), end),
        seed: 1,
        details: true,
        ..Spec::default()
    }
}

#[test]
fn an_overloaded_queue_is_above_half_and_drops_the_excess() {
    let cbr = |rate| Traffic::Cbr {
        rate,
        packet: 1000,
        jitter: 0.0,
    };
    let link = simulate(&offered(4.0, cbr)).links.remove(0);
    assert_eq!(link.queue_above_half, Some(1.0));
    near(link.drop_rate, 0.75, 1e-3);
    let link = simulate(&offered(0.5, cbr)).links.remove(0);
    assert_eq!(link.queue_above_half, Some(0.0));
    assert_eq!(link.drop_rate, Some(0.0));
}

/// A transfer of ten full segments a second over an open window takes one way and nine more transmissions at 2 Mb/s.
#[test]
fn the_time_of_a_request_is_that_until_its_last_byte_arrives() {
    let mut spec = single(PATH, ns2("reno", PATH.buffer), 1);
    spec.duration = Time::ZERO + Duration::from_secs(100);
    spec.measure = (Time::ZERO + Duration::from_secs(20), spec.duration);
    spec.flows[0].traffic = Traffic::Requests {
        size: Dist::Constant(14_600.0),
        think: Dist::Constant(1.0),
        pause_from: PauseFrom::Start,
    };
    for transport in [
        None,
        Some(Transport::Quic {
            config: Arc::new(quic::Config::new(CongestionConfig::Reno)),
            header: 40,
        }),
    ] {
        if let Some(transport) = transport {
            spec.flows[0].transport = transport;
        }
        let flow = simulate(&spec).flows.remove(0);
        assert_eq!(flow.requests_done, 80);
        near(flow.request_time_mean_s, ONE_WAY + 9.0 * 0.006, 0.02);
        near(flow.request_time_p99_s, ONE_WAY + 9.0 * 0.006, 0.03);
    }
}

/// Transfers of half a second that begin every 0.4 s: the queue of them grows.
#[test]
fn each_transfer_is_kept_on_request_and_what_is_not_done_has_no_time() {
    let mut spec = single(PATH, ns2("reno", PATH.buffer), 1);
    spec.duration = Time::ZERO + Duration::from_secs(60);
    spec.measure = (
        Time::ZERO + Duration::from_secs(20),
        Time::ZERO + Duration::from_secs(50),
    );
    spec.flows[0].traffic = Traffic::Requests {
        size: Dist::Uniform(100_000.0, 150_000.0),
        think: Dist::Constant(0.4),
        pause_from: PauseFrom::Start,
    };
    let without = simulate(&spec);
    assert_eq!(without.requests, None);
    spec.requests = true;
    let with = simulate(&spec);
    assert_eq!(
        with.flows, without.flows,
        "keeping them changes nothing else"
    );
    let [requests] = &with.requests.expect("asked for")[..] else {
        panic!("one flow");
    };
    assert!(requests.is_sorted_by(|a, b| a.start_s < b.start_s));
    let sizes = 100_000..=150_000;
    assert!(
        requests
            .iter()
            .all(|request| sizes.contains(&request.bytes))
    );
    let done = requests
        .iter()
        .filter_map(|request| Some((request.start_s, request.took_s?)));
    let done: Vec<(f64, f64)> = done.collect();
    assert_eq!(done.len() as u64, with.flows[0].requests_done);
    assert!(
        done.iter()
            .all(|(start, took)| (20.0..50.0).contains(&(start + took)))
    );
    let mean = done.iter().map(|(_, took)| took).sum::<f64>() / done.len() as f64;
    near(with.flows[0].request_time_mean_s, mean, 1e-9);
    // Those that are not done by the end of the window are there too, up to the last one that began in it.
    let open = requests
        .iter()
        .filter(|request| request.took_s.is_none())
        .count();
    assert!(open > 10, "{open}");
    let last = requests[requests.len() - 1].start_s;
    assert!((49.6..50.0).contains(&last), "{last}");
}

/// Four times what the link carries, without a buffer to speak of.
#[test]
fn datagrams_that_are_lost_are_counted_as_a_share() {
    let mut spec = single(PATH, ns2("reno", PATH.buffer), 1);
    spec.flows[0].transport = Transport::Udp { header: 28 };
    spec.flows[0].traffic = Traffic::Cbr {
        rate: Rate::from_bps(8_000_000),
        packet: 1472,
        jitter: 0.0,
    };
    let flow = simulate(&spec).flows.remove(0);
    near(flow.datagrams_lost, 0.75, 0.03);
    let tcp = simulate(&single(PATH, ns2("reno", PATH.buffer), 1))
        .flows
        .remove(0);
    assert_eq!(tcp.datagrams_lost, None);
}

#[test]
fn the_sizes_of_transfers_are_whole_packets() {
    let mut spec = single(PATH, ns2("reno", PATH.buffer), 1);
    spec.duration = Time::ZERO + Duration::from_secs(4000);
    spec.measure = (Time::ZERO, spec.duration);
    spec.flows[0].traffic = Traffic::Requests {
        size: Dist::Whole {
            low: 10,
            high: 20,
            unit: 1460.0,
        },
        think: Dist::Constant(4.0),
        pause_from: PauseFrom::Start,
    };
    let flow = simulate(&spec).flows.remove(0);
    // A thousand transfers of 15 packets on average, each of full segments.
    near(
        Some(flow.delivered_bytes as f64),
        1000.0 * 15.0 * 1460.0,
        0.02,
    );
    assert_eq!(flow.received_packets - 1, flow.delivered_bytes / 1460);
    assert_eq!(flow.delivered_bytes % 1460, 0);
}
