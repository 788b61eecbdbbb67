//! L²CLAMP: which frames there are, and what a chain of stations gains.

use skywave_core::link::{Limit, LinkConfig, LossConfig, QueueConfig};
use skywave_core::mac;
use skywave_core::tcp::{Acking, Profile, TcpConfig, preset};
use skywave_core::{Duration, Rate, Time};
use skywave_sim::spec::{FlowSpec, Traffic};
use skywave_sim::{Outcome, Spec, simulate};

use super::network::{fixed, run};
use crate::common::ftp;

/// Of NewReno, this many segments or data without end, over a chain.
fn flow(hops: usize, segments: Option<u64>) -> FlowSpec {
    let newreno = preset("newreno").expect("a known preset");
    let mut config = TcpConfig::new(Profile::Rfc, newreno.composition.clone());
    config.acking = Acking::EverySegment;
    let mss = u64::from(config.mss);
    let mut flow = ftp("bulk", 0, hops, config);
    if let Some(segments) = segments {
        flow.traffic = Traffic::Bytes(segments * mss);
    }
    flow
}

fn chain(hops: usize, segments: Option<u64>, clamp: bool, seconds: u64) -> Spec {
    let places: Vec<_> = (0..=hops).map(|n| (200.0 * n as f64, 0.0)).collect();
    let mut radio = fixed(&places, mac::Config::ieee80211g());
    radio.clamped = if clamp { vec![0] } else { Vec::new() };
    run(radio, vec![flow(hops, segments)], seconds, 1)
}

fn frames(outcome: &Outcome, station: usize) -> u64 {
    outcome.stations[station].acknowledged
}

/// Two stations and nothing else: SYN, 20 segments and FIN one way; the other way the answer to the SYN, and what the
/// receiver alone can say.
#[test]
fn the_receiver_sends_its_first_ack_only() {
    let simulated = |clamp| simulate(&chain(1, Some(20), clamp, 5));
    let [without, with] = [false, true].map(simulated);
    for outcome in [&without, &with] {
        assert_eq!(outcome.flows[0].delivered_bytes, 20 * 1460);
        assert_eq!(outcome.flows[0].retransmits, 0);
        // SYN, the ACK of the answer to it, segments, FIN.
        assert!(
            (22..=23).contains(&frames(outcome, 0)),
            "{}",
            frames(outcome, 0)
        );
    }
    assert_eq!(frames(&without, 1), 22, "an ACK for each");
    assert_eq!(frames(&with, 1), 1, "the answer to the SYN");
    // The source hears earlier: no ACK waits for the channel.
    assert!(with.flows[0].completion_s < without.flows[0].completion_s);
}

/// Over two hops the station in the middle makes the ACKs, and sends one for each segment.
#[test]
fn the_station_before_the_receiver_makes_the_acks() {
    let simulated = |clamp| simulate(&chain(2, Some(20), clamp, 5));
    let [without, with] = [false, true].map(simulated);
    assert_eq!(with.flows[0].delivered_bytes, 20 * 1460);
    assert_eq!(frames(&with, 2), 1, "the answer to the SYN");
    // Data on, and ACKs back, as without.
    assert_eq!(frames(&with, 1), frames(&without, 1));
}

/// A clamped flow leaves others alone.
#[test]
fn other_flows_are_left_alone() {
    let two = |clamped: &[usize]| {
        let mut spec = chain(2, Some(20), false, 20);
        let mut other = flow(2, Some(20));
        other.name = "other".into();
        other.start = Time::ZERO + Duration::from_secs(10);
        spec.flows.push(other);
        if let Some(radio) = &mut spec.radio {
            radio.clamped = clamped.to_vec();
        }
        simulate(&spec)
    };
    let (none, first) = (two(&[]), two(&[0]));
    assert_eq!(frames(&none, 2) - frames(&first, 2), 21);
    assert_eq!(first.flows[1].delivered_bytes, 20 * 1460);
}

/// What is lost on the way is found by the receiver's duplicate ACKs, which pass.
#[test]
fn losses_before_the_last_hop_are_repaired() {
    let mut spec = chain(2, Some(2000), true, 120);
    let Some(radio) = &mut spec.radio else {
        panic!("a radio network")
    };
    let queue = QueueConfig::DropTail(Limit::Packets(50));
    radio.stations[0].ip = Some(LinkConfig {
        loss: vec![LossConfig::Iid(0.02)],
        ..LinkConfig::new(Rate::from_bps(50_000_000), Duration::ZERO, queue)
    });
    let outcome = simulate(&spec);
    let flow = &outcome.flows[0];
    assert_eq!(flow.delivered_bytes, 2000 * 1460);
    assert!(flow.retransmits >= 20, "{}", flow.retransmits);
    // Most were found by duplicate ACKs, not by the timer.
    assert!(
        flow.timeouts * 3 < flow.retransmits,
        "{} {}",
        flow.timeouts,
        flow.retransmits
    );
    assert!(frames(&outcome, 2) > 60, "{}", frames(&outcome, 2));
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let run = || simulate(&chain(4, None, true, 10));
    assert_eq!(run(), run());
}
