//! The built-in papers and the folder `experiments/`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::claims::baseline::names;
use crate::claims::{Verdict, evaluate, load, load_dir, papers};
use crate::embedded;
use skywave_scenario::Scenario;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments")
}

fn scenario_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let paths = entries.map(|e| e.expect("it can be listed").path());
    let mut files: Vec<PathBuf> = paths
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
        // These files are about scenarios, but are not scenarios.
        .filter(|p| {
            !["claims.toml", "study.toml", "space.toml", "maps.toml"]
                .iter()
                .any(|name| p.ends_with(name))
        })
        .collect();
    files.sort();
    files
}

/// Loads every scenario in a folder and the folders in it, and says how many there are.
fn load_all(folder: &Path) -> usize {
    let files = scenario_files(folder);
    for file in &files {
        let loaded = skywave_lab::folder::load(file);
        assert!(loaded.is_ok(), "{}", loaded.unwrap_err().render(false));
    }
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let folders = entries.map(|e| e.expect("it can be listed").path());
    let inside = folders.filter(|f| f.is_dir()).map(|f| load_all(&f));
    files.len() + inside.sum::<usize>()
}

#[test]
fn every_experiment_loads() {
    let count = load_all(&folder());
    assert!(count >= 34, "only {count} files found");
    let example = skywave_lab::folder::load(&folder().join("../examples/lossy-link.toml"));
    assert!(example.is_ok(), "{}", example.unwrap_err().render(false));
}

#[test]
fn the_built_in_papers_are_the_folder() {
    for paper in embedded::PAPERS {
        let folder = folder().join(paper.name);
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("it can be read");
        assert_eq!(paper.claims, read("claims.toml"));
        let embedded: BTreeSet<String> = paper
            .experiments
            .iter()
            .map(|(name, _)| format!("{name}.toml"))
            .collect();
        let files = scenario_files(&folder);
        let there: BTreeSet<String> = files
            .iter()
            .map(|f| f.file_name().unwrap_or_default().to_string_lossy().into())
            .collect();
        assert_eq!(embedded, there);
        for (name, text) in paper.experiments {
            assert_eq!(*text, read(&format!("{name}.toml")), "{name}");
        }
    }
}

#[test]
fn every_folder_with_claims_is_built_in() {
    let known: BTreeSet<&str> = papers().collect();
    for entry in std::fs::read_dir(folder()).expect("the folder is there") {
        let path = entry.expect("it can be listed").path();
        if path.join("claims.toml").exists() {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            assert!(known.contains(&*name), "{name} is not built in");
        }
    }
}

#[test]
fn every_claim_of_cerl_resolves() {
    let paper = load("cerl").unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(paper.claims(), 55);
    assert_eq!(paper.experiments().len(), 24);
    assert_eq!(
        paper.title(),
        load_dir(&folder().join("cerl")).unwrap().title()
    );
    let card = evaluate(&paper, &BTreeMap::new());
    assert!(!card.complete);
    assert_eq!(card.scores.iter().filter(|s| s.core).count(), 46);
    for score in &card.scores {
        assert!(
            matches!(score.verdict, Verdict::NotRun | Verdict::NotTestable),
            "{} is {} without results",
            score.claim,
            score.verdict
        );
    }
}

#[test]
fn every_paper_resolves() {
    for name in papers() {
        let paper = load(name).unwrap_or_else(|e| panic!("{e}"));
        assert!(
            paper.claims() > 0 && !paper.experiments().is_empty(),
            "{name}"
        );
    }
}

#[test]
fn figure_7a_has_the_six_variants_and_one_of_a_reading() {
    let paper = load("cerl").unwrap();
    let found = paper.experiments().iter().find(|s| s.name() == "fig7a");
    assert_eq!(found.map(Scenario::runs), Some(7 * 10 * 20));
}

#[test]
fn a_paper_that_does_not_exist_is_named() {
    let error = load("crel").unwrap_err().to_string();
    assert!(
        error.starts_with("there is no paper `crel`; there are cerl, dcr, sifest"),
        "{error}"
    );
    assert!(error.ends_with("wtcp: did you mean `cerl`?"), "{error}");
    let error = load("tahoe").unwrap_err().to_string();
    assert!(error.ends_with(", wtcp"), "{error}");
}

#[test]
fn every_baseline_is_one_that_a_claim_compares_with() {
    for name in papers() {
        let paper = load(name).expect("a built-in paper");
        let card = evaluate(&paper, &BTreeMap::new());
        let parts: Vec<_> = card.scores.iter().flat_map(|score| &score.parts).collect();
        for baseline in &card.baselines {
            let met = parts.iter().any(|part| names(part, &baseline.sender));
            assert!(met, "{name}: {}", baseline.sender);
        }
    }
}

/// A table of measurements inside ns-2: its columns' names, and its rows.
struct Measured {
    head: Vec<&'static str>,
    rows: Vec<Vec<&'static str>>,
}

impl Measured {
    fn new(text: &'static str) -> Self {
        let mut lines = text.lines().map(|line| line.split(',').collect());
        Self {
            head: lines.next().expect("a head"),
            rows: lines.collect(),
        }
    }

    fn cell<'a>(&self, row: &'a [&'static str], name: &str) -> Option<&'a str> {
        let at = self.head.iter().position(|column| *column == name)?;
        Some(row[at])
    }

    /// Loss, delay and rate of the row in which the agent has these numbers at the point.
    fn settings(&self, point: &str, agent: &str, [mean, half]: [f64; 2]) -> Vec<String> {
        let found = self.rows.iter().find(|row| {
            let number = |name| self.cell(row, name).map(str::parse::<f64>);
            let is = self.cell(row, "point") == Some(point);
            is && self.cell(row, "agent") == Some(agent)
                && number("goodput_mbps_mean") == Some(Ok(mean))
                // A table without intervals has zero of them.
                && number("goodput_mbps_ci95").unwrap_or(Ok(0.0)) == Ok(half)
        });
        let row = found.unwrap_or_else(|| panic!("{point}: no {agent} with {mean}"));
        let cell = |name| self.cell(row, name).expect("a cell").to_owned();
        ["q", "Tp", "B"].map(cell).to_vec()
    }
}

/// Each number that the claims quote of senders inside ns-2 is in its table, in rows of one point.
#[test]
fn the_evidence_is_what_was_measured() {
    let module = Measured::new(include_str!(
        "../../../../../bench/peers/ns2/reference/westwood.csv"
    ));
    let witness = Measured::new(include_str!(
        "../../../../../bench/peers/ns2/reference/witness.csv"
    ));
    let paper = load("cerl").unwrap();
    let evidence = &paper.file.baseline[0].evidence;
    assert_eq!(evidence.len(), 8);
    for one in evidence {
        let (_, point) = one.source.split_once(", point ").expect("a point");
        let westwood = module.settings(point, "WestwoodNR", one.baseline);
        for (agent, numbers) in [
            ("Reno", one.over.measured),
            ("CERL", one.mechanism.measured),
        ] {
            let settings = witness.settings(point, agent, numbers);
            assert_eq!(settings, westwood, "{point} {agent}");
        }
    }
}
