use super::*;
use proptest::prelude::*;
use skywave_core::link::{
    Arq, Blackout, Jitter, Limit, Link, LossConfig, QueueConfig, Reordering, TimedLink,
};
use skywave_core::{Duration, Rate};

/// 1500 bytes take 10 ms.
const RATE: Rate = Rate::from_bps(1_200_000);
const DELAY: Duration = Duration::from_millis(100);
const OVERHEAD: u32 = 28;

fn config(packets: u32) -> LinkConfig {
    LinkConfig::new(RATE, DELAY, QueueConfig::DropTail(Limit::Packets(packets)))
}

fn hop(name: &str, link: LinkConfig) -> HopConfig {
    HopConfig {
        name: name.to_owned(),
        link,
    }
}

fn step(hop: usize) -> Step {
    Step { hop, extra: 0 }
}

/// A chain forward, and its first link back.
fn chain(links: Vec<LinkConfig>) -> RelayConfig {
    let name = |(n, link)| hop(&format!("hop{n}"), link);
    RelayConfig {
        routes: [(0..links.len()).map(step).collect(), vec![step(0)]],
        hops: links.into_iter().enumerate().map(name).collect(),
        overhead: OVERHEAD,
        seed: 7,
        kept_bytes: KEPT_BYTES,
    }
}

