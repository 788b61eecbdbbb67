//! Measurements of a WTCP flow.

use std::sync::Arc;

use skywave_core::link::LossConfig;
use skywave_core::tcp::{Profile, TcpConfig, preset};
use skywave_core::wtcp;
use skywave_sim::losses::{Found, LossCause};
use skywave_sim::outcome::{FlowOutcome, Outcome};
use skywave_sim::simulate;
use skywave_sim::spec::{Traffic, Transport};

use crate::common::{detailed, ftp, link, wire};

/// 100 s over a fast link and one of 100 kb/s and 200 ms each way, in packets of 500 bytes.
fn run(loss: f64, reverse_loss: f64, traffic: Traffic) -> (FlowOutcome, Outcome) {
    let config = wtcp::Config {
        mss: 423,
        ..wtcp::Config::default()
    };
    let tcp = TcpConfig::new(Profile::Rfc, preset("reno").unwrap().composition.clone());
    let mut flow = ftp("flow", 0, 2, tcp);
    flow.transport = Transport::Wtcp {
        config: Arc::new(config),
        header: 28,
    };
    flow.traffic = traffic;
    let mut out = wire(0.1, 200.0, 50);
    let mut back = out.clone();
    out.loss = vec![LossConfig::Iid(loss)];
    back.loss = vec![LossConfig::Iid(reverse_loss)];
    let links = vec![
        link("wired", 0, 1, wire(10.0, 1.0, 50)),
        link("out", 1, 2, out),
        link("back", 2, 1, back),
        link("wired.reverse", 1, 0, wire(10.0, 1.0, 50)),
    ];
    let spec = detailed(&["A", "G", "B"], links, flow, 100);
    let outcome = simulate(&spec);
    (outcome.flows[0].clone(), outcome)
}

#[test]
fn every_loss_is_found_by_sack_and_nothing_is_sent_in_vain() {
    let (flow, outcome) = run(0.05, 0.0, Traffic::Ftp);
    let found = flow.losses.count(LossCause::Channel, Found::Sack);
    let open = flow.losses.count(LossCause::Channel, Found::Open);
    // A packet of the pair may be lost too, and is no data.
    let lost = flow.channel_drops;
    assert!(lost > 20, "{lost}");
    assert!(found + open + 2 >= lost, "{found} and {open} of {lost}");
    assert_eq!(flow.spurious_retransmits, 0);
    let dropped = flow.losses.count(LossCause::Queue, Found::Sack);
    assert_eq!(flow.retransmits, found + dropped);
    assert_eq!(flow.timeouts + flow.fast_retransmits, 0);
    assert_eq!((flow.cwnd_mean, flow.share_cwnd), (None, None));
    let rate = outcome.series.iter().find(|s| s.quantity == "rate");
    assert!(rate.is_some_and(|rate| rate.points.len() > 10));
    assert!(outcome.series.iter().all(|s| s.quantity != "cwnd"));
}

#[test]
fn times_are_those_of_the_path() {
    let (flow, _) = run(0.05, 0.0, Traffic::Ftp);
    // 500 bytes out and, in an ACK without blocks, 72 back.
    let round_trip = 0.402 + (500.0 + 72.0) * 8.0 * (1.0 / 1e5 + 1.0 / 1e7);
    let shortest = flow.rtt_min_s.unwrap();
    assert!((shortest - round_trip).abs() < 1e-3, "{shortest}");
    assert!(flow.rtt_mean_s > flow.rtt_min_s && flow.srtt_mean_s > flow.rtt_min_s);
    assert_eq!(flow.rttvar_mean_s, None);
    // A lost packet arrives at least a round trip later, and those after it wait for it.
    let arrival = flow.arrival_p10_s.unwrap();
    assert!((0.2..0.3).contains(&arrival), "{arrival}");
    assert!(flow.retx_arrival_mean_s.unwrap() > 0.6);
    assert!(flow.delay_p99_s.unwrap() > 0.6);
}

#[test]
fn a_transfer_completes_once_all_is_acknowledged() {
    let (flow, _) = run(0.05, 0.2, Traffic::Bytes(100_000));
    assert_eq!(flow.delivered_bytes, 100_000);
    let took = flow.completion_s.unwrap();
    assert!((100_000.0 * 8.0 / 1e5..60.0).contains(&took), "{took}");
    let data = 100_000_u64.div_ceil(423);
    // The pair, and retransmissions.
    assert_eq!(flow.sent_packets, data + flow.retransmits + 2);
}
