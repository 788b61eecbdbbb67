//! Lookahead changes only the order of the work.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use skywave_core::agent::LocalTimeout;
use skywave_core::agent::{DownstreamConfig, SnoopConfig, UpstreamConfig};
use skywave_core::link::{
    Arq, Blackout, Contention, Fec, Jitter, Limit, LinkConfig, LossConfig, QueueConfig, RedConfig,
    Reordering, Service, Trace,
};
use skywave_core::proxy::{EndToEnd, ProxyConfig, TowardsSource};
use skywave_core::tcp::{PRESETS, Profile, TcpConfig, preset};
use skywave_core::{Duration, Rate, Time, quic, wtcp};

use super::plan::{Plan, Slack};
use super::routes::Routes;
use super::world::World;
use crate::observe::{Observer, Offer, Watch};
use crate::outcome::Outcome;
use crate::spec::{AgentSpec, FlowSpec, HandOver, LinkSpec, ProxySpec, Spec, Traffic, Transport};

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// A link of 1 Mb/s; delays are in odd nanoseconds, so that little falls on the same instant.
fn link(from: usize, to: usize, delay: Duration) -> LinkSpec {
    let rate = Rate::from_bps(1_000_003 + (from * 31 + to * 7) as u64);
    LinkSpec {
        name: format!("{from}-{to}").into(),
        from,
        to,
        config: LinkConfig::new(rate, delay, QueueConfig::DropTail(Limit::Packets(12))).into(),
    }
}

fn tcp(from: usize, to: usize, config: TcpConfig) -> FlowSpec {
    FlowSpec {
        name: format!("flow {from}-{to}").into(),
        from,
        to,
        route: None,
        transport: Transport::Tcp(Arc::new(config)),
        traffic: Traffic::Ftp,
        start: Time::ZERO + Duration::from_nanos(1_000_003 * from as u64),
        stop: None,
    }
}

fn wtcp() -> Transport {
    let config = wtcp::Config {
        mss: 1383,
        ..wtcp::Config::default()
    };
    Transport::Wtcp {
        config: Arc::new(config),
        header: 28,
    }
}

/// What a flow has in place of TCP.
#[derive(Clone, Copy, Debug)]
enum Other {
    Tcp,
    Wtcp,
    Quic,
}

fn other() -> impl Strategy<Value = Other> {
    prop_oneof![5 => Just(Other::Tcp), 2 => Just(Other::Wtcp), 2 => Just(Other::Quic)]
}

fn quic(preset: usize) -> Transport {
    let presets = quic::PRESETS;
    let law = presets[preset % presets.len()].congestion.clone();
    Transport::Quic {
        config: Arc::new(quic::Config::new(law)),
        header: 28,
    }
}

fn spec(nodes: usize, links: Vec<LinkSpec>, flows: Vec<FlowSpec>) -> Spec {
    Spec {
        nodes: (0..nodes).map(|n| n.to_string().into()).collect(),
        links,
        flows,
        duration: Time::ZERO + ms(20_000),
        measure: (Time::ZERO + ms(2_000), Time::ZERO + ms(19_000)),
        seed: 7,
        series: true,
        details: true,
        bins: Some(ms(700)),
        ..Spec::default()
    }
}

/// Hosts 2, 4, … send to 3, 5, … over a bottleneck from 0 to 1.
fn dumbbell(delays: &[u64], config: impl Fn(usize) -> TcpConfig) -> Spec {
    let delay = |i: usize| Duration::from_nanos(delays[i % delays.len()] * 2 + 1);
    let mut links = vec![link(0, 1, delay(0)), link(1, 0, delay(1))];
    let mut flows = Vec::new();
    for i in 0..3 {
        let (source, sink) = (2 + 2 * i, 3 + 2 * i);
        for (n, (a, b)) in [(source, 0), (0, source), (1, sink), (sink, 1)]
            .into_iter()
            .enumerate()
        {
            links.push(link(a, b, delay(2 + 4 * i + n)));
        }
        flows.push(tcp(source, sink, config(i)));
    }
    spec(8, links, flows)
}

fn snoop(node: usize, timer: bool) -> AgentSpec {
    let config = SnoopConfig {
        cache: (node == 1).then_some(8),
        in_queue: node == 1 || timer,
        timeout: timer.then(LocalTimeout::default),
        ..SnoopConfig::default()
    };
    AgentSpec::snoop(node, config)
}