fn ms(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

/// All packets that come out until nothing is left.
fn finish<T: Clone>(relay: &mut Relay<T>) -> Vec<Outcome<T>> {
    while let Some(at) = relay.next_time() {
        relay.on_time(at);
    }
    std::iter::from_fn(|| relay.poll()).collect()
}

fn arrives(packet: u32, due: Time) -> Outcome<u32> {
    arrives_after(Course::default(), packet, due)
}

fn arrives_after(course: Course, packet: u32, due: Time) -> Outcome<u32> {
    Outcome::Arrives {
        direction: Direction::Forward,
        due,
        packet,
        course,
    }
}

fn lost(packet: u32, cause: Cause) -> Outcome<u32> {
    lost_after(Course::default(), packet, cause)
}

fn lost_after(course: Course, packet: u32, cause: Cause) -> Outcome<u32> {
    Outcome::Lost {
        direction: Direction::Forward,
        cause,
        packet,
        course,
    }
}

/// Course of a packet that a link has doubled, or of the copy.
fn doubled(is_copy: bool) -> Course {
    Course {
        duplicated: !is_copy,
        is_copy,
        ..Course::default()
    }
}

#[test]
fn a_packet_takes_the_time_of_all_its_links_with_its_headers() {
    let mut relay = Relay::new(&chain(vec![config(10), config(10)]));
    relay.offer(ms(5), Direction::Forward, 1500 - OVERHEAD, 1);
    assert_eq!(relay.next_time(), Some(ms(115)));
    assert_eq!(relay.under_way(), 1);
    relay.on_time(ms(224));
    assert_eq!(relay.poll(), None);
    assert_eq!(finish(&mut relay), [arrives(1, ms(225))]);
    assert_eq!(relay.under_way(), 0);
}

#[test]
fn a_tunnel_makes_packets_longer_on_its_links() {
    let mut config = chain(vec![config(10), config(10)]);
    config.routes[0][1].extra = 1500;
    let mut relay = Relay::new(&config);
    relay.offer(ms(0), Direction::Forward, 1500 - OVERHEAD, 1);
    assert_eq!(finish(&mut relay), [arrives(1, ms(230))]);
}

#[test]
fn each_loss_has_its_link_and_cause() {
    let mut second = config(10);
    second.loss = vec![LossConfig::Packets([2].into())];
    second.blackouts = vec![Blackout {
        start: ms(135),
        end: ms(145),
    }];
    let mut relay = Relay::new(&chain(vec![config(3), second]));
    for packet in 1..=4 {
        relay.offer(ms(0), Direction::Forward, 1500 - OVERHEAD, packet);
    }
    let outcomes = finish(&mut relay);
    let want = [
        lost(4, Cause::Link(0, DropCause::Queue)),
        lost(2, Cause::Link(1, DropCause::Channel)),
        lost(3, Cause::Link(1, DropCause::Blackout)),
        arrives(1, ms(220)),
    ];
    assert_eq!(outcomes, want);
    let report = relay.report(ms(1000));
    assert_eq!((report[0].tally.offered, report[0].tally.queue), (4, 1));
    assert_eq!((report[1].tally.offered, report[1].tally.carried), (3, 1));
    assert_eq!((report[1].tally.channel, report[1].tally.blackout), (1, 1));
    assert_eq!(report[0].measured.utilisation, 0.03);
}

#[test]
fn a_damaged_packet_takes_its_way_and_is_dropped_at_its_end() {
    let mut first = config(10);
    first.corruption = 1.0;
    let mut relay = Relay::new(&chain(vec![first, config(10)]));
    relay.offer(ms(0), Direction::Forward, 100, 1);
    assert_eq!(finish(&mut relay), [lost(1, Cause::Corrupt)]);
    let report = relay.report(ms(1000));
    assert_eq!(report[0].tally.corrupted, 1);
    assert_eq!(report[1].tally.carried, 1);
}

#[test]
fn a_duplicate_is_a_packet_of_its_own_from_there_on() {
    let mut first = config(10);
    first.duplication = 1.0;
    let mut relay = Relay::new(&chain(vec![first, config(10)]));
    relay.offer(ms(0), Direction::Forward, 1500 - OVERHEAD, 1);
    let want = [
        arrives_after(doubled(false), 1, ms(220)),
        arrives_after(doubled(true), 1, ms(230)),
    ];
    assert_eq!(finish(&mut relay), want);
    assert_eq!(relay.report(ms(1000))[1].tally.offered, 2);
}

#[test]
fn a_link_in_both_directions_is_one_link() {
    let mut relay = Relay::new(&chain(vec![config(10)]));
    relay.offer(ms(0), Direction::Back, 1500 - OVERHEAD, 1);
    relay.offer(ms(0), Direction::Forward, 1500 - OVERHEAD, 2);
    let back = Outcome::Arrives {
        direction: Direction::Back,
        due: ms(110),
        packet: 1,
        course: Course::default(),
    };
    assert_eq!(finish(&mut relay), [back, arrives(2, ms(120))]);
}

#[test]
fn what_does_not_fit_in_memory_is_dropped_and_said() {
    let mut config = chain(vec![config(1000)]);
    config.kept_bytes = 2 * (1500 + BOOKKEEPING);
    let mut relay = Relay::new(&config);
    for packet in 1..=3 {
        relay.offer(ms(0), Direction::Forward, 1500 - OVERHEAD, packet);
    }
    assert_eq!(relay.poll(), Some(lost(3, Cause::Memory)));
    relay.on_time(ms(110));
    assert_eq!(relay.poll(), Some(arrives(1, ms(110))));
    relay.offer(ms(110), Direction::Forward, 1500 - OVERHEAD, 4);
    assert_eq!(
        finish(&mut relay),
        [arrives(2, ms(120)), arrives(4, ms(220))]
    );
}

#[test]
fn a_link_without_a_rate_keeps_what_it_was_given() {
    let mut never = config(2);
    never.service = skywave_core::link::Service::Rate(Rate::from_bps(0));
    never.duplication = 1.0;
    let mut relay = Relay::new(&chain(vec![never]));
    for packet in 1..=3 {
        relay.offer(ms(0), Direction::Forward, 100, packet);
    }
    assert_eq!(relay.next_time(), None);
    // Two packets and their copies, which nobody is told of.
    assert_eq!(relay.under_way(), 4);
    let mut stuck: Vec<u32> = relay.stuck().copied().collect();
    stuck.sort_unstable();
    assert_eq!(stuck, [1, 2]);
    let full = lost(3, Cause::Link(0, DropCause::Queue));
    assert_eq!(finish(&mut relay), [full]);
}

#[test]
fn time_does_not_go_back() {
    let mut relay = Relay::new(&chain(vec![config(10)]));
    relay.on_time(ms(50));
    relay.offer(ms(20), Direction::Forward, 1500 - OVERHEAD, 1);
    assert_eq!(finish(&mut relay), [arrives(1, ms(160))]);
}

prop_compose! {
    /// A link of any kind but one that retransmits.
    fn any_link()(
        bps in 100_000u64..10_000_000,
        places in 1u32..20,
        loss in 0.0..0.5,
        rates in (0.0..0.3, 0.0..0.3, 0.0..0.3),
        jitter in prop::option::of(0u64..20_000_000),
        outage in prop::option::of((0u64..200_000_000, 0u64..200_000_000)),
    ) -> LinkConfig {
        let (corruption, duplication, reordering) = rates;
        let blackout = |(start, length)| Blackout {
            start: Time::from_nanos(start),
            end: Time::from_nanos(start + length),
        };
        LinkConfig {
            service: skywave_core::link::Service::Rate(Rate::from_bps(bps)),
            loss: vec![LossConfig::Iid(loss)],
            corruption,
            duplication,
            jitter: jitter.map(|mean| Jitter::Exponential(Duration::from_nanos(mean))),
            reordering: Some(Reordering {
                probability: reordering,
                delay: Duration::from_millis(15),
            }),
            blackouts: outage.map(blackout).into_iter().collect(),
            ..config(places)
        }
    }
}

fn packets() -> impl Strategy<Value = Vec<(u64, u32)>> {
    let gap = prop_oneof![Just(0u64), 0u64..20_000_000];
    prop::collection::vec((gap, 1u32..3000), 1..100)
}

/// Packets at their times, through a relay that is woken as often and as late as `wakes` gives.
fn relayed(config: &RelayConfig, packets: &[(u64, u32)], wakes: &[u64]) -> Vec<Outcome<u32>> {
    let mut relay = Relay::new(config);
    let mut now = Time::ZERO;
    let mut wakes = wakes.iter().cycle();
    for (id, &(gap, length)) in packets.iter().enumerate() {
        let next = now + Duration::from_nanos(gap);
        while let Some(&wake) = wakes.next()
            && wake > 0
            && now + Duration::from_nanos(wake) < next
        {
            now += Duration::from_nanos(wake);
            relay.on_time(now);
        }
        now = next;
        relay.offer(now, Direction::Forward, length, id as u32);
    }
    finish(&mut relay)
}

/// A packet on its way through bare links.
#[derive(Clone, Copy)]
struct Bare {
    at: Time,
    id: u32,
    corrupt: bool,
    course: Course,
}

fn offered(packets: &[(u64, u32)]) -> Vec<Bare> {
    let mut now = Time::ZERO;
    let mut offer = |(id, &(gap, _)): (usize, &(u64, u32))| {
        now += Duration::from_nanos(gap);
        let id = id as u32;
        let corrupt = false;
        Bare {
            at: now,
            id,
            corrupt,
            course: Course::default(),
        }
    };
    packets.iter().enumerate().map(&mut offer).collect()
}

/// The same packets through the simulator's links themselves: one link after the other.
fn through_bare_links(config: &RelayConfig, packets: &[(u64, u32)]) -> Vec<Outcome<u32>> {
    let mut travelling = offered(packets);
    let mut outcomes = Vec::new();
    for (number, hop) in config.hops.iter().enumerate() {
        let name = format!("link.{}", hop.name);
        let mut link = Link::new(hop.link.clone(), config.seed, &name);
        let mut arrived = Vec::new();
        for packet in travelling {
            let size = packets[packet.id as usize].1 + config.overhead;
            match link.send(packet.at, size) {
                Fate::Dropped(cause) => {
                    let cause = Cause::Link(number, cause);
                    outcomes.push(lost_after(packet.course, packet.id, cause));
                }
                Fate::Arrives {
                    at,
                    corrupt,
                    marked: _,
                    duplicate,
                } => {
                    let corrupt = packet.corrupt || corrupt;
                    let packet = Bare {
                        at,
                        corrupt,
                        ..packet
                    };
                    let mut original = packet;
                    original.course.duplicated |= duplicate;
                    arrived.push(original);
                    if duplicate {
                        let mut copy = packet;
                        copy.course.is_copy = true;
                        arrived.push(copy);
                    }
                }
            }
        }
        // Equal times stay in the order of decision.
        arrived.sort_by_key(|packet| packet.at);
        travelling = arrived;
    }
    outcomes.extend(travelling.into_iter().map(|packet| {
        if packet.corrupt {
            lost_after(packet.course, packet.id, Cause::Corrupt)
        } else {
            arrives_after(packet.course, packet.id, packet.at)
        }
    }));
    outcomes
}

/// Outcomes in a fixed order, because the relay reports losses when they are decided.
fn sorted(mut outcomes: Vec<Outcome<u32>>) -> Vec<String> {
    outcomes.sort_by_key(|outcome| format!("{outcome:?}"));
    outcomes
        .iter()
        .map(|outcome| format!("{outcome:?}"))
        .collect()
}

fn arrivals(outcomes: &[Outcome<u32>]) -> Vec<(Time, u32)> {
    let arrival = |outcome: &Outcome<u32>| match outcome {
        Outcome::Arrives { due, packet, .. } => Some((*due, *packet)),
        Outcome::Lost { .. } => None,
    };
    outcomes.iter().filter_map(arrival).collect()
}

proptest! {
    #[test]
    fn packets_meet_the_fate_that_they_have_on_bare_links(
        links in prop::collection::vec(any_link(), 1..4),
        packets in packets(),
        wakes in prop::collection::vec(0u64..30_000_000, 1..20),
    ) {
        let config = chain(links);
        let relayed = relayed(&config, &packets, &wakes);
        let bare = through_bare_links(&config, &packets);
        prop_assert_eq!(arrivals(&relayed), arrivals(&bare));
        prop_assert_eq!(sorted(relayed), sorted(bare));
    }

    #[test]
    fn a_link_that_retransmits_is_the_simulators_too(
        link in any_link(),
        packets in packets(),
        retries in prop::option::of(0u32..4),
        in_order in any::<bool>(),
        wakes in prop::collection::vec(0u64..30_000_000, 1..20),
    ) {
        let arq = Arq { retries, in_order, ..Arq::default() };
        let config = chain(vec![LinkConfig { arq: Some(arq), duplication: 0.0, ..link }]);
        let mut bare = TimedLink::new(config.hops[0].link.clone(), config.seed, "link.hop0");
        let mut outcomes = Vec::new();
        for packet in offered(&packets) {
            let size = packets[packet.id as usize].1 + config.overhead;
            if let Some(cause) = bare.offer(packet.at, packet.id, size) {
                outcomes.push(lost(packet.id, Cause::Link(0, cause)));
            }
        }
        while let Some(at) = bare.next_time() {
            bare.on_time(at);
        }
        outcomes.extend(std::iter::from_fn(|| bare.poll()).map(|settled| {
            let retransmitted = settled.transmissions > 1;
            let course = Course { retransmitted, ..Course::default() };
            let id = settled.tag.id();
            match settled.fate {
                Fate::Dropped(cause) => lost_after(course, id, Cause::Link(0, cause)),
                Fate::Arrives { corrupt: true, .. } => lost_after(course, id, Cause::Corrupt),
                Fate::Arrives { at, .. } => arrives_after(course, id, at),
            }
        }));
        prop_assert_eq!(sorted(relayed(&config, &packets, &wakes)), sorted(outcomes));
    }

    #[test]
    fn the_same_seed_gives_the_same_outcomes_however_late_the_relay_is(
        links in prop::collection::vec(any_link(), 1..4),
        packets in packets(),
        wakes in prop::collection::vec(0u64..30_000_000, 1..20),
    ) {
        let config = chain(links);
        let outcomes = relayed(&config, &packets, &[0]);
        prop_assert_eq!(&outcomes, &relayed(&config, &packets, &wakes));
    }

    #[test]
    fn no_packet_appears_or_disappears(
        links in prop::collection::vec(any_link(), 1..4),
        packets in packets(),
    ) {
        let links: Vec<_> = links.into_iter().map(|l| LinkConfig { duplication: 0.0, ..l }).collect();
        let mut ids: Vec<u32> = relayed(&chain(links), &packets, &[0])
            .into_iter()
            .map(|outcome| match outcome {
                Outcome::Arrives { packet, .. } | Outcome::Lost { packet, .. } => packet,
            })
            .collect();
        ids.sort_unstable();
        prop_assert_eq!(ids, (0..packets.len() as u32).collect::<Vec<_>>());
    }
}
