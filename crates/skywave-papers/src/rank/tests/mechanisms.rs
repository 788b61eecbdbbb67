//! Mechanisms, which set more than the transport and may have no place on a path.

use std::path::Path;

use super::{PAIR, alone, study_in};
use crate::rank::mechanisms::heat;
use crate::rank::{
    Kind, RankError, Ranked, Study, evaluate, html, json_lines, load, markdown, table,
};
use skywave_lab::experiment::{RunOptions, run_all, simulate};
use skywave_scenario::Scenario;

const STUDY: &str = r#"
title = "Mechanisms"
presets = []
delay = "delay-p95"
mechanism = [
    { name = "Reno" },
    { name = "ACK for each", base = "Reno", set = { "flow.test.acking" = "every" } },
    { name = "Split", base = "Reno", set = { "flow.test.proxy" = { at = "M" } } },
    { name = "Snoop", base = "Reno", set = { "agent.M.snoop" = "wtcp" } },
    { name = "Slow ACKs", base = "ACK for each", set = { "flow.test.acking" = { delayed = { every = 8 } } } },
]

[[path]]
name = "direct"
kind = "lossy"
scenario = "alone.toml"

[[path]]
name = "relayed"
kind = "lossy"
scenario = "relayed.toml"

[[path]]
name = "beside"
kind = "fairness"
scenario = "several.toml"
"#;

/// Two links with a node between them, where something may stand.
fn relayed() -> String {
    let text = alone().replace(r#"["A", "B"]"#, r#"["M", "B"]"#);
    format!(
        r#"{text}
[[link]]
between = ["A", "M"]
rate = "5Mbps"
delay = "1ms"
[[agent]]
at = "M"
snoop = "none"
"#
    )
}

fn load_in(dir: &Path, text: &str) -> Result<Study, RankError> {
    std::fs::write(dir.join("relayed.toml"), relayed()).unwrap();
    let several = PAIR.replace("name = \"test\"", "name = \"test\"\ncount = 2");
    let several = several.replace("name = \"other\"", "name = \"other\"\ncount = 2");
    std::fs::write(dir.join("several.toml"), several).unwrap();
    study_in(dir, text)
}

fn ranked(study: &Study) -> Ranked {
    let results = run_all(&study.scenarios, &RunOptions::default(), simulate).unwrap();
    evaluate(study, &results)
}

#[test]
fn mechanisms_run_where_they_have_a_place_and_elsewhere_the_reason_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let study = load_in(dir.path(), STUDY).unwrap();
    let names: Vec<&str> = study.scenarios.iter().map(Scenario::name).collect();
    assert_eq!(
        names,
        [
            "direct",
            "direct+ack-for-each",
            "relayed",
            "relayed+ack-for-each",
            "relayed+split",
            "relayed+snoop",
            "beside",
            "beside+ack-for-each",
        ]
    );
    // Both ways to acknowledge are points of one scenario.
    assert_eq!(study.scenarios[1].points().len(), 2);
    let ranked = ranked(&study);
    let row = |entry| ranked.ranking.row(entry).unwrap();
    let runs = |entry: usize| [0, 1, 2].map(|path: usize| row(entry).on[path].goodput.is_some());
    assert_eq!(runs(1), [true, true, true]);
    assert_eq!(runs(2), [false, true, false]);
    assert_eq!(runs(3), [false, true, false]);

    let text = table(&study, &ranked, 200, 30);
    assert!(text.contains("(a) there is no node `M`"), "{text}");
    assert!(text.contains("(b) unknown agent `M`"), "{text}");
    let page = html(&study, &ranked, "skywave rank").unwrap();
    assert!(page.contains("unknown agent `M`"), "{page}");
    let map = heat(&study, &ranked);
    assert_eq!(map.rows[2].1[0].text, "(a)");
    assert_eq!(map.rows[2].1[0].share, None);
    assert_eq!(map.notes.len(), 3);
    assert_eq!(json_lines(&study, &ranked).lines().count(), 5);
    let tables = markdown(&study, &ranked);
    for line in [
        "| mechanism | beside | direct | relayed |\n|---|---|---|---|\n| Reno |  | ",
        "\n| Split | Reno | (a) | ",
        "\n| Snoop | Reno | (b) | ",
        "\n| Split | Reno | (a) |\n",
        "\n(a) there is no node `M`  \n(b) unknown agent `M`  \n",
    ] {
        assert!(tables.contains(line), "{line}: {tables}");
    }
    // Goodput with the gain over the base, timeouts and retransmissions, fairness.
    assert_eq!(tables.matches("| mechanism |").count(), 3);
    let row = tables
        .lines()
        .find(|line| line.starts_with("| ACK for each | Reno |"));
    assert_eq!(row.unwrap().matches(" (").count(), 2);
}

