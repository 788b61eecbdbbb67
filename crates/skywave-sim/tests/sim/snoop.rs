//! Snoop agents in whole simulations.

use std::sync::Arc;

use skywave_core::agent::LocalTimeout;
use skywave_core::agent::SnoopConfig;
use skywave_core::link::LossConfig;
use skywave_core::packet::Body;
use skywave_core::tcp::{Profile, TcpConfig, preset};
use skywave_core::{Duration, Time, wtcp};
use skywave_sim::losses::{Found, LossCause};
use skywave_sim::observe::{Observer, Offer, Watch};
use skywave_sim::outcome::FlowOutcome;
use skywave_sim::spec::{AgentSpec, Route, Spec, Traffic, Transport, Tunnel};
use skywave_sim::{simulate, simulate_watched};

use crate::common::{Path, ftp, link, ns2, single, wire};

fn agent(node: usize) -> Vec<AgentSpec> {
    vec![AgentSpec::snoop(node, SnoopConfig::default())]
}

/// One flow of `variant` over the path of the CERL paper, whose last hop of 10 ms loses a share of the
/// packets. The flow's window fits into the queue.
fn over_a_short_wireless_hop(variant: &str, loss: f64, seed: u64) -> Spec {
    let mut config = ns2(variant, 90);
    config.rwnd = 90 * config.mss;
    let path = Path {
        loss,
        seconds: 120,
        ..Path::default()
    };
    single(path, config, seed)
}

fn flow(spec: &Spec) -> FlowOutcome {
    simulate(spec).flows.remove(0)
}

#[test]
fn behind_a_short_hop_it_hides_the_losses_from_the_sender() {
    for variant in ["newreno", "sack", "vegas"] {
        let alone = over_a_short_wireless_hop(variant, 0.01, 5);
        let with = flow(&Spec {
            agents: agent(2),
            radio: None,
            ..alone.clone()
        });
        let (alone, clean) = (
            flow(&alone),
            flow(&over_a_short_wireless_hop(variant, 0.0, 5)),
        );
        assert!(with.goodput_bps > 0.95 * clean.goodput_bps, "{with:?}");
        assert!(with.goodput_bps > 1.25 * alone.goodput_bps, "{alone:?}");
        // The agent resent most of the packets that the channel lost.
        let found = with.losses.count(LossCause::Channel, Found::Agent);
        assert!(10 * found > 9 * with.channel_drops, "{variant}: {with:?}");
        assert!(with.local_retransmits >= found);
        assert!(with.suppressed_dupacks > with.local_retransmits);
        assert_eq!(alone.local_retransmits + alone.suppressed_dupacks, 0);
    }
}

#[test]
fn an_agent_that_nothing_is_lost_behind_changes_nothing() {
    let alone = over_a_short_wireless_hop("reno", 0.0, 1);
    for node in [1, 2] {
        let with = Spec {
            agents: agent(node),
            radio: None,
            ..alone.clone()
        };
        let (mut with, alone) = (simulate(&with), simulate(&alone));
        with.events = alone.events;
        assert_eq!(with, alone);
    }
}

/// Counts the data packets on the link to the agent and on the link after it. The latter has the arrivals,
/// the repairs, and nothing else.
struct Watcher {
    came: u64,
    went: u64,
}

impl Observer for Watcher {
    fn on_offer(&mut self, offer: &Offer<'_>) {
        if matches!(offer.packet.body, Body::TcpData(_)) {
            match offer.link {
                1 => self.came += 1,
                2 => self.went += 1,
                _ => {}
            }
        }
    }
}

#[test]
fn repairs_are_packets_on_the_links_behind_it() {
    let spec = Spec {
        agents: agent(2),
        radio: None,
        ..over_a_short_wireless_hop("newreno", 0.01, 3)
    };
    let mut seen = Watcher { came: 0, went: 0 };
    let watch = Watch {
        observer: Some(&mut seen),
        cancel: None,
    };
    let outcome = simulate_watched(&spec, watch).unwrap();
    let repairs = outcome.flows[0].local_retransmits;
    // Nothing is dropped before it, and a few packets are between the links at the end.
    let expected = seen.came + repairs;
    assert!(repairs > 20 && expected - seen.went <= 90, "{repairs}");
}