/// One or two of Snoop.
fn agents() -> impl Strategy<Value = Vec<AgentSpec>> {
    let nodes = prop_oneof![Just(&[0][..]), Just(&[1][..]), Just(&[0, 1][..])];
    (nodes, any::<bool>())
        .prop_map(|(nodes, timers)| nodes.iter().map(|&node| snoop(node, timers)).collect())
}

/// The two of D-Proxy, on the ways of the flows or of one of them, between its ends or at them.
fn pairs() -> impl Strategy<Value = Vec<AgentSpec>> {
    let nodes =
        prop_oneof![2 => Just((0, 1)), 1 => Just((0, 5)), 1 => Just((2, 1)), 1 => Just((1, 0))];
    (nodes, any::<bool>(), 1u64..500).prop_map(|((before, after), in_queue, hold)| {
        let upstream = UpstreamConfig {
            in_queue,
            ..UpstreamConfig::default()
        };
        let downstream = DownstreamConfig {
            hold: Duration::from_millis(hold),
            ..DownstreamConfig::default()
        };
        AgentSpec::d_proxy((before, upstream), (after, downstream)).to_vec()
    })
}

fn with_lookahead(spec: &Spec) -> Outcome {
    World::new(spec, Watch::default())
        .run()
        .expect("not cancelled")
}

/// Whether packets ever came to a link at the same nanosecond, so that their order depends on the order of the
/// work:
///
/// - Two of one flow, other than from its host. Then one was held up just long enough for the next to catch up.
/// - Two of different flows behind an agent or a proxy. Those take no time, so that with single events the link may
///   have decided about one packet before the other comes.
struct Ties<'a> {
    spec: &'a Spec,
    last: BTreeMap<usize, (Time, u32)>,
    seen: bool,
}

impl Observer for Ties<'_> {
    fn on_offer(&mut self, offer: &Offer<'_>) {
        let flow = offer.packet.flow;
        let ends = &self.spec.flows[flow as usize];
        let node = self.spec.links[offer.link].from;
        let moved = self.spec.proxies.iter().flat_map(|proxy| {
            let halves = proxy.moved_halves(&self.spec.flows);
            halves.filter_map(|(half, moved)| (half == flow as usize).then_some(moved))
        });
        let mut hosts = moved.flat_map(|moved| [moved.from, moved.to]);
        let leaves_host = node == ends.from || node == ends.to || hosts.any(|host| host == node);
        let last = self.last.insert(offer.link, (offer.at, flow));
        let agent = self.spec.agents.iter().any(|agent| agent.node == node);
        let is_here = |proxy: &ProxySpec| {
            let mut moved = proxy.hand_overs.iter();
            self.spec.flows[proxy.far].from == node || moved.any(|next| next.to == node)
        };
        let in_no_time = agent || self.spec.proxies.iter().any(is_here);
        self.seen |= last.is_some_and(|(at, other)| {
            let depends = if other == flow {
                !leaves_host
            } else {
                in_no_time
            };
            at == offer.at && depends
        });
    }
}

/// The outcome with single events; `None` when it depends on a tie.
fn event_by_event(spec: &Spec) -> Option<Outcome> {
    let routes = Routes::new(spec);
    let plan = Plan::new(spec, &routes).without_lookahead();
    let mut ties = Ties {
        spec,
        last: BTreeMap::new(),
        seen: false,
    };
    let watch = Watch {
        observer: Some(&mut ties),
        cancel: None,
    };
    let world = World::with_plan(spec, watch, routes, plan);
    let outcome = world.run().expect("not cancelled");
    (!ties.seen).then_some(outcome)
}

/// True if both agree; false if there was a tie.
fn agree(spec: &Spec) -> bool {
    let Some(exact) = event_by_event(spec) else {
        return false;
    };
    let ahead = with_lookahead(spec);
    assert!(ahead.flows.iter().any(|flow| flow.delivered_bytes > 0));
    let same = Outcome {
        events: exact.events,
        ..ahead
    };
    assert_eq!(same, exact);
    true
}

/// Hand-overs of a proxy that splits flow `near`, from the first of these nodes to each of the others, and the flows that
/// carry its state.
fn hand_overs(spec: &mut Spec, near: usize, nodes: &[usize]) -> Vec<HandOver> {
    let moves = nodes.windows(2).enumerate();
    let moves = moves.map(|(n, nodes)| {
        spec.flows.push(FlowSpec {
            name: format!("state {n}").into(),
            from: nodes[0],
            to: nodes[1],
            ..spec.flows[near].clone()
        });
        HandOver {
            at: Time::ZERO + ms(7_001 + 4_000 * n as u64),
            to: nodes[1],
            state: near + 2 + n,
        }
    });
    moves.collect()
}

