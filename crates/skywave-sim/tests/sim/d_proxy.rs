//! D-Proxy in whole simulations: source, mast, far side, receiver; the middle link loses packets.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use skywave_core::agent::{DownstreamConfig, UpstreamConfig};
use skywave_core::link::{Fate, LossConfig};
use skywave_core::packet::{Body, Hole};
use skywave_core::tcp::{PRESETS, Profile, TcpConfig, preset};
use skywave_core::{Duration, Time};
use skywave_sim::losses::{Found, LossCause};
use skywave_sim::observe::{Observer, Offer, Watch};
use skywave_sim::outcome::FlowOutcome;
use skywave_sim::spec::{AgentSpec, Spec, Traffic};
use skywave_sim::{simulate, simulate_watched};

use crate::common::{ftp, link, wire};

/// Links by their places in `Spec::links`: there and back over each hop.
const AIR: usize = 2;
const AIR_BACK: usize = 3;
const LAST: usize = 4;

/// The flow's window fits into the queue before the hop.
fn path(name: &str, loss: f64, traffic: Traffic, seed: u64) -> Spec {
    let composition = preset(name).unwrap().composition.clone();
    let mut config = TcpConfig::new(Profile::Rfc, composition);
    config.rwnd = 40 * config.mss;
    let mut air = wire(2.0, 10.0, 50);
    air.loss = vec![LossConfig::Iid(loss)];
    let mut flow = ftp(name, 0, 3, config);
    flow.traffic = traffic;
    let end = Time::ZERO + Duration::from_secs(60);
    Spec {
        nodes: ["S", "M", "F", "R"].map(Into::into).to_vec(),
        links: vec![
            link("wired", 0, 1, wire(10.0, 50.0, 100)),
            link("wired.reverse", 1, 0, wire(10.0, 50.0, 100)),
            link("air", 1, 2, air.clone()),
            link("air.reverse", 2, 1, air),
            link("last", 2, 3, wire(100.0, 1.0, 100)),
            link("last.reverse", 3, 2, wire(100.0, 1.0, 100)),
        ],
        flows: vec![flow],
        duration: end,
        measure: (Time::ZERO, end),
        seed,
        details: true,
        ..Spec::default()
    }
}

fn agents(before: usize, after: usize) -> Vec<AgentSpec> {
    let (upstream, downstream) = (UpstreamConfig::default(), DownstreamConfig::default());
    AgentSpec::d_proxy((before, upstream), (after, downstream)).to_vec()
}

fn flow(spec: &Spec) -> FlowOutcome {
    simulate(spec).flows.remove(0)
}

#[test]
fn it_hides_the_losses_of_the_hop_from_the_sender() {
    for name in ["reno", "newreno", "sack", "linux"] {
        let alone = path(name, 0.01, Traffic::Ftp, 5);
        let clean = flow(&path(name, 0.0, Traffic::Ftp, 5));
        // Between the ends, or at them. From the source a repair takes 122 ms, for which the window waits.
        for (before, after, share) in [(1, 2, 0.95), (1, 3, 0.95), (0, 2, 0.8)] {
            let with = flow(&Spec {
                agents: agents(before, after),
                ..alone.clone()
            });
            assert!(with.goodput_bps > share * clean.goodput_bps, "{with:?}");
            let found = with.losses.count(LossCause::Channel, Found::Agent);
            assert!(10 * found > 9 * with.channel_drops, "{name}: {with:?}");
            assert!(with.local_retransmits >= found && found > 50);
            assert!(with.retransmits <= 3, "{name}: {with:?}");
        }
        let alone = flow(&alone);
        assert!(alone.retransmits > 20 && alone.local_retransmits == 0);
    }
}

#[test]
fn over_a_hop_that_loses_nothing_it_changes_nothing() {
    for name in ["reno", "linux"] {
        let alone = path(name, 0.0, Traffic::Ftp, 1);
        let with = Spec {
            agents: agents(1, 2),
            ..alone.clone()
        };
        let (mut with, alone) = (simulate(&with), simulate(&alone));
        with.events = alone.events;
        assert_eq!(with, alone);
    }
}

/// What crosses the links: data by the order in which they leave the agent after the hop, and its requests.
#[derive(Default)]
struct Watcher {
    /// Segments that arrived over the hop, and those that left behind it, by sequence number.
    came: BTreeMap<u32, u64>,
    went: BTreeMap<u32, u64>,
    /// Sequence numbers in the order in which they left.
    order: Vec<u32>,
    nacks: u64,
    nack_sizes: Vec<u32>,
    refusals: u64,
    strays: u64,
}

impl Observer for Watcher {
    fn on_offer(&mut self, offer: &Offer<'_>) {
        match (&offer.packet.body, offer.link) {
            (Body::TcpData(segment), AIR) if matches!(offer.fate, Fate::Arrives { .. }) => {
                *self.came.entry(segment.seq.0).or_default() += 1;
            }
            (Body::TcpData(segment), LAST) => {
                *self.went.entry(segment.seq.0).or_default() += 1;
                self.order.push(segment.seq.0);
            }
            (Body::Nack(_), AIR_BACK) => {
                self.nacks += 1;
                self.nack_sizes.push(offer.packet.size);
            }
            (Body::NackRefused(_), AIR) => self.refusals += 1,
            (Body::Nack(_) | Body::NackRefused(_), _) => self.strays += 1,
            _ => {}
        }
    }
}

