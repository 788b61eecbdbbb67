//! Sweeps that are killed at any moment, and a disk that is full.

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use common::{skywave, text};

/// Kills; `SKYWAVE_KILLS` is another number.
const KILLS: u64 = 5;

const SWEEP: &str = r#"
[[link]]
name = "radio"
between = ["A", "B"]
rate = "2Mbps"
delay = "20ms"
loss = { forward = { iid = 0.01 } }

[[flow]]
name = "bulk"
from = "A"
to = "B"
transport = "reno"

[run]
duration = "30s"
seeds = 40

[sweep]
"link.radio.loss.forward.iid" = [0.0, 0.01, 0.02]
"#;

const LEFT: [&str; 5] = [
    "runs.jsonl",
    "results.parquet",
    "links.parquet",
    "report.html",
    "scenario.toml",
];

fn left(dir: &Path) -> Vec<Vec<u8>> {
    let read = |name| fs::read(dir.join("runs/sweep").join(name)).expect(name);
    LEFT.map(read).to_vec()
}

/// Splitmix: any moments will do, but different ones.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[test]
fn a_sweep_that_is_killed_goes_on_and_leaves_the_same_bytes() {
    let dir = tempfile::tempdir().expect("a directory");
    let dir = dir.path();
    fs::write(dir.join("sweep.toml"), SWEEP).expect("written");
    let run = ["run", "sweep.toml", "--quiet", "--threads", "2"];
    let begin = std::time::Instant::now();
    assert!(skywave(dir, &run).status.success());
    let whole = begin.elapsed();
    let expected = left(dir);
    fs::remove_dir_all(dir.join("runs")).expect("removed");

    let kills = std::env::var("SKYWAVE_KILLS").ok();
    let kills = kills.map_or(KILLS, |kills| kills.parse().expect("a number"));
    let journal = dir.join("runs/sweep/runs.jsonl");
    let lines = || fs::read_to_string(&journal).map_or(0, |text| text.matches('\n').count());
    let (mut state, mut before) = (1, 0);
    for kill in 0..kills {
        let mut command = Command::new(env!("CARGO_BIN_EXE_skywave"));
        command
            .args(run)
            .current_dir(dir)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut process = command.spawn().expect("the command starts");
        // The first kills share the time of all runs; the others meet what comes after them.
        let most = whole.as_micros() as u64 * 2 / (kills + 1);
        thread::sleep(Duration::from_micros(random(&mut state) % most.max(1)));
        process.kill().expect("killed");
        process.wait().expect("gone");
        let now = lines();
        assert!(
            now >= before,
            "kill {kill}: {now} runs of {before} are left"
        );
        before = now;
    }
    let output = skywave(dir, &run);
    assert!(output.status.success(), "{}", text(&output.stderr));
    for ((name, now), expected) in LEFT.iter().zip(left(dir)).zip(&expected) {
        assert!(now == *expected, "{name} is another one");
    }
    let text = fs::read_to_string(&journal).expect("the journal");
    let key = |line: &'_ str| Some(line.split_once("\"key\":\"")?.1[..32].to_owned());
    let keys: BTreeSet<_> = text.lines().map(key).collect();
    assert_eq!((text.lines().count(), keys.len()), (120, 120));
    let entries = fs::read_dir(dir.join("runs/sweep")).expect("the directory");
    let names = entries.map(|entry| entry.expect("a name").file_name());
    let drafts: Vec<_> = names
        .filter(|name| Path::new(name).extension().is_some_and(|end| end == "tmp"))
        .collect();
    assert!(drafts.is_empty(), "{drafts:?}");
}
