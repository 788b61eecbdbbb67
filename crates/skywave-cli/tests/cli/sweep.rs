//! A sweep of nine runs, and what is left of it.

use std::fs;
use std::path::Path;

pub(crate) const SWEEP: &str = r#"
[[link]]
name = "radio"
between = ["A", "B"]
rate = "1Mbps"
delay = "20ms"
loss = { forward = { iid = 0.01 } }

[[flow]]
name = "bulk"
from = "A"
to = "B"
transport = "reno"

[run]
duration = "2s"
seeds = 3

[sweep]
"link.radio.loss.forward.iid" = [0.0, 0.01, 0.02]
"#;

/// Names of the files that a run of everything leaves.
pub(crate) const FILES: [&str; 5] = [
    "runs.jsonl",
    "results.parquet",
    "links.parquet",
    "report.html",
    "scenario.toml",
];

/// What these files of a run directory contain.
pub(crate) fn left(dir: &Path, names: &[&str]) -> Vec<Vec<u8>> {
    let read = |name: &&str| fs::read(dir.join(name)).expect(name);
    names.iter().map(read).collect()
}
