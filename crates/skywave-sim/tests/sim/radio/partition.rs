//! Stations that move away and come back.

use skywave_core::mac;
use skywave_core::radio::{Command, Position, Track};
use skywave_core::routing::{aodv, dsdv, dsr};
use skywave_core::{Duration, Rate, Time};
use skywave_sim::spec::{FlowSpec, Movement, RoutingSpec, Traffic, Transport};
use skywave_sim::{FlowOutcome, simulate};

use super::network::{fixed, run};

fn at(seconds: u64) -> Time {
    Time::ZERO + Duration::from_secs(seconds)
}

/// Two stations whose packets go through a third, which is out of everybody's range from about 11 s to 49 s: bytes
/// delivered each second, and the flow.
fn walk_away(routing: RoutingSpec) -> (Vec<u64>, FlowOutcome) {
    let mut radio = fixed(
        &[(0.0, 0.0), (200.0, 0.0), (400.0, 0.0)],
        mac::Config::ieee80211g(),
    );
    radio.routing = routing;
    let home = Position { x: 200.0, y: 0.0 };
    let away = Position {
        x: 200.0,
        y: 2000.0,
    };
    let walk = |seconds, to| Command {
        at: at(seconds),
        to,
        speed: 200.0,
    };
    radio.stations[1].movement = Movement::Track(Track {
        start: home,
        commands: vec![walk(10, away), walk(40, home)],
    });
    let flow = FlowSpec {
        name: "voice".into(),
        from: 0,
        to: 2,
        route: None,
        transport: Transport::Udp { header: 28 },
        traffic: Traffic::Cbr {
            rate: Rate::from_bps(80_000),
            packet: 1000,
            jitter: 0.0,
        },
        start: Time::ZERO,
        stop: None,
    };
    let mut spec = run(radio, vec![flow], 90, 1);
    spec.bins = Some(Duration::from_secs(1));
    let outcome = simulate(&spec);
    let bins = &outcome.bins.as_ref().expect("asked for").delivered[0];
    (bins.clone(), outcome.flows[0].clone())
}

/// Ten packets a second before and after, none in between; whole again within `patience` seconds of the return.
fn check(routing: RoutingSpec, (before, patience): (usize, usize)) -> FlowOutcome {
    let (bins, flow) = walk_away(routing);
    let delivered = |seconds: std::ops::Range<usize>| -> u64 { bins[seconds].iter().sum() };
    let full = |seconds: std::ops::Range<usize>| {
        let least = seconds.len() as u64 * 9_900;
        assert!(delivered(seconds) >= least, "{bins:?}");
    };
    full(before..10);
    assert_eq!(delivered(13..48), 0, "{bins:?}");
    full(75..90);
    let back = (48..90).find(|&second| bins[second] > 0);
    let soon = |second| second < 48 + patience;
    assert!(back.is_some_and(soon), "{back:?}");
    flow
}

#[test]
fn aodv_finds_a_station_that_is_back() {
    // Within its patience: three searches of the whole network.
    let aodv = RoutingSpec::Aodv(aodv::Config::default());
    let flow = check(aodv, (1, 27));
    assert!(flow.no_route_drops > 100, "{flow:?}");
}

#[test]
fn dsdv_hears_of_a_station_that_is_back() {
    // The first routes need two updates; later ones come with the next full update.
    let dsdv = RoutingSpec::Dsdv(dsdv::Config::default());
    let flow = check(dsdv, (4, 20));
    // Five may wait at the source.
    assert!(flow.queue_drops > 100, "{flow:?}");
}

#[test]
fn dsr_finds_a_station_that_is_back() {
    // Requests go on as long as something waits, every ten seconds.
    let dsr = RoutingSpec::Dsr(dsr::Config::default());
    let flow = check(dsr, (1, 14));
    assert!(flow.queue_drops > 100, "{flow:?}");
}
