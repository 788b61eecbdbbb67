//! The triangle of Mobile IP (SIFEST, section 3): data go by the home agent and through a tunnel to the
//! foreign agent, ACKs straight back.

use skywave_core::tcp::{Handshake, TcpConfig};
use skywave_core::{Duration, Time};
use skywave_sim::spec::{LinkSpec, Route, Spec, Traffic, Tunnel};
use skywave_sim::{Outcome, simulate};

use crate::common::{ftp, link, ns2, wire};

const CH: usize = 0;
const HA: usize = 1;
const FA: usize = 2;
const MH: usize = 3;

/// Segments with header.
const SIZE: u32 = 512;
const TUNNEL_HEADER: u32 = 20;

fn config() -> TcpConfig {
    let mut config = ns2("tahoe", 50);
    config.mss = 472;
    config.header = SIZE - 472;
    config.rwnd = 16 * config.mss;
    config.handshake = Handshake::None;
    config
}

fn triangle(route: Route) -> Outcome {
    let both = |name: &str, a, b, rate, delay| -> [LinkSpec; 2] {
        let config = wire(rate, delay, 50);
        [
            link(name, a, b, config.clone()),
            link(&format!("{name}.reverse"), b, a, config),
        ]
    };
    let mut flow = ftp("data", CH, MH, config());
    flow.traffic = Traffic::Bytes(472_000);
    flow.route = Some(Box::new(route));
    let end = Time::ZERO + Duration::from_secs(100);
    simulate(&Spec {
        nodes: ["CH", "HA", "FA", "MH"].map(Into::into).to_vec(),
        links: [
            both("CH-HA", CH, HA, 1.0, 5.0),
            both("HA-FA", HA, FA, 1.0, 5.0),
            both("CH-FA", CH, FA, 1.0, 5.0),
            both("radio", FA, MH, 0.128, 25.0),
        ]
        .concat(),
        flows: vec![flow],
        duration: end,
        measure: (Time::ZERO, end),
        seed: 1,
        ..Spec::default()
    })
}

fn mobile_ip() -> Route {
    Route {
        via: vec![HA],
        reverse_via: Vec::new(),
        tunnels: vec![Tunnel {
            from: HA,
            to: FA,
            header: TUNNEL_HEADER,
        }],
        ..Route::default()
    }
}

fn offered(outcome: &Outcome) -> Vec<(&str, u64)> {
    let used = outcome.links.iter().filter(|link| link.offered > 0);
    used.map(|link| (link.name.as_str(), link.offered))
        .collect()
}

/// The bytes that arrive are those of the segments.
fn assert_arrived_without_headers(got: &Outcome) {
    let bits = got.flows[0].throughput_bps * 100.0;
    assert!((bits - f64::from(SIZE) * 8000.0).abs() < 1e-3, "{bits}");
}

#[test]
fn data_go_by_the_home_agent_and_acks_straight_back() {
    let got = triangle(mobile_ip());
    let want = [
        ("CH-HA", 1000),
        ("HA-FA", 1000),
        ("CH-FA.reverse", 1000),
        ("radio", 1000),
        ("radio.reverse", 1000),
    ];
    assert_eq!(offered(&got), want);
    // Without a given route, the one with the fewest hops is taken.
    let got = triangle(Route::default());
    let want = [
        ("CH-FA", 1000),
        ("CH-FA.reverse", 1000),
        ("radio", 1000),
        ("radio.reverse", 1000),
    ];
    assert_eq!(offered(&got), want);
}

#[test]
fn acks_may_take_a_way_of_their_own() {
    let route = Route {
        reverse_via: vec![HA],
        ..Route::default()
    };
    let got = triangle(route);
    let names: Vec<&str> = offered(&got).into_iter().map(|(name, _)| name).collect();
    let want = [
        "CH-HA.reverse",
        "HA-FA.reverse",
        "CH-FA",
        "radio",
        "radio.reverse",
    ];
    assert_eq!(names, want);
}

#[test]
fn the_tunnel_adds_its_header_between_its_ends_alone() {
    let got = triangle(mobile_ip());
    let busy = |name: &str| {
        let link = got.links.iter().find(|link| link.name == name);
        link.expect("a link").utilisation * 100.0
    };
    let seconds = |bytes: u32, rate: f64| 1000.0 * f64::from(bytes) * 8.0 / rate;
    for (name, bytes, rate) in [
        ("CH-HA", SIZE, 1e6),
        ("HA-FA", SIZE + TUNNEL_HEADER, 1e6),
        ("radio", SIZE, 128e3),
    ] {
        assert!((busy(name) - seconds(bytes, rate)).abs() < 1e-6, "{name}");
    }
    assert_arrived_without_headers(&got);

    // The round trip of the first packet: there with the header on the second link, back without.
    let there = |bytes: u32| f64::from(bytes) * 8.0;
    let want = 0.010
        + 0.025
        + (there(SIZE) + there(SIZE + TUNNEL_HEADER)) / 1e6
        + there(SIZE) / 128e3
        + 0.025
        + 0.005
        + there(40) / 128e3
        + there(40) / 1e6;
    let rtt = got.flows[0].rtt_min_s.expect("samples");
    assert!((rtt - want).abs() < 1e-8, "{rtt} for {want}");
}

#[test]
fn a_tunnel_from_and_to_the_hosts_is_gone_when_packets_arrive() {
    let route = Route {
        tunnels: vec![
            Tunnel {
                from: CH,
                to: MH,
                header: 8,
            },
            Tunnel {
                from: MH,
                to: FA,
                header: 4,
            },
        ],
        ..Route::default()
    };
    let got = triangle(route);
    assert_eq!(got.flows[0].delivered_bytes, 472_000);
    assert_arrived_without_headers(&got);
    let busy = |name: &str| {
        let link = got.links.iter().find(|link| link.name == name);
        link.expect("a link").utilisation * 100.0
    };
    assert!((busy("radio") - 8.0 * f64::from(SIZE + 8) * 1000.0 / 128e3).abs() < 1e-6);
    assert!((busy("radio.reverse") - 8.0 * 44.0 * 1000.0 / 128e3).abs() < 1e-6);
    assert!((busy("CH-FA.reverse") - 8.0 * 40.0 * 1000.0 / 1e6).abs() < 1e-6);
}
