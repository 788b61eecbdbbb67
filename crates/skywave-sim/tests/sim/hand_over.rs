//! Proxies that move from one node to another, in whole simulations.

use std::sync::Arc;

use skywave_core::link::{LinkConfig, LossConfig};
use skywave_core::proxy::{
    EndToEnd, Paced, ProxyConfig, Spaced, TowardsDestination, TowardsSource,
};
use skywave_core::tcp::TcpConfig;
use skywave_core::{Duration, Time};
use skywave_sim::losses::{Found, LossCause};
use skywave_sim::observe::{Observer, Offer, Watch};
use skywave_sim::spec::{HandOver, ProxySpec, Traffic};
use skywave_sim::{Outcome, Spec, simulate, simulate_watched};

use crate::common::{ftp, link, tcp, wire, wired};

const BUFFER: u32 = 65_536;
/// Indices of nodes.
const OLD: usize = 2;
const NEW: usize = 3;
/// Indices of links: from the old node to the router and to the mobile.
const OLD_BACK: usize = 3;
const OLD_AIR: usize = 4;
const NEW_AIR: usize = 8;
const BETWEEN: usize = 10;
/// Bytes of the state besides the data in the buffer.
const BLOCKS: u64 = 512;

fn ms(t: u64) -> Time {
    Time::ZERO + Duration::from_millis(t)
}

/// A server, 10 Mb/s and 50 ms away from a router with two bases, which reach the mobile over 2 Mb/s and 10 ms of air
/// and each other over 10 Mb/s and 5 ms. The mobile leaves the base where it is at these times, in milliseconds.
fn roaming(leaves: &[u64], seconds: u64, traffic: Traffic) -> Spec {
    let end = ms(seconds * 1000);
    let air = || wire(2.0, 10.0, 50);
    let local = || wire(100.0, 1.0, 100);
    let pairs: [(&str, usize, usize, LinkConfig); 6] = [
        ("wired", 0, 1, wire(10.0, 50.0, 100)),
        ("to.old", 1, OLD, local()),
        ("air.old", OLD, 4, air()),
        ("to.new", 1, NEW, local()),
        ("air.new", NEW, 4, air()),
        ("between", OLD, NEW, wire(10.0, 5.0, 100)),
    ];
    let links = pairs.into_iter().flat_map(|(name, from, to, config)| {
        let back = format!("{name}.reverse");
        [
            link(name, from, to, config.clone()),
            link(&back, to, from, config),
        ]
    });
    let mut near = ftp("f.near", 0, OLD, tcp("reno"));
    near.traffic = traffic;
    let mut flows = vec![near, ftp("f.far", OLD, 4, tcp("reno"))];
    let mut hand_overs = Vec::new();
    for (n, &at) in leaves.iter().enumerate() {
        let (from, to) = if n % 2 == 0 { (OLD, NEW) } else { (NEW, OLD) };
        let mut state = ftp(&format!("f.state{n}"), from, to, tcp("reno"));
        state.start = ms(at);
        flows.push(state);
        let state = 2 + n;
        hand_overs.push(HandOver {
            at: ms(at),
            to,
            state,
        });
    }
    let nodes = ["server", "router", "old", "new", "mobile"];
    Spec {
        proxies: vec![ProxySpec {
            name: "f".into(),
            near: 0,
            far: 1,
            buffer: BUFFER,
            config: ProxyConfig::default(),
            reconnections: Vec::new(),
            fails_at: None,
            hand_overs,
        }],
        ..wired(&nodes, links.collect(), flows, end)
    }
}

/// Every link loses packets.
fn lossy(mut spec: Spec, loss: f64) -> Spec {
    for link in &mut spec.links {
        Arc::make_mut(&mut link.config).loss = vec![LossConfig::Iid(loss)];
    }
    spec
}

fn m_tcp() -> TowardsSource {
    TowardsSource::EndToEnd(EndToEnd::default())
}

