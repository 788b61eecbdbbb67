//! Proxies: what a flow with one is lowered to.

use skywave_core::Time;
use skywave_core::proxy::{Paced, ProxyConfig, Spaced, TowardsDestination, TowardsSource};
use skywave_scenario::{NoFiles, Scenario};
use skywave_sim::Spec;
use skywave_sim::spec::{HandOver, ProxySpec, Transport};

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

/// A source A, a router R, two bases B and D with a link between them, and a destination C, with a flow "f" from A to C.
fn roaming(keys: &str) -> String {
    let pairs = [
        ("A", "R"),
        ("R", "B"),
        ("R", "D"),
        ("B", "D"),
        ("B", "C"),
        ("D", "C"),
    ];
    let links = pairs.map(|(a, b)| {
        format!("[[link]]\nname = \"{a}{b}\"\nbetween = [\"{a}\", \"{b}\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n")
    });
    format!(
        "{}[[flow]]\nname = \"f\"\nfrom = \"A\"\nto = \"C\"\n{keys}\n[run]\nduration = \"10s\"\n",
        links.concat()
    )
}

fn parsed(text: &str) -> Scenario {
    Scenario::parse("test.toml", text, &NoFiles).unwrap_or_else(|e| panic!("{}", e.render(false)))
}

#[test]
fn hand_overs_bring_flows_for_the_state() {
    let keys = "proxy = { at = \"B\", transport = \"cubic\", fails_at = \"9s\", hand_overs = [\
                { at = \"2s\", to = \"D\" }, { at = \"5s\", to = \"B\" }] }";
    let scenario = parsed(&roaming(keys));
    let point = &scenario.points()[0];
    let spec = point.spec(1);
    let node = |name: &str| spec.nodes.iter().position(|n| n == name).expect("a node");
    let at = |seconds: u64| Time::from_nanos(seconds * 1_000_000_000);
    let (base, other) = (node("B"), node("D"));
    let hand_over = |seconds, to, state| HandOver {
        at: at(seconds),
        to,
        state,
    };
    assert_eq!(
        spec.proxies[0].hand_overs,
        [hand_over(2, other, 2), hand_over(5, base, 3)]
    );
    let names: Vec<&str> = spec.flows.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["f.near", "f.far", "f.state", "f.state2"]);
    let ends = |flow: usize| (spec.flows[flow].from, spec.flows[flow].to);
    assert_eq!([ends(2), ends(3)], [(base, other), (other, base)]);
    assert_eq!([2, 3].map(|f: usize| spec.flows[f].start), [at(2), at(5)]);
    // They are of the near half's transport.
    assert_eq!(spec.flows[2].transport, spec.flows[0].transport);
    let groups = [0, 1, 2, 3].map(|flow| point.flow_group(flow).unwrap_or_default());
    assert_eq!(groups, ["f.near", "f", "f.state", "f.state"]);
    let labels = [1, 2].map(|flow| point.transport_label(flow).unwrap_or_default());
    assert_eq!(labels, ["cubic", "reno"]);
}

#[test]
fn one_hand_over_needs_no_list() {
    let text = roaming("proxy = { at = \"B\", hand_overs = { at = \"2s\", to = \"D\" } }");
    assert_eq!(
        parsed(&text).points()[0].spec(1).proxies[0]
            .hand_overs
            .len(),
        1
    );
}

#[test]
fn copies_have_hand_overs_each() {
    let text =
        roaming("count = 2\nproxy = { at = \"B\", hand_overs = { at = \"2s\", to = \"D\" } }");
    let spec = parsed(&text).points()[0].spec(1);
    let names: Vec<&str> = spec.flows.iter().map(|f| f.name.as_str()).collect();
    let half = |n| ["near", "far", "state"].map(|part| format!("f.{n}.{part}"));
    assert_eq!(names, [half(1), half(2)].concat());
    assert_eq!(
        (spec.proxies[1].near, spec.proxies[1].hand_overs[0].state),
        (3, 5)
    );
}

/// A blackout counts on the way that the destination has while it ends.
#[test]
fn a_destination_announces_itself_after_the_blackouts_of_its_own_cell() {
    let keys = "proxy = { at = \"B\", towards_source = \"m-tcp\", hand_overs = [\
                { at = \"2s\", to = \"D\" }, { at = \"5s\", to = \"B\" }] }";
    let dark = |text: String, link: &str| {
        let name = format!("name = \"{link}\"\n");
        let dark = "blackouts = [{ start = \"1s\", duration = \"500ms\" }, { start = \"3s\", duration = \"500ms\" }, \
                    { start = \"6s\", duration = \"500ms\" }]\n";
        text.replace(&name, &format!("{name}{dark}"))
    };
    let seconds = |link: &str| {
        let spec = parsed(&dark(roaming(keys), link)).points()[0].spec(1);
        let times = &spec.proxies[0].reconnections;
        times.iter().map(|at| at.as_secs_f64()).collect::<Vec<_>>()
    };
    assert_eq!(seconds("BC"), [1.5, 6.5]);
    assert_eq!(seconds("DC"), [3.5]);
}

/// Agents off the ways are no hindrance.
#[test]
fn an_agent_may_stand_elsewhere() {
    let keys = "proxy = { at = \"B\", hand_overs = { at = \"2s\", to = \"D\" } }";
    let agent = "[[agent]]\nat = \"E\"\nsnoop = {}\n";
    let links = ["AE", "EX"].map(|ends| {
        let [a, b] = [&ends[..1], &ends[1..]];
        format!("[[link]]\nbetween = [\"{a}\", \"{b}\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n")
    });
    let flow = "[[flow]]\nfrom = \"A\"\nto = \"X\"\n";
    let text = format!("{}{}{flow}{agent}", roaming(keys), links.concat());
    assert_eq!(parsed(&text).points()[0].spec(1).agents.len(), 1);
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
