//! The ranking against hand-made numbers, and studies in a folder of their own.

mod arithmetic;
mod families;
mod mechanisms;
mod studies;

use std::path::Path;

use super::{RankError, Study, load};

/// A scenario with a flow under test and one beside it.
const PAIR: &str = r#"
[[link]]
name = "radio"
between = ["A", "B"]
rate = "1Mbps"
delay = "20ms"
queue = { droptail = "20 packets" }
loss = { forward = { iid = 0.02 } }

[[flow]]
name = "test"
from = "A"
to = "B"
rwnd = "60 segments"

[[flow]]
name = "other"
from = "A"
to = "B"
rwnd = "60 segments"

[run]
duration = "10s"
seeds = 3
"#;

/// A lossy and a clean path and one for fairness.
const STUDY: &str = r#"
title = "A tiny study"
presets = ["reno", "cerl"]
proposed = { name = "cerl + sack", as_fair_as = "reno" }

[[cross]]
congestion = ["reno", "cerl"]
recovery = ["reno", "sack"]

[[path]]
name = "lossy"
kind = "lossy"
scenario = "alone.toml"
about = "two in a hundred"

[[path]]
name = "clean"
kind = "clean"
scenario = "alone.toml"
set = { "link.radio.loss.forward.iid" = 0.0, "link.radio.delay" = { uniform = ["18ms", "22ms"] } }

[[path]]
name = "beside"
kind = "fairness"
scenario = "pair.toml"
"#;

/// The scenario without the second flow.
fn alone() -> String {
    let (before, rest) = PAIR.split_once("[[flow]]\nname = \"other\"").unwrap();
    let (_, after) = rest.split_once("[run]").unwrap();
    format!("{before}[run]{after}")
}

/// A study in `dir`.
fn study_in(dir: &Path, text: &str) -> Result<Study, RankError> {
    std::fs::write(dir.join("alone.toml"), alone()).unwrap();
    std::fs::write(dir.join("pair.toml"), PAIR).unwrap();
    std::fs::write(dir.join("tiny.toml"), text).unwrap();
    load(&dir.join("tiny.toml"))
}