/// There and back three times, while every link loses packets: the destination gets every byte once, in order, and the
/// buffer is never fuller than it may be.
#[test]
fn nothing_is_lost_or_doubled() {
    let bytes = 2_000_000;
    let leaves = [1_000, 3_000, 5_000, 5_100, 9_000, 12_345];
    let paced = |cooperates| {
        TowardsDestination::Paced(Paced {
            cooperates,
            ..Paced::default()
        })
    };
    for towards_source in [TowardsSource::Plain, TowardsSource::Window(2), m_tcp()] {
        for towards_destination in [
            TowardsDestination::AtOnce,
            TowardsDestination::Spaced(Spaced::default()),
            paced(true),
            paced(false),
        ] {
            for (seed, loss) in [(1, 0.0), (2, 0.01), (3, 0.05)] {
                let mut spec = lossy(roaming(&leaves, 9000, Traffic::Bytes(bytes)), loss);
                spec.seed = seed;
                spec.proxies[0].config = ProxyConfig {
                    towards_source,
                    towards_destination,
                };
                let outcome = simulate(&spec);
                let what = format!("{:?} {loss}", spec.proxies[0].config);
                let proxy = &outcome.proxies[0];
                assert_eq!(proxy.delivered_bytes, bytes, "{what}");
                assert_eq!(outcome.flows[0].delivered_bytes, bytes, "{what}");
                assert!(outcome.flows[1].completion_s.is_some(), "{what}");
                assert!(proxy.buffered_max_bytes <= u64::from(BUFFER), "{what}");
                // Every hand-over is done, and its flow has brought no more than the state.
                let states = &outcome.flows[2..];
                assert!(states.iter().all(|s| s.completion_s.is_some()), "{what}");
                let moved: u64 = states.iter().map(|s| s.delivered_bytes).sum();
                assert_eq!(proxy.hand_over_bytes, Some(moved as f64), "{what}");
                let most = leaves.len() as u64 * (u64::from(BUFFER) + BLOCKS);
                assert!(moved <= most, "{what}: {moved}");
                if towards_source == m_tcp() {
                    assert_eq!(proxy.at_risk_max_bytes, 0, "{what}");
                }
                assert_eq!(outcome, simulate(&spec), "{what}");
            }
        }
    }
}

/// Bytes that the mobile got in each millisecond.
fn delivered(outcome: &Outcome) -> &[u64] {
    let bins = outcome.bins.as_ref().expect("asked for");
    &bins.delivered[1]
}

/// The old base has much on its way to the mobile, and the server to the old base, when the mobile leaves. None of it is
/// taken there any more: nothing arrives until the state is at the new base.
#[test]
fn what_is_under_way_on_the_old_ways_is_lost() {
    let mut spec = roaming(&[5_000], 20, Traffic::Ftp);
    Arc::make_mut(&mut spec.links[OLD_AIR].config).delay = Duration::from_millis(400);
    for link in [BETWEEN, BETWEEN + 1] {
        Arc::make_mut(&mut spec.links[link].config).delay = Duration::from_millis(300);
    }
    spec.details = true;
    spec.bins = Some(Duration::from_millis(1));
    let outcome = simulate(&spec);
    let took = outcome.proxies[0].hand_over_s.expect("there was one");
    assert!(took > 0.9, "a round trip and a half: {took}");
    let over = 5_000 + (took * 1e3) as usize;
    let bins = delivered(&outcome);
    let sum = |range: std::ops::Range<usize>| bins[range].iter().sum::<u64>();
    assert!(sum(4_500..5_000) > 50_000);
    assert_eq!(sum(5_000..over), 0);
    assert!(sum(over..over + 5_000) > 100_000);
    for flow in &outcome.flows[..2] {
        assert!(flow.no_route_drops > 2, "{}", flow.no_route_drops);
        assert_eq!(flow.queue_drops + flow.channel_drops, 0);
        // Of each it is known how its sender found it.
        assert_eq!(flow.losses.found(Found::Open), 0);
        let no_route = flow.losses.of_cause(LossCause::NoRoute);
        assert_eq!(no_route, flow.no_route_drops);
    }
}

/// ACKs that the mobile sent to the old base reach nobody there, also when the state is at the new base already.
#[test]
fn acks_to_the_old_base_are_lost() {
    let mut spec = roaming(&[5_000], 10, Traffic::Ftp);
    spec.series = true;
    Arc::make_mut(&mut spec.links[OLD_AIR + 1].config).delay = Duration::from_millis(100);
    let outcome = simulate(&spec);
    let there = 5.0 + outcome.proxies[0].hand_over_s.expect("there was one");
    assert!(there < 5.06, "{there}");
    let mut series = outcome.series.iter();
    let acked = series.find(|s| s.entity == "f.far" && s.quantity == "acked");
    let heard = |from: f64, to: f64| {
        let points = acked.map_or(&[][..], |s| &s.points).iter();
        points.filter(|(at, _)| (from..to).contains(at)).count()
    };
    // Those of the last 100 ms are on their way until then; the mobile announces itself over 10 ms.
    assert!(heard(4.9, 5.0) > 3);
    assert_eq!(heard(5.0, there + 0.01), 0);
    assert!(heard(there + 0.01, there + 0.02) > 0);
}

/// Packets that leave the old base after a time.
struct Leaving {
    after: Time,
    by_air: u64,
    by_wire: u64,
}

