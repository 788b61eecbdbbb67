//! Searches: the same bytes for any threads, from shards, and after an interruption; files that run.

use std::fs;
use std::path::Path;

use crate::common::{skywave, text};

const SPACE: &str = r#"
[[link]]
name = "path"
between = ["server", "client"]
rate = "4Mbps"
delay = "10ms"
queue = { droptail = "20 packets" }

[[flow]]
name = "test"
from = "server"
to = "client"

[run]
duration = "3s"
measure = ["1s", "3s"]

# Keys that the search varies, each with its range.
[search]
"link.path.rate" = { log = ["1Mbps", "10Mbps"] }
"link.path.delay" = { log = ["2ms", "100ms"] }
"link.path.loss.forward.iid" = { log = [0.001, 0.2] }
"link.path.jitter.uniform" = [["0ms", { log = ["1ms", "50ms"] }]]
"#;

const SEARCH: [&str; 10] = [
    "worst",
    "vegas",
    "--against",
    "reno",
    "--space",
    "space.toml",
    "--runs",
    "400",
    "--islands",
    "2",
];

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    fs::write(dir.path().join("space.toml"), SPACE).expect("written");
    dir
}

fn done(dir: &Path, more: &[&str]) -> String {
    let output = skywave(dir, &[&SEARCH[..], more].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

fn left(dir: &Path, name: &str) -> Vec<u8> {
    fs::read(dir.join("runs/worst-vegas").join(name)).expect(name)
}

#[test]
fn a_search_is_the_same_by_threads_and_by_shards_and_its_files_run() {
    let whole = folder();
    let table = done(whole.path(), &["--threads", "1"]);
    assert!(table.starts_with("1. "), "{table}");
    let dir = folder();
    for shard in ["1/2", "2/2"] {
        done(dir.path(), &["--shard", shard]);
    }
    let shards = [
        "runs/worst-vegas.shard-1-of-2",
        "runs/worst-vegas.shard-2-of-2",
    ];
    let merged = skywave(dir.path(), &["merge", shards[0], shards[1]]);
    assert!(merged.status.success(), "{}", text(&merged.stderr));
    assert_eq!(done(dir.path(), &["--threads", "3"]), table);
    for name in ["1.toml", "measures.jsonl"] {
        assert!(left(dir.path(), name) == left(whole.path(), name), "{name}");
    }
    // A second call has nothing to simulate.
    let before = left(whole.path(), "measures.jsonl");
    assert_eq!(done(whole.path(), &[]), table);
    assert!(left(whole.path(), "measures.jsonl") == before);

    let json = done(whole.path(), &["--json"]);
    let first = json.lines().next().expect("a finding");
    let first: serde_json::Value = serde_json::from_str(first).expect("JSON");
    assert_eq!(first["against"][0], "reno");
    let ran = skywave(whole.path(), &["run", "runs/worst-vegas/1.toml", "--quiet"]);
    assert!(ran.status.success(), "{}", text(&ran.stderr));
    let file = text(&left(whole.path(), "1.toml"));
    assert!(file.starts_with("# vegas: ") && file.contains("skywave worst vegas --against reno"));
}

#[test]
fn folders_of_different_searches_are_not_merged() {
    let dir = folder();
    done(dir.path(), &["--shard", "1/2"]);
    let one = "runs/worst-vegas.shard-1-of-2";
    fs::create_dir(dir.path().join("other")).expect("made");
    fs::copy(
        dir.path().join(one).join("measures.jsonl"),
        dir.path().join("other/measures.jsonl"),
    )
    .expect("copied");
    let merged = skywave(dir.path(), &["merge", one, "other"]);
    assert_eq!(merged.status.code(), Some(2));
    assert!(text(&merged.stderr).contains("not shards of one search"));
}
