//! Agents: what they are lowered to, and how a sweep names them.

use skywave_core::Duration;
use skywave_core::agent::LocalTimeout;
use skywave_core::agent::{DownstreamConfig, SnoopConfig, UpstreamConfig};
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
    let agent = |snoop| AgentSpec::snoop(1, snoop);
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
fn d_proxy_is_two_agents() {
    let agents = |d_proxy: &str| {
        let text = format!("[[agent]]\nat = \"B\"\nd_proxy = {d_proxy}\n");
        scenario(&text).points()[0].spec(1).agents
    };
    let (upstream, downstream) = (UpstreamConfig::default(), DownstreamConfig::default());
    assert_eq!(agents("\"none\""), []);
    let default = AgentSpec::d_proxy((1, upstream), (2, downstream));
    assert_eq!(agents("{ to = \"C\" }"), default);
    assert_eq!(agents("{ to = \"C\", retry = {} }"), default);
    let all = "{ to = \"C\", cache = \"3kB\", in_queue = true, buffer = \"4kB\", hold = \"2s\", \
               retry = { rtts = 1.5, min = \"7ms\" } }";
    let upstream = UpstreamConfig {
        cache: 3000,
        in_queue: true,
    };
    let downstream = DownstreamConfig {
        buffer: 4000,
        hold: Duration::from_secs(2),
        retry: LocalTimeout {
            rtts: 1.5,
            min: Duration::from_millis(7),
        },
    };
    let expected = AgentSpec::d_proxy((1, upstream), (2, downstream));
    assert_eq!(agents(all), expected);
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
        let snoop = SnoopConfig {
            dupacks: 2,
            ..SnoopConfig::default()
        };
        assert_eq!(points[1].spec(1).agents, [AgentSpec::snoop(1, snoop)]);
    }
}
