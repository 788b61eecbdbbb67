//! Agents: what they are lowered to, and how a sweep names them.

use skywave_core::Duration;
use skywave_core::agent::SnoopConfig;
use skywave_core::agent::snoop::LocalTimeout;
use skywave_scenario::{NoFiles, Scenario};
use skywave_sim::spec::AgentSpec;

/// A path A, B, C, followed by these lines.
fn scenario(lines: &str) -> Scenario {
    let text = format!(
        "[[link]]\nbetween = [\"A\", \"B\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\
         [[link]]\nbetween = [\"B\", \"C\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\
         [[flow]]\nfrom = \"A\"\nto = \"C\"\n\
         [run]\nduration = \"10s\"\n{lines}"
    );
    Scenario::parse("test.toml", &text, &NoFiles).unwrap_or_else(|e| panic!("{}", e.render(false)))
}

#[track_caller]
fn becomes(snoop: &str, expected: Option<SnoopConfig>) {
    let scenario = scenario(&format!("[[agent]]\nat = \"B\"\nsnoop = {snoop}\n"));
    let agents = scenario.points()[0].spec(1).agents;
    let agent = |snoop| AgentSpec { node: 1, snoop };
    assert_eq!(agents, Vec::from_iter(expected.map(agent)));
}

#[test]
fn snoop_by_name_and_by_its_settings() {
    let wtcp = SnoopConfig::default();
    let original = SnoopConfig {
        in_queue: false,
        timeout: Some(LocalTimeout::default()),
        ..wtcp
    };
    becomes("\"none\"", None);
    becomes("\"wtcp\"", Some(wtcp));
    becomes("{}", Some(wtcp));
    becomes("\"original\"", Some(original));
    becomes("{ timeout = {}, in_queue = false }", Some(original));
    becomes("{ timeout = \"none\" }", Some(wtcp));
    becomes(
        "{ dupacks = 3, cache = \"20 packets\", timeout = { rtts = 1.5, min = \"1s\" } }",
        Some(SnoopConfig {
            dupacks: 3,
            cache: Some(20),
            in_queue: true,
            timeout: Some(LocalTimeout {
                rtts: 1.5,
                min: Duration::from_secs(1),
            }),
        }),
    );
}

/// A place for an agent is no agent: a proxy may stand there and end what would pass.
#[test]
fn without_an_agent_nothing_has_to_pass() {
    let text = "[[agent]]\nat = \"B\"\nsnoop = \"none\"\n\
                [sweep]\n\"flow.flow1.proxy\" = [\"none\", { at = \"B\" }]\n";
    let scenario = scenario(text);
    let flows = scenario
        .points()
        .iter()
        .map(|point| point.spec(1).flows.len());
    assert_eq!(flows.collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn a_sweep_names_an_agent_by_its_name_or_by_its_node() {
    for name in ["", "name = \"repairs\"\n"] {
        let path = if name.is_empty() { "B" } else { "repairs" };
        let scenario = scenario(&format!(
            "[[agent]]\n{name}at = \"B\"\nsnoop = \"wtcp\"\n\
             [sweep]\n\"agent.{path}.snoop\" = [\"none\", {{ dupacks = 2 }}]\n"
        ));
        let points = scenario.points();
        assert_eq!(points[0].spec(1).agents, []);
        assert_eq!(points[1].spec(1).agents[0].snoop.dupacks, 2);
    }
}
