//! The cases: every preset and some compositions with every profile, WTCP, QUIC under several laws, and TCP through
//! proxies and radio networks.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use skywave_core::quic;
use skywave_core::tcp::PRESETS;
use skywave_lab::experiment::{self, Options};
use skywave_lab::scenario::{NoFiles, Scenario};
use skywave_sim::Outcome;
use skywave_sim::outcome::{Column, FLOW, PROXY, STATION};

use crate::hash::Hashes;
use crate::networks::NETWORKS;
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

/// Transports that go through proxies and radio networks.
const NETWORKED: [&str; 4] = ["newreno", "sack", "cubic", "veno"];

/// A case, and for each of its paths the hash of each group of columns.
type Case = (String, Vec<BTreeMap<&'static str, String>>);

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
    let cases = swept(&TCP, "tcp", names.collect(), &transports);
    push(&mut table, &TCP, &cases);

    let line = WTCP.iter().flat_map(|path| hashes(path, path.text, "wtcp"));
    let line = ("wtcp default".to_owned(), line.collect());
    push(&mut table, &WTCP, &[line]);

    let transports: Vec<(&str, String)> = quic::PRESETS
        .iter()
        .map(|preset| (preset.name, format!("\"{}\"", preset.name)))
        .chain(COMPOSED_QUIC.map(|(name, toml)| (name, toml.to_owned())))
        .collect();
    let names = transports.iter().map(|(name, _)| format!("quic {name}"));
    let cases = swept(&QUIC, "quic", names.collect(), &transports);
    push(&mut table, &QUIC, &cases);

    let transports = NETWORKED.map(|name| (name, format!("\"{name}\"")));
    let names = NETWORKED.map(|name| format!("rfc {name}")).to_vec();
    let cases = swept(&NETWORKS, "tcp", names, &transports);
    push(&mut table, &NETWORKS, &cases);
    table
}

/// Adds a block for each group of columns that these cases have something in.
fn push(table: &mut Table, paths: &[Path], cases: &[Case]) {
    let names: Vec<&str> = paths.iter().map(|path| path.name).collect();
    let groups = cases
        .iter()
        .flat_map(|(_, hashes)| hashes)
        .flat_map(BTreeMap::keys);
    let groups: BTreeSet<&str> = groups.copied().collect();
    for group in groups {
        let line = |(case, hashes): &Case| {
            let hash =
                |of: &BTreeMap<_, String>| of.get(group).map_or("-", String::as_str).to_owned();
            (format!("{group} {case}"), hashes.iter().map(hash).collect())
        };
        table.push(&names, cases.iter().map(line).collect());
    }
}

/// Runs `transports` over `paths`, as the flow `flow` and as that beside it; a case for each of `names`.
fn swept(
    paths: &[Path],
    flow: &str,
    names: Vec<String>,
    transports: &[(&str, String)],
) -> Vec<Case> {
    let mut cases: Vec<Case> = names.into_iter().map(|name| (name, Vec::new())).collect();
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
            cases.len(),
            "{}: a point for each case",
            path.name
        );
        for ((_, case), hash) in cases.iter_mut().zip(hashes) {
            case.push(hash);
        }
    }
    cases
}

/// Runs a path and hashes each of its points.
fn hashes(path: &Path, text: &str, flow: &str) -> Vec<BTreeMap<&'static str, String>> {
    let scenario = Scenario::parse("outcomes.toml", text, &NoFiles)
        .unwrap_or_else(|e| panic!("{}: {}", path.name, e.render(false)));
    let results = experiment::run(&scenario, &Options::default(), experiment::simulate)
        .unwrap_or_else(|e| panic!("{}: {e}", path.name));
    let points = scenario.points().iter().enumerate();
    let hashes = points.map(|(at, point)| {
        let sparing = (0..)
            .map_while(|flow| point.transport_label(flow))
            .any(|label| SPARING.contains(&label));
        let mut shown = path.shows.to_vec();
        let mut hashes = Hashes::default();
        for (&seed, run) in results.seeds.iter().zip(results.at(at)) {
            let outcome = &run.as_ref().expect("every run is done").outcome;
            hashes.add(seed, outcome);
            shown.retain(|column| total(outcome, flow, column) == 0.0);
        }
        assert!(
            shown.is_empty() || sparing,
            "{}, point {at}: nothing in {shown:?}, so the path does not show what it is for",
            path.name,
        );
        hashes.digits()
    });
    hashes.collect()
}

/// Presets that need not show what a path is meant to show: these resend little and nothing in vain.
const SPARING: &[&str] = &["skywave", "tcp-ap"];

/// Sum of a column over the flow of this name or its halves, all proxies and all stations.
fn total(outcome: &Outcome, flow: &str, column: &str) -> f64 {
    fn sum<'a, T: 'a>(columns: &[Column<T>], name: &str, of: impl Iterator<Item = &'a T>) -> f64 {
        let column = columns.iter().find(|column| column.name == name);
        let values = of.filter_map(|of| (column?.get)(of).number());
        values.sum()
    }
    let is_of = |name: &str| name.split('.').next() == Some(flow);
    let flows = outcome.flows.iter().filter(|of| is_of(&of.name));
    sum(FLOW, column, flows)
        + sum(PROXY, column, outcome.proxies.iter())
        + sum(STATION, column, outcome.stations.iter())
}
