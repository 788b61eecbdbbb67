//! What a flow may ask of the layers below it: L²CLAMP, Freeze-TCP, and the limit by contention.

use skywave_core::{Duration, Time};
use skywave_scenario::{NoFiles, Scenario};
use skywave_sim::Spec;
use skywave_sim::spec::{Outage, Transport};

use crate::wrong::{cases, changed};

/// A wire to the first of three stations, whose flow ends at the third.
const GOOD: &str = r#"[radio]
standard = "802.11b"

[[station]]
node = "N#"
count = 3
at = ["0m", "0m"]
step = ["200m", "0m"]

[[link]]
name = "wire"
between = ["S", "N1"]
rate = "10Mbps"
delay = "5ms"
blackouts = [{ start = "2s", duration = "1s" }]

[[flow]]
name = "f"
from = "S"
to = "N3"
l2clamp = true

[run]
duration = "10s"
"#;

const CLAMPED: &str = "l2clamp = true";

fn spec(from: &str, to: &str) -> Spec {
    assert!(GOOD.contains(from), "{from}");
    let text = GOOD.replace(from, to);
    let scenario = Scenario::parse("case.toml", &text, &NoFiles);
    let scenario = scenario.unwrap_or_else(|e| panic!("{}", e.render(false)));
    scenario.points()[0].spec(1)
}

fn clamped(spec: &Spec) -> &[usize] {
    spec.radio.as_ref().map_or(&[], |radio| &radio.clamped)
}

fn ms(t: u64) -> Time {
    Time::ZERO + Duration::from_millis(t)
}

#[test]
fn flows_with_a_last_hop_of_radio_may_be_clamped() {
    assert_eq!(clamped(&spec(CLAMPED, CLAMPED)), [0]);
    assert!(clamped(&spec(CLAMPED, "l2clamp = false")).is_empty());
    let more = "count = 2\nl2clamp = true\n\n[[flow]]\nfrom = \"N1\"\nto = \"N2\"\n\n[[flow]]\nfrom = \"N2\"\nto = \"N1\"\nl2clamp = true";
    assert_eq!(clamped(&spec(CLAMPED, more)), [0, 1, 3]);
    // WTCP ignores what is of TCP only, so that a sweep may have both.
    let wtcp = spec(CLAMPED, "l2clamp = true\ntransport = \"wtcp\"");
    assert!(clamped(&wtcp).is_empty());
}

#[test]
fn a_receiver_sees_the_blackouts_on_its_way() {
    let outages = |freeze: &str| {
        let spec = spec(CLAMPED, freeze);
        spec.flows[0].way().outages.clone()
    };
    let outage = |warned, over| Outage {
        warned: ms(warned),
        over: ms(over),
    };
    assert_eq!(outages("freeze = \"freeze-tcp\""), [outage(1800, 3000)]);
    assert_eq!(
        outages("freeze = { warning = \"50ms\" }"),
        [outage(1950, 3000)]
    );
    // Before the start there is nothing to warn of.
    assert_eq!(outages("freeze = { warning = \"5s\" }"), [outage(0, 3000)]);
    assert!(outages("freeze = \"none\"").is_empty());
    assert!(outages("start = \"0s\"").is_empty());
}

/// A disconnection that is announced before the one before it is over goes on.
#[test]
fn disconnections_that_follow_each_other_are_one() {
    let two = "blackouts = [{ start = \"2s\", duration = \"1s\" }, { start = \"3100ms\", duration = \"1s\" }]";
    let text = GOOD
        .replace("blackouts = [{ start = \"2s\", duration = \"1s\" }]", two)
        .replace(CLAMPED, "freeze = \"freeze-tcp\"");
    let scenario = Scenario::parse("case.toml", &text, &NoFiles).expect("it is right");
    let spec = scenario.points()[0].spec(1);
    let outage = Outage {
        warned: ms(1800),
        over: ms(4100),
    };
    assert_eq!(spec.flows[0].way().outages, [outage]);
}

#[test]
fn the_limit_by_contention_needs_hints() {
    let tcp = |keys: &str| {
        let spec = spec(CLAMPED, keys);
        let Transport::Tcp(config) = &spec.flows[0].transport else {
            panic!("TCP")
        };
        (config.contention_control, config.hints)
    };
    assert_eq!(tcp("tcp = { contention_control = true }"), (true, true));
    assert_eq!(tcp("tcp = { contention_control = false }"), (false, false));
    assert_eq!(tcp("tcp = { hints = true }"), (false, true));
}

/// The way of each half is its own, so that a station may stand on the way between two others.
#[test]
fn any_station_may_be_a_proxy_where_the_way_goes_through_the_air() {
    let spec = spec(CLAMPED, "proxy = { at = \"N2\" }");
    let node = |name: &str| spec.nodes.iter().position(|n| n == name).expect("a node");
    let ends: Vec<_> = spec.flows.iter().map(|flow| (flow.from, flow.to)).collect();
    let (s, n2, n3) = (node("S"), node("N2"), node("N3"));
    assert_eq!(ends, [(s, n2), (n2, n3)]);
}

cases! {
    GOOD;
    a_clamp_on_a_wire: "from = \"S\"\nto = \"N3\"" => "from = \"N3\"\nto = \"S\"";
    a_clamp_of_datagrams: CLAMPED => "l2clamp = true\ntransport = \"udp\"\ntraffic = { cbr = { rate = \"64kbps\", packet = 200 } }";
    a_clamp_beside_a_proxy: CLAMPED => "l2clamp = true\nproxy = { at = \"N1\" }";
    a_clamp_beside_a_tunnel: CLAMPED => "l2clamp = true\ntunnel = { from = \"S\", to = \"N1\" }";
    a_clamp_beside_marks: CLAMPED => "l2clamp = true\ntcp = { ecn = true }";
    a_clamp_beside_contention_control: CLAMPED => "l2clamp = true\ntcp = { contention_control = true }";
    contention_control_without_hints: CLAMPED => "tcp = { contention_control = true, hints = false }";
    a_freeze_beside_a_proxy: CLAMPED => "freeze = \"freeze-tcp\"\nproxy = { at = \"N1\" }";
    a_freeze_of_datagrams: CLAMPED => "freeze = \"freeze-tcp\"\ntransport = \"udp\"\ntraffic = { cbr = { rate = \"64kbps\", packet = 200 } }";
    an_unknown_kind_of_freeze: CLAMPED => "freeze = \"freze\"";
}

#[test]
fn a_clamp_without_a_radio_network() {
    let start = GOOD.find("[[link]]").expect("a link");
    let wired = GOOD[start..].replace("N1", "N3");
    insta::assert_snapshot!(crate::wrong::message(&wired));
}
