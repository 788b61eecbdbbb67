//! WTCP survives blackouts (section 3.1, item 7; section 5.1.2): the transfer goes on at the old rate
//! and completes, and every byte arrives once.

use std::sync::Arc;

use skywave_core::link::{Blackout, LossConfig};
use skywave_core::tcp::{Profile, TcpConfig, preset};
use skywave_core::{Duration, Time, wtcp};
use skywave_sim::outcome::{FlowOutcome, Outcome};
use skywave_sim::simulate;
use skywave_sim::spec::{Spec, Traffic, Transport};

use crate::common::{ftp, link, wire};

/// When the blackout starts.
const START: u64 = 200;
/// Number of seconds over which goodput is compared.
const SPAN: u64 = 60;
/// Of a full packet.
const PACKET_BITS: f64 = 4000.0;
/// Without queues, seconds.
const ROUND_TRIP: f64 = 0.5;

/// The path of the paper's section 5.2 (50 kb/s, 250 ms each way, 500-byte packets), on which nothing
/// passes for `dark` seconds.
fn spec(dark: u64, loss: f64, bytes: u64, seed: u64) -> Spec {
    let at = |s| Time::ZERO + Duration::from_secs(s);
    let mut air = wire(0.05, 200.0, 5);
    air.blackouts = vec![Blackout {
        start: at(START),
        end: at(START + dark),
    }];
    let back = air.clone();
    air.loss = vec![LossConfig::Iid(loss)];
    let config = wtcp::Config {
        mss: 423,
        ..wtcp::Config::default()
    };
    let tcp = TcpConfig::new(Profile::Rfc, preset("reno").unwrap().composition.clone());
    let mut flow = ftp("transfer", 0, 2, tcp);
    flow.transport = Transport::Wtcp {
        config: Arc::new(config),
        header: 28,
    };
    flow.traffic = Traffic::Bytes(bytes);
    let end = at(START + dark + 2000);
    Spec {
        nodes: ["S", "BS", "R"].map(Into::into).to_vec(),
        links: vec![
            link("wired", 0, 1, wire(1.0, 50.0, 50)),
            link("air", 1, 2, air),
            link("wired.reverse", 1, 0, wire(1.0, 50.0, 50)),
            link("air.reverse", 2, 1, back),
        ],
        flows: vec![flow],
        duration: end,
        measure: (Time::ZERO, end),
        seed,
        series: true,
        bins: Some(Duration::from_secs(1)),
        ..Spec::default()
    }
}

/// The sender's rate at a time.
fn rate_at(outcome: &Outcome, seconds: f64) -> f64 {
    let rate = outcome
        .series
        .iter()
        .find(|s| s.quantity == "rate")
        .unwrap();
    let before = rate.points.iter().take_while(|(at, _)| *at <= seconds);
    before.last().unwrap().1
}

/// Bytes delivered between two times, in seconds.
fn delivered(outcome: &Outcome, from: u64, to: u64) -> f64 {
    let bins = &outcome.bins.as_ref().unwrap().delivered[0];
    bins[from as usize..to as usize].iter().sum::<u64>() as f64
}

/// Time at which data arrive again after a blackout.
fn resumed(outcome: &Outcome, dark: u64) -> u64 {
    let bins = &outcome.bins.as_ref().unwrap().delivered[0];
    let from = (START + dark) as usize;
    let quiet = bins[from..].iter().take_while(|bytes| **bytes == 0);
    START + dark + quiet.count() as u64
}

fn run(dark: u64, loss: f64, seed: u64) -> (Outcome, FlowOutcome) {
    let bytes = 3_000_000;
    let outcome = simulate(&spec(dark, loss, bytes, seed));
    let flow = outcome.flows[0].clone();
    assert_eq!(flow.delivered_bytes, bytes, "{dark} s, seed {seed}");
    assert!(flow.completion_s.is_some(), "{dark} s, seed {seed}");
    (outcome, flow)
}

#[test]
fn a_transfer_goes_on_at_its_old_rate_after_a_blackout_of_any_length() {
    for dark in [1, 5, 10, 60, 600] {
        for loss in [0.0, 0.04] {
            let (mut before, mut after, mut rates) = (0.0, 0.0, 0.0_f64);
            for seed in 1..=10 {
                let (outcome, flow) = run(dark, loss, seed);
                let at = resumed(&outcome, dark);
                before += delivered(&outcome, START - SPAN, START);
                after += delivered(&outcome, at + 1, at + 1 + SPAN);
                // A short blackout is not noticed: an epoch continues through it.
                if dark >= 10 {
                    let old = rate_at(&outcome, START as f64);
                    let new = rate_at(&outcome, at as f64);
                    // The receiver's last decision may reach the sender only after the blackout:
                    // one packet a round trip more, or a tenth less.
                    let within = 0.9 * old..=old + PACKET_BITS / ROUND_TRIP;
                    assert!(
                        within.contains(&new),
                        "{dark} s, {loss}, seed {seed}: {old} b/s, then {new} b/s"
                    );
                    rates += new / old / 10.0;
                    assert_eq!(flow.blackouts, 1, "{dark} s, {loss}, seed {seed}");
                    assert!(flow.blackout_s < dark as f64 + 2.0);
                    // The data end, so that nearly all lost packets are probes.
                    assert!(flow.probes > 0 && flow.probes <= dark + 20);
                }
            }
            let ratio: f64 = after / before;
            assert!((ratio - 1.0).abs() <= 0.1, "{dark} s, {loss}: {ratio}");
            assert!(
                dark < 10 || (rates - 1.0).abs() <= 0.1,
                "{dark} s, {loss}: {rates}"
            );
        }
    }
}
