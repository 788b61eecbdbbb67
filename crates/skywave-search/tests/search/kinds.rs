//! Findings are bad for different reasons, and bad.

use std::sync::atomic::AtomicBool;

use skywave_scenario::CustomMembers;
use skywave_search::bench::Making;
use skywave_search::evolution::{Plan, search};
use skywave_search::findings::{Findings, findings};
use skywave_search::{Bench, Objective, kind};

use crate::common::space;

const LINK: &str = r#"
[[link]]
name = "path"
between = ["server", "client"]
rate = "4Mbps"
delay = "10ms"
queue = { droptail = "20 packets" }
loss = { forward = [{ iid = 0.0 }] }

[[flow]]
name = "test"
from = "server"
to = "client"

[run]
duration = "10s"
measure = ["1s", "10s"]

[search]
"#;

/// Findings about Reno's share of the channel, as many as there are.
fn found(search_keys: &str) -> Findings {
    let text = format!("{LINK}{search_keys}");
    let space = space(&text, &CustomMembers::default());
    let spaces = space.with_senders("test", &["reno".to_owned()]).unwrap();
    let cancel = AtomicBool::new(false);
    let making = Making {
        threads: Some(2),
        cancel: &cancel,
        told: &|_, _| (),
    };
    let channel = Objective::named("channel").unwrap();
    let bench = Bench::new(&spaces, "test", channel, None, making).unwrap();
    let plan = Plan {
        keys: spaces[0].keys(),
        seed: 1,
        islands: &[0],
        each: 100,
        go_on: &|| true,
    };
    let found = search(&plan, |candidates| bench.means(candidates, &[1, 2])).unwrap();
    findings(&bench, spaces[0].keys(), &found, 10, &[1, 2], None).unwrap()
}

#[test]
fn choices_of_one_key_are_findings_of_their_own() {
    let found = found(
        r#""link.path.loss.forward.0" = [
    { iid = { log = [0.02, 0.2] } },
    { gilbert-elliott = { to_bad = { log = [0.005, 0.05] }, to_good = { log = [0.02, 0.5] } } },
]
"link.path.delay" = { log = ["9ms", "11ms"] }"#,
    );
    let mut kinds: Vec<_> = found.standing.iter().map(|f| kind(&f.candidate)).collect();
    kinds.sort();
    assert_eq!(kinds, [[Some(0), None], [Some(1), None]], "{found:?}");
}

#[test]
fn a_path_that_is_not_bad_is_no_finding() {
    let found = found(r#""link.path.delay" = { log = ["5ms", "20ms"] }"#);
    assert_eq!(found, Findings::default());
}