/// A proxy at node 0 splits the last flow, if that is of TCP. Where no agent is in the way it may move to node 1 and back.
fn split_last(spec: &mut Spec, m_tcp: bool, moves: bool) {
    let near = spec.flows.len() - 1;
    let flow = &mut spec.flows[near];
    if !matches!(flow.transport, Transport::Tcp(_)) {
        return;
    }
    let far = FlowSpec {
        name: "far".into(),
        from: 0,
        ..flow.clone()
    };
    flow.to = 0;
    spec.flows.push(far);
    let is_free = spec.agents.is_empty();
    let hand_overs = hand_overs(spec, near, if moves && is_free { &[0, 1, 0] } else { &[] });
    let mut config = ProxyConfig::default();
    if m_tcp {
        config.towards_source = TowardsSource::EndToEnd(EndToEnd::default());
    }
    spec.proxies.push(ProxySpec {
        name: "whole".into(),
        near,
        far: near + 1,
        buffer: 20_000,
        config,
        reconnections: vec![Time::ZERO + ms(6_500)],
        fails_at: m_tcp.then_some(Time::ZERO + ms(15_000)),
        hand_overs,
    });
}

/// Changes one of the links so that it does not treat packets as a plain wire does.
fn bend_path(spec: &mut Spec, how: i32) {
    let [bottleneck, back, _, _, last, ack, ..] = &mut spec.links[..] else {
        return;
    };
    let outage = Blackout {
        start: Time::ZERO + ms(5_000),
        end: Time::ZERO + ms(6_500),
    };
    let late = Some(Reordering {
        probability: 0.1,
        delay: ms(13),
    });
    let (bottleneck, back, last, ack) = (
        Arc::make_mut(&mut bottleneck.config),
        Arc::make_mut(&mut back.config),
        Arc::make_mut(&mut last.config),
        Arc::make_mut(&mut ack.config),
    );
    match how {
        0 => last.reordering = late,
        1 => last.jitter = Some(Jitter::Uniform(Duration::ZERO, ms(9))),
        2 => last.duplication = 0.05,
        3 => last.corruption = 0.05,
        4 => bottleneck.reordering = late,
        5 => (back.reordering, ack.reordering) = (late, late),
        6 => (bottleneck.delay, ack.delay) = (Duration::ZERO, Duration::ZERO),
        7 => {
            bottleneck.queue = QueueConfig::Red(RedConfig {
                limit: Limit::Packets(20),
                min_threshold: 3.0,
                max_threshold: 9.0,
                max_p: 0.1,
                weight: 0.02,
                gentle: true,
                wait: true,
                mean_packet: 1000,
                mark_p: None,
            });
        }
        8 => {
            let opportunities = "3\n5\n17\n31\n44\n48\n60";
            let trace = Trace::parse(opportunities).expect("a trace");
            last.service = Service::Trace(Arc::new(trace));
        }
        9 => last.blackouts = vec![outage],
        10 => {
            // This shared link delays and loses packets of all flows.
            bottleneck.loss = vec![LossConfig::Iid(0.1)];
            bottleneck.arq = Some(Arq::default());
        }
        11 => {
            last.loss = vec![LossConfig::Exponential(0.1)];
            last.blackouts = vec![outage];
            last.arq = Some(Arq {
                retries: Some(2),
                in_order: true,
                ..Arq::default()
            });
        }
        12 => {
            // Data and ACKs over links that retransmit, one after the other.
            for link in [bottleneck, back, last, ack] {
                link.loss = vec![LossConfig::Iid(0.05)];
                link.arq = Some(Arq {
                    round_trip: Some(ms(7)),
                    retries: Some(3),
                    ..Arq::default()
                });
            }
        }
        13 => {
            for link in [back, ack] {
                link.contention = Some(Contention {
                    slot: ms(2),
                    window: 8,
                    max_window: 64,
                    failure: 0.4,
                    hold: ms(30),
                    capture: true,
                });
            }
        }
        _ => {
            back.loss = vec![LossConfig::Iid(0.2)];
            back.fec = Some(Fec {
                rate: 0.9,
                repair: 0.5,
            });
            (back.reordering, back.corruption) = (late, 0.05);
            back.delay = Duration::ZERO;
            back.arq = Some(Arq::default());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn lookahead_gives_the_outcome_of_single_events(
        delays in prop::collection::vec(1u64..20_000_000, 14),
        presets in prop::collection::vec(0..PRESETS.len(), 3),
        others in prop::collection::vec(other(), 3),
        modern: bool,
        loss in 0.0..0.05f64,
        bend in 0..15,
        agents in prop_oneof![3 => Just(Vec::new()), 3 => agents(), 2 => pairs()],
        split in prop::option::weighted(0.5, any::<(bool, bool)>()),
    ) {
        let profile = if modern { Profile::Rfc } else { Profile::Ns2 };
        let mut spec = dumbbell(&delays, |i| {
            TcpConfig::new(profile, PRESETS[presets[i]].composition.clone())
        });
        for ((flow, other), preset) in spec.flows.iter_mut().zip(others).zip(presets) {
            match other {
                Other::Tcp => {}
                Other::Wtcp => flow.transport = wtcp(),
                Other::Quic => flow.transport = quic(preset),
            }
        }
        for link in &mut spec.links[4..] {
            Arc::make_mut(&mut link.config).loss = vec![LossConfig::Iid(loss)];
        }
        bend_path(&mut spec, bend);
        spec.agents = agents;
        if let Some((m_tcp, moves)) = split {
            split_last(&mut spec, m_tcp, moves);
        }
        prop_assume!(agree(&spec));
    }
}

/// A segment of the source and an ACK of the destination come to the proxy at the same nanosecond: the window
/// that it grants in answer depends on which goes first.
#[test]
fn what_comes_to_a_proxy_from_both_sides_at_once_has_one_order() {
    let delays = [
        9_316_307, 11_041_969, 8_990_110, 13_534_557, 1_371_485, 19_656_529, 4_579_695, 4_861_089,
        12_953_157, 18_338_564, 4_425_393, 9_636_031, 15_874_501, 3_898_395,
    ];
    let names = ["few", "ncr-careful", "ncl"];
    let mut spec = dumbbell(&delays, |i| {
        let preset = preset(names[i]).expect("a preset");
        TcpConfig::new(Profile::Rfc, preset.composition.clone())
    });
    for link in &mut spec.links[4..] {
        let config = Arc::make_mut(&mut link.config);
        config.loss = vec![LossConfig::Iid(0.011_003_570_840_290_848)];
    }
    bend_path(&mut spec, 3);
    spec.agents = vec![snoop(0, false), snoop(1, false)];
    split_last(&mut spec, false, false);
    assert!(agree(&spec));
}

#[test]
fn flows_from_one_host_wtcp_quic_and_datagrams_are_the_same_too() {
    let config = TcpConfig::new(Profile::Rfc, PRESETS[2].composition.clone());
    let delay = |ns| Duration::from_nanos(ns);
    let links = vec![
        link(0, 1, delay(10_000_019)),
        link(1, 0, delay(7_000_003)),
        link(1, 2, delay(3_000_017)),
        link(2, 1, delay(5_000_011)),
    ];
    let mut flows = vec![
        tcp(0, 2, config.clone()),
        tcp(0, 1, config.clone()),
        tcp(2, 0, config),
    ];
    flows.push(FlowSpec {
        transport: wtcp(),
        ..flows[0].clone()
    });
    flows.push(FlowSpec {
        transport: quic(3),
        ..flows[0].clone()
    });
    flows.push(FlowSpec {
        name: "voice".into(),
        transport: Transport::Udp { header: 28 },
        traffic: Traffic::Cbr {
            rate: Rate::from_bps(64_007),
            packet: 200,
            jitter: 0.3,
        },
        ..flows[0].clone()
    });
    for (i, flow) in flows.iter_mut().enumerate() {
        flow.name = format!("flow {i}").into();
        flow.start = Time::from_nanos(3_141_593 * i as u64);
    }
    assert!(agree(&spec(3, links, flows)));
}

/// Links that a flow takes only after a hand-over, and that others take as well.
#[test]
fn a_proxy_that_moves_is_the_same_too() {
    let config = TcpConfig::new(Profile::Rfc, PRESETS[2].composition.clone());
    for n in 1..20 {
        let delay =
            |i: u64| Duration::from_nanos(1 + 2 * ((n * 7_919_003 + i * 3_141_593) % 15_000_000));
        // A server and another one, a router, two bases and the mobile host.
        let pairs = [(0, 2), (1, 2), (2, 3), (2, 4), (3, 4), (3, 5), (4, 5)];
        let links = (0..)
            .zip(pairs)
            .flat_map(|(i, (a, b))| [link(a, b, delay(2 * i)), link(b, a, delay(2 * i + 1))]);
        let flows = [(1, 4), (1, 5), (0, 3), (3, 5)];
        let flows = flows
            .map(|(from, to)| tcp(from, to, config.clone()))
            .to_vec();
        let mut spec = spec(6, links.collect(), flows);
        for link in &mut spec.links {
            Arc::make_mut(&mut link.config).loss = vec![LossConfig::Iid(0.01)];
        }
        spec.proxies.push(ProxySpec {
            name: "whole".into(),
            near: 2,
            far: 3,
            buffer: 20_000,
            config: ProxyConfig::default(),
            reconnections: Vec::new(),
            fails_at: None,
            hand_overs: Vec::new(),
        });
        spec.proxies[0].hand_overs = hand_overs(&mut spec, 2, &[3, 4, 3, 4]);
        assert!(agree(&spec), "{n}");
    }
}

#[test]
fn the_slack_is_the_delay_to_the_next_inbox() {
    // Access links 1 ms, bottleneck 10 ms, last links 5 ms, in nanoseconds.
    let config = TcpConfig::new(Profile::Ns2, PRESETS[1].composition.clone());
    let mut spec = dumbbell(&[0], |_| config.clone());
    for link in &mut spec.links {
        Arc::make_mut(&mut link.config).delay = match (link.from, link.to) {
            (0, 1) | (1, 0) => ms(10),
            (0, _) | (_, 0) => ms(1),
            _ => ms(5),
        };
    }
    let plan = Plan::new(&spec, &Routes::new(&spec));
    // The first time leads from the bottleneck through the receivers to the link back, the second one from
    // there to the senders.
    let (out, back) = (ms(10 + 5 + 5), ms(10 + 1));
    let hold = out.saturating_sub(out / 8);
    assert_eq!(plan.links[0], Some(Slack { slack: out, hold }));
    assert_eq!(
        plan.links[1],
        Some(Slack {
            slack: back,
            hold: Duration::ZERO
        })
    );
    assert!(plan.links[2..].iter().all(Option::is_none));
    assert_eq!(plan.senders, [ms(1) + hold; 3]);
    assert!(
        plan.receivers
            .iter()
            .all(|r| !r.collects && r.slack == ms(5))
    );
}

#[test]
fn an_agent_waits_as_long_as_its_packets_need_to_where_they_meet_others() {
    let config = TcpConfig::new(Profile::Ns2, PRESETS[1].composition.clone());
    let links = vec![
        link(0, 1, ms(50)),
        link(1, 0, ms(50)),
        link(1, 2, ms(200)),
        link(2, 1, ms(200)),
    ];
    let mut spec = spec(3, links, vec![tcp(0, 2, config)]);
    spec.agents = vec![snoop(1, true)];
    let plan = Plan::new(&spec, &Routes::new(&spec));
    // 50 ms back to the sender; 400 ms out to the receiver and back to the agent.
    let hold = ms(50).saturating_sub(ms(50) / 8);
    let slack = ms(50);
    assert_eq!(plan.links[4], Some(Slack { slack, hold }));
    assert!(plan.links[..4].iter().all(Option::is_none));
    assert_eq!(plan.senders, [ms(50) + hold]);
}

/// Under debug assertions this panics if the packet is read after its place is free.
#[test]
fn a_packet_that_a_queue_drops_is_read_before_its_place_is_free() {
    let config = TcpConfig::new(Profile::Ns2, PRESETS[1].composition.clone());
    let mut spec = dumbbell(&[1_000_000], |_| config.clone());
    // The last links, after the agent, have room for two packets.
    for link in spec.links.iter_mut().filter(|link| link.from == 1) {
        Arc::make_mut(&mut link.config).queue = QueueConfig::DropTail(Limit::Packets(2));
    }
    for agents in [vec![], vec![snoop(1, true)]] {
        spec.agents = agents;
        let outcome = with_lookahead(&spec);
        for flow in &outcome.flows {
            assert!(flow.queue_drops > 0, "{}", flow.name);
        }
    }
}

#[test]
fn few_events_are_left_on_a_path_of_ones_own() {
    let config = TcpConfig::new(Profile::Ns2, PRESETS[1].composition.clone());
    let links = vec![link(0, 1, ms(100)), link(1, 0, ms(100))];
    let outcome = with_lookahead(&spec(2, links, vec![tcp(0, 1, config)]));
    let packets = outcome.flows[0].delivered_bytes / 1460;
    assert!(
        outcome.events < packets / 4,
        "{} of {packets}",
        outcome.events
    );
}
