//! A second run into the same directory: what it keeps, what it removes, and that it says so.

use std::fs;

use crate::common::{skywave, text};

const TINY: &str = r#"
[[link]]
name = "radio"
between = ["A", "B"]
rate = "1Mbps"
delay = "20ms"
loss = { forward = { iid = 0.01 } }

[[flow]]
from = "A"
to = "B"
transport = "reno"

[run]
duration = "5s"
seeds = 3
"#;

#[test]
fn series_are_written_on_request_and_do_not_outlive_their_results() {
    let dir = tempfile::tempdir().expect("a directory");
    fs::write(dir.path().join("tiny.toml"), TINY).expect("written");
    let series = dir.path().join("runs/tiny/series.parquet");
    for args in [
        ["run", "tiny.toml", "--series"],
        ["run", "tiny.toml", "--series=all"],
    ] {
        let out = skywave(dir.path(), &args);
        assert!(out.status.success(), "{}", text(&out.stderr));
        assert!(series.exists(), "{args:?}");
        assert_eq!(text(&out.stderr), "");
    }
    // A second run with the same results keeps the series byte for byte, whatever other options it has.
    let before = fs::read(&series).expect("series");
    for option in ["--quiet", "--json", "--fresh"] {
        let out = skywave(dir.path(), &["run", "tiny.toml", option]);
        assert_eq!(
            text(&out.stderr),
            "note: runs/tiny/series.parquet stays, it is of the same runs; the report has no part \
             \"Over time\" without --series\n"
        );
        assert_eq!(fs::read(&series).expect("series"), before, "{option}");
    }
    let other = TINY.replace("seeds = 3", "seeds = 2");
    fs::write(dir.path().join("tiny.toml"), other).expect("written");
    let out = skywave(dir.path(), &["run", "tiny.toml", "--quiet"]);
    assert_eq!(
        text(&out.stderr),
        "note: runs/tiny/series.parquet is removed, it was of other runs; --series records these\n"
    );
    assert!(!series.exists());
    // There is nothing more to say.
    let out = skywave(dir.path(), &["run", "tiny.toml", "--quiet"]);
    assert_eq!(text(&out.stderr), "");
}

#[test]
fn a_copy_whose_trace_is_elsewhere_says_whose_copy_it_is() {
    let dir = tempfile::tempdir().expect("a directory");
    let traced = TINY.replace(
        "rate = \"1Mbps\"",
        "trace = \"link.trace\"\nreverse = { rate = \"1Mbps\" }",
    );
    fs::write(dir.path().join("tiny.toml"), traced).expect("written");
    fs::write(dir.path().join("link.trace"), "10\n20\n").expect("written");
    let out = skywave(dir.path(), &["run", "tiny.toml"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let out = skywave(dir.path(), &["run", "runs/tiny/scenario.toml"]);
    assert_eq!(out.status.code(), Some(2));
    let said = text(&out.stderr);
    assert!(
        said.contains("note: this is a copy of tiny.toml, and files"),
        "{said}"
    );
    assert!(
        said.contains("cannot read the trace `link.trace`"),
        "{said}"
    );
}

#[test]
fn tables_as_csv_are_written_on_request_and_do_not_outlive_their_results() {
    let dir = tempfile::tempdir().expect("a directory");
    let run = |text_of: &str, more: &[&str]| {
        fs::write(dir.path().join("tiny.toml"), text_of).expect("written");
        let out = skywave(dir.path(), &[&["run", "tiny.toml"], more].concat());
        assert!(out.status.success(), "{}", text(&out.stderr));
        text(&out.stdout)
    };
    let csv = dir.path().join("runs/tiny/results.csv");
    let links = dir.path().join("runs/tiny/links.csv");
    run(TINY, &[]);
    assert!(!csv.exists());
    assert!(run(TINY, &["--csv"]).contains("CSV:    runs/tiny/results.csv"));
    let table = fs::read_to_string(&csv).expect("a table");
    assert!(table.starts_with("scenario,seed,flow,transport,goodput_bps,"));
    assert_eq!(table.lines().count(), 1 + 3);
    assert!(links.exists());
    // The same results again.
    run(TINY, &[]);
    assert_eq!(fs::read_to_string(&csv).expect("a table"), table);
    run(&TINY.replace("0.01", "0.02"), &[]);
    assert!(!csv.exists() && !links.exists());
}

#[test]
fn results_of_another_file_of_the_same_name_are_told_of() {
    let dir = tempfile::tempdir().expect("a directory");
    let note = |file: &str| {
        let out = skywave(dir.path(), &["run", file, "--quiet"]);
        assert!(out.status.success(), "{}", text(&out.stderr));
        text(&out.stderr)
    };
    fs::create_dir(dir.path().join("examples")).expect("a folder");
    fs::write(dir.path().join("examples/tiny.toml"), TINY).expect("written");
    fs::write(dir.path().join("tiny.toml"), TINY).expect("written");
    assert_eq!(note("examples/tiny.toml"), "");
    // A copy makes the same results.
    assert_eq!(note("tiny.toml"), "");
    // A file may change.
    let other = TINY.replace("seeds = 3", "seeds = 2");
    fs::write(dir.path().join("tiny.toml"), other).expect("written");
    assert_eq!(note("tiny.toml"), "");
    assert_eq!(
        note("examples/tiny.toml"),
        "note: runs/tiny had the results of tiny.toml; report and tables are now those of \
         examples/tiny.toml, finished runs are kept of both (--out keeps them apart)\n"
    );
    assert_eq!(note("./examples/../examples/tiny.toml"), "");
}
