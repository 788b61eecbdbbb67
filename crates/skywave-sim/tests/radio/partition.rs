//! Stations that move away and come back.

use skywave_core::mac;
use skywave_core::radio::{Command, Position, Track};
use skywave_core::routing::aodv;
use skywave_core::{Duration, Rate, Time};
use skywave_sim::simulate;
use skywave_sim::spec::{FlowSpec, Movement, RoutingSpec, Traffic, Transport};

use crate::network::{fixed, run};

fn at(seconds: u64) -> Time {
    Time::ZERO + Duration::from_secs(seconds)
}

#[test]
fn a_network_that_falls_apart_is_whole_again_when_its_station_is_back() {
    // The middle station is out of everybody's range from about 11 s to 49 s.
    let mut radio = fixed(
        &[(0.0, 0.0), (200.0, 0.0), (400.0, 0.0)],
        mac::Config::ieee80211g(),
    );
    radio.routing = RoutingSpec::Aodv(aodv::Config::default());
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
    let delivered = |seconds: std::ops::Range<usize>| -> u64 { bins[seconds].iter().sum() };
    // Ten packets a second before and after, none in between.
    assert!(delivered(1..10) >= 9 * 9_900, "{bins:?}");
    assert_eq!(delivered(13..48), 0, "{bins:?}");
    assert!(delivered(75..90) >= 15 * 9_900, "{bins:?}");
    let flow = &outcome.flows[0];
    assert!(flow.no_route_drops > 100, "{flow:?}");
    // The station is found again within AODV's patience: three searches of the whole network.
    let back = (48..90).find(|&second| bins[second] > 0);
    assert!(back.is_some_and(|second| second < 75), "{back:?}");
}