#[test]
fn what_has_no_place_is_nobodys_rival_and_counts_for_no_mean() {
    let dir = tempfile::tempdir().unwrap();
    let study = load_in(dir.path(), STUDY).unwrap();
    let ranked = ranked(&study);
    let ranking = &ranked.ranking;
    let (reno, split) = (ranking.row(0).unwrap(), ranking.row(2).unwrap());
    assert_eq!((split.lossy, split.mean_rank), (None, None));
    assert!(reno.lossy.is_some());
    // On the path without a node between its ends the fastest beats all that run there.
    let rivals = ranking
        .rows
        .iter()
        .filter(|row| row.on[0].goodput.is_some());
    assert_eq!(rivals.count(), 3);
    let gain = split.on[1].over_base.unwrap().mean;
    let ratio = split.on[1].goodput.unwrap().mean / reno.on[1].goodput.unwrap().mean;
    assert!((gain + 1.0 - ratio).abs() < 1e-9);
    assert_eq!(reno.on[1].over_base, None);
}

#[test]
fn a_split_flow_counts_on_both_sides_of_its_proxy() {
    let dir = tempfile::tempdir().unwrap();
    let study = load_in(dir.path(), STUDY).unwrap();
    let results = run_all(&study.scenarios, &RunOptions::default(), simulate).unwrap();
    let ranked = evaluate(&study, &results);
    let run = results["relayed+split"].first(0).unwrap();
    let [near, far] = &run.outcome.flows[..] else {
        panic!("two halves");
    };
    assert_eq!((&*near.name, &*far.name), ("test.near", "test.far"));
    let samples = &ranked.samples[1];
    assert_eq!(samples.goodput[2][0], Some(far.goodput_bps));
    let repairs = (near.retransmits + far.retransmits) as f64;
    assert_eq!(samples.retransmits[2][0], Some(repairs));
    // From end to end, not from the proxy on, in multiples of the way's shortest round trip.
    let floor = results["relayed"].at(0).flatten();
    let floor = floor.filter_map(|run| run.outcome.flows[0].rtt_min_s);
    let floor = floor.fold(f64::INFINITY, f64::min);
    let delay = samples.delay[2][0].unwrap();
    let whole = run.outcome.proxies[0].delay_p95_s.unwrap();
    assert!(delay * floor <= whole * 1.05 && delay > 1.0, "{delay}");
}

#[test]
fn copies_under_test_count_together_and_alike() {
    let dir = tempfile::tempdir().unwrap();
    let study = load_in(dir.path(), STUDY).unwrap();
    let path = &study.paths[2];
    assert_eq!((path.kind, path.baseline), (Kind::Fairness, Some(0)));
    let flows = &path.runs[0].as_ref().unwrap().flows;
    assert_eq!(
        (&flows.test[..], &flows.others[..]),
        (&[0, 1][..], &[2, 3][..])
    );
    let results = run_all(&study.scenarios, &RunOptions::default(), simulate).unwrap();
    let ranked = evaluate(&study, &results);
    let run = results["beside"].first(0).unwrap();
    let goodput = |flow: usize| run.outcome.flows[flow].goodput_bps;
    assert_eq!(
        ranked.samples[2].goodput[0][0],
        Some(goodput(0) + goodput(1))
    );
    assert_eq!(
        ranked.samples[2].others[0][0],
        Some(goodput(2) + goodput(3))
    );
}

#[test]
fn mistakes_in_mechanisms_are_told_with_their_place() {
    let dir = tempfile::tempdir().unwrap();
    let error = |from: &str, to: &str| {
        assert!(STUDY.contains(from), "{from}");
        let error = load_in(dir.path(), &STUDY.replacen(from, to, 1)).unwrap_err();
        let root = format!("{}/", dir.path().display());
        error.to_string().replace(&root, "")
    };
    let errors = [
        error("base = \"Reno\"", "base = \"Rino\""),
        error("name = \"Snoop\"", "name = \"Split\""),
        error(
            "\"flow.test.acking\" = \"every\"",
            "\"flow.test.aking\" = \"every\"",
        ),
        error("agent.M.snoop\" = \"wtcp\"", "radio.routing\" = \"dsr\""),
        error("{ delayed = { every = 8 } }", "\"every\""),
        error(
            "{ name = \"Reno\" }",
            "{ name = \"Reno\", set = { \"flow.test.fin\" = true } }",
        ),
    ];
    let expected = [
        "tiny.toml:7: `Rino` is no composition of this study",
        "tiny.toml:9: `Split` is `Split` again",
        "tiny.toml:7: `ACK for each` runs on no path: unknown key `aking`",
        "tiny.toml:9: `Snoop` runs on no path: there is no [radio] in this scenario",
        "tiny.toml:10: `Slow ACKs` is `ACK for each` again",
        "tiny.toml:24: a path for fairness needs TCP flows beside the one under test, all of one \
         transport that is among the compositions",
    ];
    assert_eq!(errors, expected);
}

/// The paths of the survey's study are all read, and nothing of it is left out for a mistake of the study's.
#[test]
fn the_study_of_the_survey_loads() {
    let file = "../../experiments/mechanisms/study.toml";
    let study = load(&Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
    assert_eq!(study.name, "mechanisms");
    assert!(study.entries.len() >= 42 && study.paths.len() == 10);
    let mut reasons: Vec<&str> = study.refused.iter().map(|r| &*r.reason).collect();
    reasons.sort_unstable();
    reasons.dedup();
    let expected = [
        "`l2clamp` needs a radio network, whose MAC acknowledges frames",
        "there is no [radio] in this scenario",
        "there is no node `base`",
        "unknown agent `base`",
        "unknown link `air`",
    ];
    assert_eq!(reasons, expected);
}