fn watch(spec: &Spec) -> (FlowOutcome, Watcher) {
    let mut seen = Watcher::default();
    let watch = Watch {
        observer: Some(&mut seen),
        cancel: None,
    };
    let outcome = simulate_watched(spec, watch).unwrap();
    (outcome.flows[0].clone(), seen)
}

#[test]
fn requests_are_packets_between_the_agents_and_nothing_is_lost_or_made() {
    let spec = Spec {
        agents: agents(1, 2),
        ..path("newreno", 0.02, Traffic::Bytes(3_000_000), 3)
    };
    let (flow, seen) = watch(&spec);
    assert!(flow.completion_s.is_some(), "{flow:?}");
    assert_eq!(flow.delivered_bytes, 3_000_000);
    assert!(
        seen.came.keys().eq(seen.went.keys()),
        "lost, or made, after the hop"
    );
    let doubled = |(seq, went): (&u32, &u64)| *went > seen.came[seq];
    assert!(!seen.went.iter().any(doubled));
    assert!(seen.nacks > 30, "{}", seen.nacks);
    assert!(seen.nack_sizes.iter().all(|&size| size == Hole::WIRE_BYTES));
    assert_eq!(seen.strays, 0);
    assert!(flow.local_retransmits >= flow.channel_drops.saturating_sub(3));
}

#[test]
fn the_receiver_sees_the_segments_in_order() {
    let first_times = |spec: &Spec| {
        let (_, seen) = watch(spec);
        let mut known = BTreeSet::new();
        let order = seen.order.iter().filter(|&&seq| known.insert(seq));
        order.copied().collect::<Vec<u32>>()
    };
    let late = |spec: &Spec| {
        let order = first_times(spec);
        order.windows(2).filter(|pair| pair[1] < pair[0]).count()
    };
    let alone = path("newreno", 0.02, Traffic::Bytes(3_000_000), 3);
    assert!(late(&alone) > 20);
    let with = Spec {
        agents: agents(1, 2),
        ..alone
    };
    assert_eq!(late(&with), 0);
}

#[test]
fn what_was_lost_before_the_agents_is_left_to_the_sender_at_once() {
    let mut spec = path("newreno", 0.0, Traffic::Ftp, 2);
    Arc::make_mut(&mut spec.links[0].config).loss = vec![LossConfig::Iid(0.01)];
    let alone = flow(&spec);
    spec.agents = agents(1, 2);
    let (with, seen) = watch(&spec);
    assert!(seen.refusals > 20, "{}", seen.refusals);
    assert_eq!(with.local_retransmits, 0);
    // A round trip between the agents later than without them: 20 of 122 ms, and what waits there.
    assert!(with.goodput_bps > 0.8 * alone.goodput_bps, "{with:?}");
    assert!(with.timeouts <= alone.timeouts + 2);
}

#[test]
fn drops_of_the_queue_are_the_senders_if_the_agent_is_part_of_the_queue() {
    // The flow's window is larger than the queue.
    let spec = |in_queue| {
        let mut spec = path("newreno", 0.0, Traffic::Ftp, 2);
        Arc::make_mut(&mut spec.links[AIR].config).queue = wire(2.0, 10.0, 10).queue;
        let upstream = UpstreamConfig {
            in_queue,
            ..UpstreamConfig::default()
        };
        let downstream = DownstreamConfig::default();
        spec.agents = AgentSpec::d_proxy((1, upstream), (2, downstream)).to_vec();
        flow(&spec)
    };
    let (part, before) = (spec(true), spec(false));
    assert_eq!(part.losses.count(LossCause::Queue, Found::Agent), 0);
    assert!(before.losses.count(LossCause::Queue, Found::Agent) > 0);
    assert!(part.window_cuts > 0 && part.queue_drops < before.queue_drops);
}

/// Transfers with every variant over a bad hop, in both directions.
#[test]
fn every_transfer_over_a_bad_hop_completes() {
    for preset in PRESETS.iter() {
        for seed in [1, 2] {
            let spec = Spec {
                agents: agents(1, 2),
                ..path(preset.name, 0.1, Traffic::Bytes(100_000), seed)
            };
            let flow = flow(&spec);
            assert!(flow.completion_s.is_some(), "{flow:?}");
            assert_eq!(flow.delivered_bytes, 100_000);
        }
    }
}

#[test]
fn flows_that_do_not_pass_both_in_that_order_go_around_it() {
    let mut spec = path("newreno", 0.02, Traffic::Ftp, 4);
    spec.flows[0].from = 1; // it begins at the agent before the hop, and ends before the other
    spec.flows[0].to = 2;
    let agents = agents(2, 1);
    let with = Spec {
        agents,
        ..spec.clone()
    };
    assert_eq!(simulate(&with), simulate(&spec));
}
