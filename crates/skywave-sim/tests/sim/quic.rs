//! Measurements of a QUIC flow.

use std::sync::Arc;

use skywave_core::link::LossConfig;
use skywave_core::quic::preset;
use skywave_core::tcp::{Profile, TcpConfig};
use skywave_sim::losses::{Found, LossCause};
use skywave_sim::outcome::{FlowOutcome, Outcome};
use skywave_sim::simulate;
use skywave_sim::spec::{Traffic, Transport};

use crate::common::{detailed, ftp, link, wire};

/// 30 s over 10 Mb/s and 20 ms each way.
fn run(name: &str, loss: f64, traffic: Traffic) -> (FlowOutcome, Outcome) {
    let config = preset(name).unwrap().config();
    let tcp = skywave_core::tcp::preset("reno")
        .unwrap()
        .composition
        .clone();
    let mut flow = ftp("flow", 0, 1, TcpConfig::new(Profile::Rfc, tcp));
    flow.transport = Transport::Quic {
        config: Arc::new(config),
        header: 28,
    };
    flow.traffic = traffic;
    let mut out = wire(10.0, 20.0, 50);
    let back = out.clone();
    out.loss = vec![LossConfig::Iid(loss)];
    let links = vec![link("out", 0, 1, out), link("back", 1, 0, back)];
    let spec = detailed(&["A", "B"], links, flow, 30);
    let outcome = simulate(&spec);
    (outcome.flows[0].clone(), outcome)
}

#[test]
fn losses_are_found_by_what_arrives_later_or_by_probes() {
    let (flow, outcome) = run("quic", 0.02, Traffic::Ftp);
    assert!(flow.channel_drops > 100, "{}", flow.channel_drops);
    let of = |found| flow.losses.count(LossCause::Channel, found);
    let by_ack = of(Found::Sack) + of(Found::Detector);
    assert!(
        by_ack * 100 > flow.channel_drops * 95,
        "{by_ack} of {}",
        flow.channel_drops
    );
    assert_eq!(of(Found::Dupacks) + of(Found::PartialAck), 0);
    assert_eq!(flow.spurious_retransmits, 0);
    assert!(flow.fast_retransmits > 50 && flow.window_cuts >= flow.fast_retransmits);
    // Every window is cut to a half at a loss in two hundred.
    assert!((2.0..30.0).contains(&flow.cwnd_mean.unwrap()));
    for quantity in ["cwnd", "rtt", "srtt", "rto", "acked"] {
        let series = outcome.series.iter().find(|s| s.quantity == quantity);
        assert!(series.is_some_and(|s| s.points.len() > 100), "{quantity}");
    }
}

#[test]
fn the_shares_of_time_add_up() {
    let (flow, _) = run("quic", 0.02, Traffic::Ftp);
    let shares = [
        flow.share_handshake,
        flow.share_cwnd,
        flow.share_rwnd,
        flow.share_application,
        flow.share_recovery,
        flow.share_pacing,
        flow.share_timeout,
    ];
    let sum: f64 = shares.iter().flatten().sum();
    assert!((sum - 1.0).abs() < 1e-9, "{shares:?}");
    assert!(flow.share_cwnd.unwrap() > 0.5, "{shares:?}");
    assert!(flow.share_handshake.unwrap() > 0.0);
}

#[test]
fn a_clean_path_is_full() {
    for name in ["quic", "quic-cubic", "quic-bbr", "quic-skywave"] {
        let (flow, _) = run(name, 0.0, Traffic::Ftp);
        // 1435 of 1500 bytes are payload, after slow start.
        let most = 10e6 * 1435.0 / 1500.0;
        assert!(
            (0.9 * most..=most).contains(&flow.goodput_bps),
            "{name}: {}",
            flow.goodput_bps
        );
        let shortest = flow.rtt_min_s.unwrap();
        // A packet of 1500 bytes out at least; the ACK of a second one comes at once.
        assert!((0.0412..0.0425).contains(&shortest), "{name}: {shortest}");
    }
}

#[test]
fn a_transfer_completes_once_all_is_acknowledged() {
    let (flow, _) = run("quic", 0.05, Traffic::Bytes(100_000));
    assert_eq!(flow.delivered_bytes, 100_000);
    assert!(flow.completion_s.unwrap() < 10.0);
    // The packet that opens the connection; probes may be without data.
    let data = 100_000_u64.div_ceil(1435);
    assert!(flow.sent_packets >= data + flow.retransmits);
    assert!(flow.share_application.unwrap() < 0.5);
}
