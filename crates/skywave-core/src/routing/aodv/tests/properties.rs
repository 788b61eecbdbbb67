//! Properties that hold whatever the links do.

use proptest::prelude::*;

use super::network::{Network, config};
use crate::rng::Stream;
use crate::routing::DropCause;
use crate::routing::aodv::Config;
use crate::time::Duration;

/// An event in a network, some time after the previous one.
#[derive(Clone, Debug)]
enum Step {
    Link(usize, usize, bool),
    OneWay(usize, usize, bool),
    Send(usize, usize),
}

const STATIONS: usize = 7;

fn step() -> impl Strategy<Value = (u64, Step)> {
    let pair = (1..=STATIONS, 1..STATIONS).prop_map(|(a, b)| (a, b + usize::from(b >= a)));
    let what = prop_oneof![
        4 => (pair.clone(), any::<bool>()).prop_map(|((a, b), up)| Step::Link(a, b, up)),
        1 => (pair.clone(), any::<bool>()).prop_map(|((a, b), up)| Step::OneWay(a, b, up)),
        6 => pair.prop_map(|(a, b)| Step::Send(a, b)),
    ];
    let pause = prop_oneof![4 => 0..20u64, 3 => 0..1000u64, 2 => 0..10_000u64, 1 => 0..40_000u64];
    (pause, what)
}

fn switches() -> impl Strategy<Value = Config> {
    let flags = any::<[bool; 7]>();
    let numbers = (1..=7u8, 0..=2u64, 1..=64usize);
    (flags, numbers).prop_map(|(flags, (ttl_start, jitter, buffer_packets))| Config {
        hello: flags[0],
        local_repair: flags[1],
        gratuitous_rrep: flags[2],
        destination_only: flags[3],
        rrep_ack: flags[4],
        blacklist: flags[5],
        // At least one of the two is needed: a station must be able to notice broken links.
        link_feedback: !flags[0] || flags[6],
        ttl_start,
        jitter: Duration::from_millis(jitter * 5),
        buffer_packets,
        net_diameter: 10,
        ..config()
    })
}

/// Runs for this long, and checks at every instant that there is no routing loop.
fn run(network: &mut Network, time: Duration) -> Result<(), TestCaseError> {
    let end = network.now + time;
    while network.step(end) {
        prop_assert_eq!(network.routing_loop(), None, "at {:?}", network.now);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn routes_never_loop_and_every_datagram_ends_once(
        config in switches(),
        links in prop::collection::vec(any::<bool>(), STATIONS * STATIONS),
        steps in prop::collection::vec(step(), 1..80),
        loss in prop_oneof![Just(0.0), Just(0.3)],
        seed in any::<u64>(),
        (from, to) in (1..STATIONS, 1..STATIONS),
    ) {
        let mut network = Network::new(STATIONS as u16, config);
        for a in 1..=STATIONS {
            for b in 1..a {
                network.link(a, b, links[(a - 1) * STATIONS + b - 1]);
            }
        }
        let mut stream = Stream::named(seed, "network", "loss");
        network.loses = Box::new(move || stream.chance(loss));
        let mut sent = 0;
        for (pause, step) in steps {
            run(&mut network, Duration::from_millis(pause))?;
            match step {
                Step::Link(a, b, up) => network.link(a, b, up),
                Step::OneWay(a, b, up) => network.one_way(a, b, up),
                Step::Send(a, b) => sent = network.send(a, b),
            }
        }
        // When there is a path again, all links lead both ways and nothing is lost, the path is found.
        network.make_symmetric();
        network.loses = Box::new(|| false);
        for a in 1..STATIONS {
            network.link(a, a + 1, true);
        }
        for _ in 0..40 {
            sent = network.send(from, if to == from { STATIONS } else { to });
            run(&mut network, Duration::from_secs(1))?;
        }
        prop_assert!(network.ended.contains(&(sent, None)));
        // Without new traffic everything ends: no timers are left, nor any packets under way.
        run(&mut network, Duration::from_secs(120))?;
        prop_assert_eq!(network.next(), None);
        let drops = network.ended.iter().filter_map(|&(_, cause)| cause);
        prop_assert_eq!(drops.filter(|&cause| cause == DropCause::Ttl).count(), 0);
        let mut ended: Vec<u32> = network.ended.iter().map(|&(id, _)| id).collect();
        ended.sort_unstable();
        prop_assert_eq!(ended, (1..=sent).collect::<Vec<u32>>());
    }
}