impl Observer for Leaving {
    fn on_offer(&mut self, offer: &Offer<'_>) {
        if offer.at > self.after && offer.packet.flow < 2 {
            self.by_air += u64::from(offer.link == OLD_AIR);
            self.by_wire += u64::from(offer.link == OLD_BACK);
        }
    }
}

#[test]
fn the_old_base_says_nothing_after_the_hand_over() {
    for towards_source in [TowardsSource::Plain, m_tcp()] {
        let mut spec = roaming(&[5_000], 20, Traffic::Ftp);
        spec.proxies[0].config.towards_source = towards_source;
        let mut leaving = Leaving {
            after: ms(5_000),
            by_air: 0,
            by_wire: 0,
        };
        let watch = Watch {
            observer: Some(&mut leaving),
            cancel: None,
        };
        let outcome = simulate_watched(&spec, watch).expect("not cancelled");
        assert_eq!((leaving.by_air, leaving.by_wire), (0, 0));
        assert!(outcome.flows[1].delivered_bytes > 3_000_000);
    }
}

/// What the state needs at least and at most: its handshake and the first flight, its bytes at the rate of the link, and
/// a round trip for each time that its window may have to grow.
fn bounds(bytes: f64, mbps: f64, delay_ms: f64, config: &TcpConfig) -> (f64, f64) {
    let mss = f64::from(config.mss);
    let on_wire = bytes * (mss + 52.0) / mss;
    let rtt = 2.0 * delay_ms / 1e3;
    let least = 1.5 * rtt + bytes * 8.0 / (mbps * 1e6);
    // A delayed ACK for two segments lets the window grow by half in each round trip.
    let (mut window, mut sent, mut rounds) = (2.0 * mss, 2.0 * mss, 0.0);
    while sent < bytes {
        (window, rounds) = (window * 1.5, rounds + 1.0);
        sent += window;
    }
    let most = (1.5 + rounds) * rtt + on_wire * 8.0 / (mbps * 1e6) * 1.05;
    (least, most)
}

#[test]
fn a_hand_over_takes_round_trips_and_the_time_of_its_bytes() {
    let (mut last, mut carried) = (0.0, 0.0);
    for (buffer, mbps, delay_ms) in [
        (16_384, 10.0, 5.0),
        (65_536, 10.0, 5.0),
        (262_144, 10.0, 5.0),
        (262_144, 2.0, 5.0),
        (262_144, 2.0, 50.0),
    ] {
        let mut spec = roaming(&[15_000], 20, Traffic::Ftp);
        spec.proxies[0].buffer = buffer;
        for link in [BETWEEN, BETWEEN + 1] {
            spec.links[link].config = wire(mbps, delay_ms, 1000).into();
        }
        let outcome = simulate(&spec);
        let proxy = &outcome.proxies[0];
        let bytes = proxy.hand_over_bytes.expect("there was one");
        assert!(bytes <= f64::from(buffer) + BLOCKS as f64);
        assert!(bytes >= 2.0 * carried || buffer == 262_144 && bytes >= carried);
        carried = bytes;
        let took = proxy.hand_over_s.expect("there was one");
        let (least, most) = bounds(bytes, mbps, delay_ms, &tcp("reno"));
        assert!(
            (least..most).contains(&took),
            "{bytes} bytes: {took} not in {least}..{most}"
        );
        assert!(took > last);
        last = took;
    }
}

/// The second hand-over is due while the state of the first is on its way: it begins when that is done.
#[test]
fn a_hand_over_waits_for_the_one_before() {
    let mut spec = roaming(&[5_000, 5_010], 30, Traffic::Bytes(3_000_000));
    spec.series = true;
    let outcome = simulate(&spec);
    assert_eq!(outcome.proxies[0].delivered_bytes, 3_000_000);
    let first_heard = |flow: &str| {
        let mut series = outcome.series.iter();
        let series = series.find(|s| s.entity == flow && s.quantity == "cwnd");
        series
            .and_then(|s| s.points.first())
            .expect("it was answered")
            .0
    };
    let [first, second] = ["f.state0", "f.state1"].map(first_heard);
    // A round trip after the hand-over begins, its connection has been answered.
    assert!(first > 5.01 && first < 5.011, "{first}");
    assert!(second > first + 0.03, "{second}");
}

