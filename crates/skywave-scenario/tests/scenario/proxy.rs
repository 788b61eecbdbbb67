//! Proxies: what a flow with one is lowered to.

use skywave_core::Time;
use skywave_core::proxy::{Paced, ProxyConfig, Spaced, TowardsDestination, TowardsSource};
use skywave_scenario::{NoFiles, Scenario};
use skywave_sim::Spec;
use skywave_sim::spec::{ProxySpec, Transport};

/// A path A, B, C with a flow "f" over all of it that has these keys.
fn scenario(keys: &str) -> Scenario {
    let text = format!(
        "[[link]]\nbetween = [\"A\", \"B\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\
         [[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\
         [[flow]]\nname = \"f\"\nfrom = \"A\"\nto = \"C\"\n{keys}\n\
         [run]\nduration = \"10s\"\n"
    );
    Scenario::parse("test.toml", &text, &NoFiles).unwrap_or_else(|e| panic!("{}", e.render(false)))
}

fn spec(keys: &str) -> Spec {
    scenario(keys).points()[0].spec(1)
}

#[test]
fn a_flow_with_a_proxy_is_two() {
    let scenario = scenario("proxy = { at = \"B\", transport = \"cubic\" }");
    let point = &scenario.points()[0];
    let spec = point.spec(1);
    let proxy = ProxySpec {
        name: "f".into(),
        near: 0,
        far: 1,
        buffer: 65_536,
        config: ProxyConfig::default(),
        reconnections: Vec::new(),
        fails_at: None,
        hand_overs: Vec::new(),
    };
    assert_eq!(spec.proxies, [proxy]);
    let ends = |flow: usize| (spec.flows[flow].from, spec.flows[flow].to);
    assert_eq!((ends(0), ends(1)), ((0, 1), (1, 2)));
    let names = [0, 1].map(|flow: usize| spec.flows[flow].name.as_str());
    assert_eq!(names, ["f.near", "f.far"]);
    // Plots of the flow are of what reaches the destination.
    let groups = [0, 1].map(|flow| point.flow_group(flow).unwrap_or_default());
    assert_eq!(groups, ["f.near", "f"]);
    let labels = [0, 1].map(|flow| point.transport_label(flow).unwrap_or_default());
    assert_eq!(labels, ["reno", "cubic"]);
}

#[test]
fn keys_of_the_flow_hold_for_both_halves() {
    let spec =
        spec("mss = 1000\nprofile = \"linux\"\nproxy = { at = \"B\", buffer = \"20 segments\" }");
    assert_eq!(spec.proxies[0].buffer, 20_000);
    for flow in &spec.flows {
        let Transport::Tcp(config) = &flow.transport else {
            panic!("a half is of TCP")
        };
        assert_eq!(config.mss, 1000);
    }
    assert_eq!(spec.flows[0].transport, spec.flows[1].transport);
}

#[test]
fn policies_and_failures() {
    let spec = spec("proxy = { at = \"B\", towards_source = { window = 2 }, fails_at = \"4s\" }");
    let ProxySpec {
        config, fails_at, ..
    } = &spec.proxies[0];
    assert_eq!(config.towards_source, TowardsSource::Window(2));
    assert_eq!(*fails_at, Some(Time::from_nanos(4_000_000_000)));
}

#[test]
fn when_a_proxy_hands_on() {
    let handed_on = |policy: &str| {
        let keys = format!("proxy = {{ at = \"B\", towards_destination = {policy} }}");
        spec(&keys).proxies[0].config.towards_destination
    };
    assert_eq!(handed_on("\"at-once\""), TowardsDestination::AtOnce);
    let spaced = Spaced::default();
    let paced = Paced::default();
    assert_eq!(
        handed_on("\"adaptive-rate\""),
        TowardsDestination::Spaced(spaced)
    );
    assert_eq!(
        handed_on("\"pep-pacing\""),
        TowardsDestination::Paced(paced)
    );
    assert_eq!(
        handed_on("{ spaced = { alpha = 0.5, beta = 1.0 } }"),
        TowardsDestination::Spaced(Spaced {
            alpha: 0.5,
            beta: 1.0
        })
    );
    assert_eq!(
        handed_on("{ paced = { rtts = 2, cooperates = false } }"),
        TowardsDestination::Paced(Paced {
            rtts: 2.0,
            cooperates: false
        })
    );
}

#[test]
fn no_proxy_is_one_flow() {
    let spec = spec("proxy = \"none\"");
    assert_eq!((spec.flows.len(), spec.proxies.len()), (1, 0));
}

#[test]
fn copies_have_a_proxy_each() {
    let spec = spec("count = 2\nproxy = { at = \"B\" }\nstart = { uniform = [\"0s\", \"2s\"] }");
    let names: Vec<&str> = spec.flows.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["f.1.near", "f.1.far", "f.2.near", "f.2.far"]);
    assert_eq!(spec.proxies[1].near, 2);
    // Both halves begin with the flow, whose start is drawn.
    assert_eq!(spec.flows[2].start, spec.flows[3].start);
    assert!(spec.flows[0].start != spec.flows[2].start);
}
