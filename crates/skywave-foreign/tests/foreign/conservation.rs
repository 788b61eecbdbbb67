//! No packet appears or disappears, whatever the links do.

use skywave_core::link::{
    Arq, Blackout, CoDelConfig, Jitter, Limit, LinkConfig, LossConfig, PieConfig, QueueConfig,
    Reordering, Service,
};
use skywave_core::{Duration, Rate, Time};
use skywave_foreign::path::Path;
use skywave_foreign::{parse, run, senders};
use skywave_sim::Spec;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// Links of every kind, one after the other.
fn links() -> Vec<(&'static str, LinkConfig)> {
    let rate = Service::Rate(Rate::from_bps(10_000_000));
    let plain = Path::new(rate, ms(60), 60).forward;
    let with = |change: &dyn Fn(&mut LinkConfig)| {
        let mut link = plain.clone();
        change(&mut link);
        link
    };
    let blackout = Blackout {
        start: Time::ZERO + ms(2000),
        end: Time::ZERO + ms(3000),
    };
    vec![
        ("plain", plain.clone()),
        (
            "losses",
            with(&|link| link.loss = vec![LossConfig::Iid(0.03)]),
        ),
        (
            "jitter",
            with(&|link| link.jitter = Some(Jitter::Exponential(ms(5)))),
        ),
        (
            "reordering",
            with(&|link| {
                link.reordering = Some(Reordering {
                    probability: 0.02,
                    delay: ms(20),
                });
            }),
        ),
        (
            "damage",
            with(&|link| (link.corruption, link.duplication) = (0.02, 0.02)),
        ),
        ("blackout", with(&|link| link.blackouts = vec![blackout])),
        (
            "CoDel",
            with(&|link| {
                link.queue = QueueConfig::CoDel(CoDelConfig::new(Limit::Packets(300)));
            }),
        ),
        (
            "PIE",
            with(&|link| {
                link.queue = QueueConfig::Pie(PieConfig::default());
            }),
        ),
        (
            "ARQ",
            with(&|link| {
                link.loss = vec![LossConfig::Iid(0.05)];
                link.arq = Some(Arq::default());
            }),
        ),
    ]
}

/// Over this link and then a wide one, measured from the second to the seventh second.
fn spec(link: LinkConfig) -> Spec {
    let rate = Service::Rate(Rate::from_bps(10_000_000));
    let mut path = Path::new(rate, ms(60), 60);
    path.forward = link;
    path.duration = ms(8000);
    let mut spec = path.spec(1);
    spec.measure = (Time::ZERO + ms(2000), Time::ZERO + ms(7000));
    let mut wide = spec.links[1].clone();
    (wide.from, wide.to, wide.name) = (1, 2, "wide".into());
    spec.links.push(wide.clone());
    (wide.from, wide.to, wide.name) = (2, 1, "wide-back".into());
    spec.links.push(wide);
    spec.nodes.push("beyond".into());
    spec.flows[0].to = 2;
    spec
}

#[test]
fn what_was_sent_has_arrived_or_was_lost_or_is_under_way() {
    for (kind, link) in links() {
        for name in senders() {
            let outcome = run(&spec(link.clone()), &parse(name).unwrap()).unwrap();
            let flow = &outcome.flows[0];
            assert!(
                flow.sent_packets > 100,
                "{kind}, {name}: {}",
                flow.sent_packets
            );
            let put_in = flow.sent_packets + flow.duplicated_packets;
            let gone = flow.received_packets + flow.queue_drops + flow.channel_drops;
            let under_way = flow.under_way_packets;
            assert_eq!(put_in as f64, gone as f64 + under_way, "{kind}, {name}");
            assert!(under_way.abs() < 200.0, "{kind}, {name}: {under_way}");
            assert!(flow.goodput_bps < flow.throughput_bps, "{kind}, {name}");
            assert!(flow.throughput_bps < 10.1e6, "{kind}, {name}");
        }
    }
}

#[test]
fn drops_of_a_flow_are_those_of_its_links() {
    for (kind, link) in links() {
        let mut spec = spec(link);
        spec.measure = (Time::ZERO, spec.duration);
        let outcome = run(&spec, &parse("noq:cubic").unwrap()).unwrap();
        let (flow, bottleneck) = (&outcome.flows[0], &outcome.links[0]);
        assert_eq!(flow.queue_drops, bottleneck.queue_drops, "{kind}");
        let blackouts = bottleneck.blackout_drops;
        let channel = bottleneck.channel_drops + blackouts;
        assert_eq!(flow.channel_drops - flow.corrupt_drops, channel, "{kind}");
        let sent = flow.sent_packets;
        assert_eq!(bottleneck.offered, sent, "{kind}");
        assert!(flow.retransmits <= sent / 3, "{kind}");
    }
}
