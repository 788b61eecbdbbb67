//! Properties that hold whatever the links do.

use proptest::prelude::*;

use super::network::{Network, Protocol};
use crate::rng::Stream;
use crate::routing::DropCause;
use crate::time::Duration;

/// Stations of the network.
pub(in crate::routing) const STATIONS: usize = 7;

/// An event in a network, some time after the previous one.
#[derive(Clone, Debug)]
enum Step {
    Link(usize, usize, bool),
    OneWay(usize, usize, bool),
    Send(usize, usize),
}

/// What happens to a network.
#[derive(Clone, Debug)]
pub(in crate::routing) struct Story {
    links: Vec<bool>,
    steps: Vec<(u64, Step)>,
    loss: f64,
    seed: u64,
    ends: (usize, usize),
}

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

/// Links that come and go, one way or both, lost broadcasts, and traffic.
pub(in crate::routing) fn story() -> impl Strategy<Value = Story> {
    (
        prop::collection::vec(any::<bool>(), STATIONS * STATIONS),
        prop::collection::vec(step(), 1..80),
        prop_oneof![Just(0.0), Just(0.3)],
        any::<u64>(),
        (1..STATIONS, 1..STATIONS),
    )
        .prop_map(|(links, steps, loss, seed, ends)| Story {
            links,
            steps,
            loss,
            seed,
            ends,
        })
}

/// Runs for this long, and checks at every instant that there is no routing loop. (Source routes are checked where
/// they are sent.)
fn run<C: Protocol>(network: &mut Network, time: Duration) -> Result<(), TestCaseError> {
    let end = network.now + time;
    while network.step(end) {
        if C::BY_HOPS {
            prop_assert_eq!(network.routing_loop(), None, "at {:?}", network.now);
        }
    }
    Ok(())
}

/// Tells a story to a network, makes its links whole, and checks that what is sent arrives within `patience` seconds
/// and that every datagram has ended once. Returns the network, long after the last datagram.
pub(in crate::routing) fn check<C: Protocol>(
    config: C,
    story: Story,
    patience: u64,
) -> Result<Network, TestCaseError> {
    let mut network = Network::new(STATIONS as u16, config);
    for a in 1..=STATIONS {
        for b in 1..a {
            network.link(a, b, story.links[(a - 1) * STATIONS + b - 1]);
        }
    }
    let mut stream = Stream::named(story.seed, "network", "loss");
    network.loses = Box::new(move || stream.chance(story.loss));
    let mut sent = 0;
    for (pause, step) in story.steps {
        run::<C>(&mut network, Duration::from_millis(pause))?;
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
    let (from, to) = story.ends;
    for _ in 0..patience {
        sent = network.send(from, if to == from { STATIONS } else { to });
        run::<C>(&mut network, Duration::from_secs(1))?;
    }
    prop_assert!(network.ended.contains(&(sent, None)));
    run::<C>(&mut network, Duration::from_secs(120))?;
    let drops = network.ended.iter().filter_map(|&(_, cause)| cause);
    prop_assert_eq!(drops.filter(|&cause| cause == DropCause::Ttl).count(), 0);
    let mut ended: Vec<u32> = network.ended.iter().map(|&(id, _)| id).collect();
    ended.sort_unstable();
    prop_assert_eq!(ended, (1..=sent).collect::<Vec<u32>>());
    Ok(network)
}
