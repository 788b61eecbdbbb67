//! The cases: every preset and some compositions with every profile, WTCP, and QUIC under several laws.

use std::collections::BTreeMap;
use std::fmt::Write;

use skywave_core::quic;
use skywave_core::tcp::PRESETS;
use skywave_lab::experiment::{self, Options, Results};
use skywave_lab::report::{Row, Study};
use skywave_lab::scenario::{NoFiles, Scenario};

use crate::hash::Hash;
use crate::quic::QUIC;
use crate::scenarios::{Path, TCP, WTCP};
use crate::table::Table;

const PROFILES: [&str; 3] = ["ns2", "bsd", "rfc"];

/// Members and parameters that no preset has.
const COMPOSED: [(&str, &str); 13] = [
    (
        "dupacks-1",
        r#"{ preset = "reno", detection = { dupacks = 1 } }"#,
    ),
    (
        "dcr-by-dupacks",
        r#"{ preset = "dcr", detection = { dcr = { by = "dupacks" } } }"#,
    ),
    (
        "dcr-tick-newreno",
        r#"{ preset = "newreno", detection = { dcr = { tau = 1.5, tick = "10ms" } } }"#,
    ),
    (
        "sifest-prr",
        r#"{ preset = "sifest-sack", recovery = "prr" }"#,
    ),
    (
        "rack-newreno",
        r#"{ preset = "newreno", detection = "rack" }"#,
    ),
    (
        "ncr-reno",
        r#"{ preset = "reno", detection = { ncr = { transmit = "aggressive" } } }"#,
    ),
    (
        "early-retransmit-newreno",
        r#"{ preset = "newreno", detection = "early-retransmit" }"#,
    ),
    ("vegas-prr", r#"{ preset = "vegas", recovery = "prr" }"#),
    ("veno-sack", r#"{ preset = "veno", recovery = "sack" }"#),
    ("cerl-sack1", r#"{ preset = "cerl", recovery = "sack1" }"#),
    (
        "cubic-reno-half-window",
        r#"{ preset = "reno", congestion = { cubic = { fast_convergence = false } }, timeout = "half-window" }"#,
    ),
    (
        "extended-resend-sack",
        r#"{ preset = "sack", timeout = { extended = { first = 2, later = 1.5, retransmit = true } } }"#,
    ),
    (
        "westwood+-tahoe",
        r#"{ preset = "tahoe", congestion = { westwood = { plus = true } } }"#,
    ),
];

/// QUIC with laws and settings that no preset has.
const COMPOSED_QUIC: [(&str, &str); 5] = [
    ("ecn", r#"{ preset = "quic", quic = { ecn = true } }"#),
    ("dctcp", r#"{ preset = "quic", congestion = "dctcp" }"#),
    ("bbr3", r#"{ preset = "quic", congestion = "bbr3" }"#),
    (
        "hystart++",
        r#"{ preset = "quic-cubic", quic = { slow_start = "hystart++", initial_window = "4 segments" } }"#,
    ),
    (
        "thresholds",
        r#"{ quic = { packet_threshold = 20, time_threshold = 2, ack_every = 10, max_ack_delay = "100ms", initial_rtt = "100ms" } }"#,
    ),
];

/// Runs all cases and hashes their outcomes.
pub(crate) fn table() -> Table {
    let mut table = Table::default();
    let transports: Vec<(&str, String)> = PRESETS
        .iter()
        .map(|preset| (preset.name, format!("\"{}\"", preset.name)))
        .chain(COMPOSED.map(|(name, toml)| (name, toml.to_owned())))
        .collect();
    let names = PROFILES.iter().flat_map(|profile| {
        let name = move |(transport, _): &(&str, String)| format!("{profile} {transport}");
        transports.iter().map(name)
    });
    // The last key of a sweep varies fastest: the points come profile by profile.
    let lines = swept(&TCP, "tcp", names.collect(), &transports);
    table.push(&TCP.map(|path| path.name), lines);

    let line = WTCP.iter().flat_map(|path| hashes(path, path.text, "wtcp"));
    let line = ("wtcp default".to_owned(), line.collect());
    table.push(&WTCP.map(|path| path.name), vec![line]);

    let transports: Vec<(&str, String)> = quic::PRESETS
        .iter()
        .map(|preset| (preset.name, format!("\"{}\"", preset.name)))
        .chain(COMPOSED_QUIC.map(|(name, toml)| (name, toml.to_owned())))
        .collect();
    let names = transports.iter().map(|(name, _)| format!("quic {name}"));
    let lines = swept(&QUIC, "quic", names.collect(), &transports);
    table.push(&QUIC.map(|path| path.name), lines);
    table
}

/// Runs `transports` over `paths`, as the flow `flow` and as that beside it; a line for each of `names`.
fn swept(
    paths: &[Path],
    flow: &str,
    names: Vec<String>,
    transports: &[(&str, String)],
) -> Vec<(String, Vec<String>)> {
    let mut lines: Vec<_> = names.into_iter().map(|name| (name, Vec::new())).collect();
    let values = transports.iter().fold(String::new(), |mut all, (_, toml)| {
        // Writing to a string cannot fail.
        let _ = write!(all, "[{toml}, {toml}], ");
        all
    });
    for path in paths {
        let text = format!(
            "{}\n\"flow.{flow}.transport & flow.other.transport\" = [{values}]\n",
            path.text
        );
        let hashes = hashes(path, &text, flow);
        assert_eq!(
            hashes.len(),
            lines.len(),
            "{}: a point for each case",
            path.name
        );
        for ((_, line), hash) in lines.iter_mut().zip(hashes) {
            line.push(hash);
        }
    }
    lines
}

/// Runs a path and hashes each of its points.
fn hashes(path: &Path, text: &str, flow: &str) -> Vec<String> {
    let scenario = Scenario::parse("outcomes.toml", text, &NoFiles)
        .unwrap_or_else(|e| panic!("{}: {}", path.name, e.render(false)));
    let results = experiment::run(&scenario, &Options::default(), experiment::simulate)
        .unwrap_or_else(|e| panic!("{}: {e}", path.name));
    let study = Study::from(&scenario);
    (0..results.points())
        .map(|point| point_hash(path, &study, &results, point, flow))
        .collect()
}

/// Presets that need not show what a path is meant to show: these resend little and nothing in vain.
const SPARING: &[&str] = &["skywave", "tcp-ap"];

/// Hashes the runs of a point, and checks that they have the effects that the path is meant to test.
fn point_hash(path: &Path, study: &Study, results: &Results, point: usize, flow: &str) -> String {
    let mut hash = Hash::default();
    let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
    let labels = &study.points[point];
    for (&seed, run) in results.seeds.iter().zip(results.at(point)) {
        let outcome = &run.as_ref().expect("every run is done").outcome;
        for (outcome, label) in outcome.flows.iter().zip(&labels.flows) {
            let row = Row {
                scenario: &study.name,
                seed,
                point: labels,
                transport: &label.transport,
                flow: outcome.clone(),
                same_for_all_seeds: None,
            };
            let row = serde_json::from_str(&row.to_json()).expect("rows are JSON");
            hash.row(&row);
            if outcome.name == flow {
                for column in path.shows {
                    *sums.entry(column).or_default() += row[column].as_f64().unwrap_or(0.0);
                }
            }
        }
        hash.rest(outcome);
    }
    let sparing = labels
        .flows
        .iter()
        .any(|label| SPARING.contains(&label.transport.as_str()));
    for column in path.shows {
        assert!(
            sums[column] > 0.0 || sparing,
            "{}: {:?} has no {column}, so the path does not show what it is for",
            path.name,
            labels.flows,
        );
    }
    hash.digits()
}
