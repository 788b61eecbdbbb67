//! What a run directory holds, by the results.

use std::collections::BTreeSet;
use std::path::Path;

use skywave_sim::outcome::{Activity, ProxyOutcome, Span, StationOutcome};

use super::fixture::{small, two_flows};
use super::*;
use crate::experiment::RunResult;

/// Names of the files with this ending, without it.
fn names(dir: &Path, ending: &str) -> BTreeSet<String> {
    let files = std::fs::read_dir(dir).unwrap().map(|f| f.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|found| found == ending));
    files
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect()
}

#[test]
fn each_table_is_there_as_parquet_and_as_csv_and_goes_with_its_results() {
    let (study, mut results) = two_flows();
    let run = results.get(0, 0).unwrap();
    let mut outcome = run.outcome;
    outcome.proxies = vec![ProxyOutcome::default()];
    outcome.stations = vec![StationOutcome {
        timeline: vec![Span {
            from_s: 0.0,
            to_s: 1.0,
            activity: Activity::Senses,
        }],
        ..StationOutcome::default()
    }];
    results.put(0, 0, &RunResult::new(outcome));
    let dir = tempfile::tempdir().unwrap();
    let options = HtmlOptions::default();
    write_all(dir.path(), &study, &results, &options, true).unwrap();
    let all = [
        "bins",
        "links",
        "proxies",
        "requests",
        "results",
        "series",
        "stations",
        "timelines",
    ];
    let all: BTreeSet<String> = all.map(Into::into).into();
    assert_eq!(names(dir.path(), "parquet"), all);
    assert_eq!(names(dir.path(), "csv"), all);
    // Other results, that have less.
    let (study, results) = small();
    write_all(dir.path(), &study, &results, &options, false).unwrap();
    assert_eq!(names(dir.path(), "csv"), BTreeSet::new());
    write_all(dir.path(), &study, &results, &options, true).unwrap();
    let few: BTreeSet<String> = ["links", "results"].map(Into::into).into();
    assert_eq!(names(dir.path(), "parquet"), few);
    assert_eq!(names(dir.path(), "csv"), few);
}

#[test]
fn folders_by_values_go_with_their_results() {
    let (study, results) = small();
    let dir = tempfile::tempdir().unwrap();
    let options = HtmlOptions::default();
    let write = |study, results| write_all(dir.path(), study, results, &options, false).unwrap();
    write(&study, &results);
    let key = study.paths().next().unwrap();
    let folders = write_partitioned(dir.path(), &study, &results, key).unwrap();
    write(&study, &results);
    assert!(folders.exists());
    let (other, others) = two_flows();
    write(&other, &others);
    assert!(!folders.exists());
}