/// With M-TCP the source is stopped by the old base, and keeps its window though the state takes longer than its timer. With
/// a plain proxy it has timeouts.
#[test]
fn m_tcp_stops_the_source_for_a_hand_over() {
    let smallest_window = |towards_source| {
        let mut spec = roaming(&[10_000], 40, Traffic::Ftp);
        spec.proxies[0].config.towards_source = towards_source;
        spec.series = true;
        for link in [BETWEEN, BETWEEN + 1] {
            Arc::make_mut(&mut spec.links[link].config).delay = Duration::from_secs(1);
        }
        let outcome = simulate(&spec);
        let took = outcome.proxies[0].hand_over_s.expect("there was one");
        assert!(took > 3.0, "{took}");
        let mut series = outcome.series.iter();
        let cwnd = series.find(|s| s.entity == "f.near" && s.quantity == "cwnd");
        let points = cwnd.map_or(&[][..], |s| &s.points).iter();
        let before = points.clone().take_while(|(at, _)| *at < 10.0).last();
        let on_the_way = points.filter(|(at, _)| (10.0..10.0 + took).contains(at));
        let smallest = on_the_way.map(|(_, cwnd)| *cwnd).reduce(f64::min);
        (smallest, before.expect("it was sending").1)
    };
    let (smallest, before) = smallest_window(m_tcp());
    assert!(smallest.is_none_or(|smallest| smallest >= before));
    let (smallest, _) = smallest_window(TowardsSource::Plain);
    assert_eq!(smallest, Some(1.0));
}

/// What the old base held when it failed does not come, whether its state had begun to move or not.
#[test]
fn a_failure_on_the_way_loses_what_is_at_risk() {
    let bytes = 3_000_000;
    // What is in the buffer is not in the queue of the air as well.
    let roaming = |leaves: &[u64]| {
        let mut spec = roaming(leaves, 60, Traffic::Bytes(bytes));
        for link in [OLD_AIR, NEW_AIR] {
            spec.links[link].config = wire(2.0, 10.0, 10).into();
        }
        spec
    };
    for fails in [4_990, 5_000, 5_030] {
        let mut spec = roaming(&[5_000, 8_000]);
        spec.proxies[0].fails_at = Some(ms(fails));
        let outcome = simulate(&spec);
        let proxy = &outcome.proxies[0];
        assert_eq!(proxy.hand_over_bytes, None);
        assert!(proxy.lost_bytes > Some(0.0), "{:?}", proxy.lost_bytes);
        assert!(proxy.delivered_bytes < bytes);
        assert_eq!(outcome.flows[2].completion_s, None, "the rest is not sent");
        let last = outcome.flows[3].delivered_bytes;
        assert_eq!(last, 0, "no proxy moves after that");
    }
    // A hand-over that was done before a failure has saved nothing of it.
    let mut spec = roaming(&[5_000]);
    spec.proxies[0].fails_at = Some(ms(9_000));
    let outcome = simulate(&spec);
    assert!(outcome.proxies[0].hand_over_bytes.is_some());
    assert!(outcome.proxies[0].lost_bytes > Some(0.0));
}

/// The mobile may leave before anything was sent, while connections open, and after everything has come.
#[test]
fn hand_overs_at_any_time_of_a_transfer() {
    let bytes = 300_000;
    for towards_source in [TowardsSource::Plain, m_tcp()] {
        for first in (1..=40).map(|n| n * 71) {
            let leaves = [first, first + 400, first + 800];
            let mut spec = lossy(roaming(&leaves, 300, Traffic::Bytes(bytes)), 0.01);
            spec.proxies[0].config.towards_source = towards_source;
            spec.seed = first;
            let outcome = simulate(&spec);
            assert_eq!(outcome.proxies[0].delivered_bytes, bytes, "at {first} ms");
            let ends = [0, 1].map(|half: usize| outcome.flows[half].completion_s);
            assert!(ends.iter().all(Option::is_some), "at {first} ms");
        }
    }
}

/// Without any other loss the mobile misses no more than two timeouts: the server's, as what was on its way to the old base
/// is lost, and the base's, as all that was in flight is and Reno sends one segment for three duplicate ACKs.
#[test]
fn the_new_base_goes_on_where_the_old_one_was() {
    let outcome = simulate(&roaming(&[10_000], 20, Traffic::Ftp));
    let offered = |link: usize| outcome.links[link].offered;
    assert!(offered(OLD_AIR) > 1000 && offered(NEW_AIR) > 1000);
    let [near, far] = &outcome.flows[..2] else {
        panic!("two halves");
    };
    assert!(near.timeouts <= 1 && far.timeouts <= 1);
    let plain = simulate(&roaming(&[], 20, Traffic::Ftp));
    assert_eq!(plain.proxies[0].hand_over_s, None);
    let missed = plain.proxies[0].goodput_bps - outcome.proxies[0].goodput_bps;
    assert!(missed > 0.0 && missed * 20.0 < 2.0 * 2e6, "{missed}");
}
