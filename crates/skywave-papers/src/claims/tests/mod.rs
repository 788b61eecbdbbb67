mod baseline;
mod builtin;
mod errors;
mod evaluation;
mod groups;
mod settings;

use std::collections::BTreeMap;

use skywave_sim::outcome::{FlowOutcome, LinkOutcome, Outcome};

use super::{Paper, read};
use skywave_lab::experiment::{ENGINE, Results, RunResult};
use skywave_scenario::{NoFiles, Point, Scenario};

/// Two variants at three loss rates with three seeds.
const SCENARIO: &str = r#"
[[link]]
name = "air"
between = ["A", "B"]
rate = "1Mbps"
delay = "10ms"
loss = { forward = { iid = 0.01 } }

[[flow]]
name = "bulk"
from = "A"
to = "B"

[[flow]]
name = "other"
from = "A"
to = "B"

[run]
duration = "10s"
seeds = 3

[sweep]
"flow.bulk.transport" = ["reno", "cerl"]
"link.air.loss.forward.iid" = [0.01, 0.02, 0.04]
"#;

const HEAD: &str = r#"
title = "A paper"
source = "Somebody, somewhere"

[parameters]
variant = ["flow.bulk.transport"]
loss = ["link.elsewhere.loss", "link.air.loss.forward.iid"]
"#;

/// A file with one claim that is measured in this way.
fn claims(measure: &str) -> String {
    format!(
        "{HEAD}\n[[claim]]\nid = \"one\"\nwhere = \"Sec. 1\"\nkind = \"order\"\ncore = true\n\
         statement = \"It is so.\"\nfigure = \"fig\"\n{measure}"
    )
}

/// The paper with this file of claims.
fn paper(file: &str) -> Result<Paper, super::ClaimsError> {
    let scenario = Scenario::parse("fig", SCENARIO, &NoFiles).expect("the scenario is right");
    read("paper", "claims.toml", file, vec![scenario], &NoFiles)
}

/// Results whose first flow has the goodput in kb/s that `goodput` gives for variant, loss rate and seed.
/// The second flow has half of it, and each 100 kb/s use a tenth of the link.
fn results(
    paper: &Paper,
    goodput: impl Fn(&str, f64, u64) -> Option<f64>,
) -> BTreeMap<String, Results> {
    let scenario = &paper.experiments()[0];
    let mut results = Results::empty(ENGINE, scenario.seeds(), scenario.points().len());
    for (at, point) in scenario.points().iter().enumerate() {
        for (index, &seed) in scenario.seeds().iter().enumerate() {
            let (variant, loss) = coordinates(point);
            if let Some(kbps) = goodput(&variant, loss, seed) {
                results.put(at, index, &RunResult::new(outcome(kbps)));
            }
        }
    }
    BTreeMap::from([("fig".to_owned(), results)])
}

fn coordinates(point: &Point) -> (String, f64) {
    let variant = point.param("flow.bulk.transport").expect("it is swept");
    let loss = point
        .param("link.air.loss.forward.iid")
        .expect("it is swept");
    (variant.to_string(), loss.number().unwrap_or_default())
}

fn outcome(kbps: f64) -> Outcome {
    let flow = |name: &str, kbps: f64| FlowOutcome {
        name: name.into(),
        goodput_bps: kbps * 1e3,
        throughput_bps: kbps * 1e3,
        rtt_mean_s: Some(0.1),
        ..FlowOutcome::default()
    };
    let link = |name: &str| LinkOutcome {
        name: name.into(),
        utilisation: kbps / 1e3,
        ..LinkOutcome::default()
    };
    Outcome {
        flows: vec![flow("bulk", kbps), flow("other", kbps / 2.0)],
        links: vec![link("air"), link("air.reverse")],
        ..Outcome::default()
    }
}
