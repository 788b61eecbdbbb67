//! Settings that do nothing are warnings.

use skywave_scenario::{NoFiles, Scenario};

/// The first lines of the warnings about a file of a link, a flow and a run with these keys.
fn warnings(link: &str, flow: &str, more: &str) -> Vec<String> {
    let text = format!(
        "[[link]]\nname = \"a\"\nbetween = [\"A\", \"B\"]\nrate = \"10Mbps\"\ndelay = \"10ms\"\n{link}\n\
         [[link]]\nbetween = [\"B\", \"C\"]\nrate = \"10Mbps\"\ndelay = \"10ms\"\n\
         [[flow]]\nname = \"f\"\nfrom = \"A\"\nto = \"C\"\n{flow}\n[run]\nduration = \"5s\"\n{more}\n"
    );
    let scenario = Scenario::parse("case.toml", &text, &NoFiles);
    let scenario = scenario.unwrap_or_else(|error| panic!("{}", error.render(false)));
    let shown = scenario.warnings().iter();
    shown.map(ToString::to_string).collect()
}

#[test]
fn a_freeze_without_blackouts_does_nothing() {
    let frozen = "freeze = \"freeze-tcp\"";
    let dark = "blackouts = { start = \"1s\", duration = \"1s\" }";
    let shown = warnings("", frozen, "");
    assert_eq!(shown.len(), 1);
    assert!(
        shown[0].contains("no link on the way of this flow has blackouts"),
        "{shown:?}"
    );
    for (link, flow, more) in [
        (dark, frozen, ""),
        ("", "freeze = \"none\"", ""),
        (
            dark,
            frozen,
            "[sweep]\n\"link.a.blackouts\" = [[], { start = \"1s\", duration = \"1s\" }]",
        ),
    ] {
        assert!(warnings(link, flow, more).is_empty(), "{link} {flow}");
    }
}

#[test]
fn snoop_without_tcp_does_nothing() {
    let agent = "[[agent]]\nat = \"B\"\nsnoop = \"wtcp\"";
    let shown = warnings("", "transport = \"wtcp\"", agent);
    assert_eq!(shown.len(), 1);
    assert!(shown[0].contains("no flow is of TCP"), "{shown:?}");
    assert!(warnings("", "transport = \"reno\"", agent).is_empty());
    let swept = format!("{agent}\n[sweep]\n\"flow.f.transport\" = [\"wtcp\", \"reno\"]");
    assert!(warnings("", "", &swept).is_empty());
}

#[test]
fn proxies_and_freezing_receivers_open_and_close_connections_always() {
    let dark = "blackouts = { start = \"1s\", duration = \"1s\" }";
    for (link, by) in [
        ("", "proxy = { at = \"B\" }"),
        (dark, "freeze = \"freeze-tcp\""),
    ] {
        let shown = warnings(
            link,
            &format!("{by}\nhandshake = \"none\"\nfin = false"),
            "",
        );
        assert_eq!(shown.len(), 2, "{shown:?}");
        assert!(shown[0].contains("`handshake` has no effect"), "{shown:?}");
        assert!(shown[1].contains("`fin` has no effect"), "{shown:?}");
        let plain = format!("{by}\nhandshake = \"three-way\"\nfin = true");
        assert!(warnings(link, &plain, "").is_empty());
    }
    assert!(warnings("", "handshake = \"none\"\nfin = false", "").is_empty());
}