/// Transfers with every variant; the agent stands before a lossy link of 50 kb/s and 200 ms.
#[test]
fn every_transfer_over_a_long_lossy_link_completes() {
    for (name, timeout) in [
        ("newreno", None),
        ("sack", None),
        ("vegas", None),
        ("reno", Some(LocalTimeout::default())),
        ("tahoe", Some(LocalTimeout::default())),
        ("dcr", None),
        ("rack-tlp", Some(LocalTimeout::default())),
    ] {
        let composition = preset(name).unwrap().composition.clone();
        let config = TcpConfig::new(Profile::Rfc, composition);
        let mut air = wire(0.05, 200.0, 5);
        let back = air.clone();
        air.loss = vec![LossConfig::Iid(0.1)];
        let mut flows: Vec<_> = (0..3)
            .map(|i| ftp(&format!("{name} {i}"), 0, 2, config.clone()))
            .collect();
        for flow in &mut flows {
            flow.traffic = Traffic::Bytes(60_000);
        }
        let end = Time::ZERO + Duration::from_secs(1500);
        let spec = Spec {
            nodes: ["S", "BS", "M"].map(Into::into).to_vec(),
            links: vec![
                link("wired", 0, 1, wire(1.0, 50.0, 50)),
                link("wired.reverse", 1, 0, wire(1.0, 50.0, 50)),
                link("air", 1, 2, air),
                link("air.reverse", 2, 1, back),
            ],
            flows,
            agents: vec![AgentSpec::snoop(
                1,
                SnoopConfig {
                    timeout,
                    ..SnoopConfig::default()
                },
            )],
            duration: end,
            measure: (Time::ZERO, end),
            seed: 1,
            details: true,
            ..Spec::default()
        };
        let flows = simulate(&spec).flows;
        for flow in &flows {
            assert!(flow.completion_s.is_some(), "{flow:?}");
            assert_eq!(flow.delivered_bytes, 60_000);
        }
        let repairs: u64 = flows.iter().map(|f| f.local_retransmits).sum();
        assert!(repairs > 0, "{name}");
    }
}

#[test]
fn udp_and_wtcp_go_around_it() {
    let mut spec = over_a_short_wireless_hop("newreno", 0.01, 1);
    spec.flows[0].transport = Transport::Wtcp {
        config: Arc::new(wtcp::Config::default()),
        header: 28,
    };
    let with = simulate(&Spec {
        agents: agent(2),
        radio: None,
        ..spec.clone()
    });
    assert_eq!(with, simulate(&spec));
}

/// The sizes of data on a link.
struct Sizes(usize, Vec<u32>);

impl Observer for Sizes {
    fn on_offer(&mut self, offer: &Offer<'_>) {
        if offer.link == self.0 && matches!(offer.packet.body, Body::TcpData(_)) {
            self.1.push(offer.packet.size);
        }
    }
}

#[test]
fn it_looks_into_packets_outside_of_a_tunnel_that_begins_or_ends_with_it() {
    // From the first router to the second; the link after each of them loses packets.
    for (node, behind, header) in [(1, 1, 20), (2, 2, 0)] {
        let mut spec = over_a_short_wireless_hop("newreno", 0.01, 2);
        Arc::make_mut(&mut spec.links[1].config).loss = vec![LossConfig::Iid(0.01)];
        spec.flows[0].route = Some(Box::new(Route {
            tunnels: vec![Tunnel {
                from: 1,
                to: 2,
                header: 20,
            }],
            ..Route::default()
        }));
        spec.agents = agent(node);
        let mut sizes = Sizes(behind, Vec::new());
        let watch = Watch {
            observer: Some(&mut sizes),
            cancel: None,
        };
        let flow = simulate_watched(&spec, watch).unwrap().flows.remove(0);
        assert!(flow.local_retransmits > 20);
        let mss = 1460;
        let full = |&size: &u32| size == mss + 40 + header;
        let small = |&size: &u32| size == 40 + header;
        assert!(
            sizes.1.iter().all(|size| full(size) || small(size)),
            "{node}"
        );
    }
}
