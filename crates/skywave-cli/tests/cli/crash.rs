//! Sweeps that are killed at any moment, and a disk that is full.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::common::{skywave, text};
use crate::random::random;
use crate::sweep::{FILES, SWEEP, left};

/// Names in a directory of files that are not finished.
fn drafts(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).expect("the directory");
    let paths = entries.map(|entry| entry.expect("a name").path());
    let drafts = paths.filter(|path| path.extension().is_some_and(|it| it == "tmp"));
    drafts.map(|path| path.display().to_string()).collect()
}

/// Kills; `SKYWAVE_KILLS` is another number.
const KILLS: u64 = 5;

#[test]
fn a_sweep_that_is_killed_goes_on_and_leaves_the_same_bytes() {
    let dir = tempfile::tempdir().expect("a directory");
    let dir = dir.path();
    let scenario = SWEEP.replace("1Mbps", "2Mbps").replace("2s", "30s");
    let scenario = scenario.replace("seeds = 3", "seeds = 40");
    fs::write(dir.join("sweep.toml"), scenario).expect("written");
    let run = ["run", "sweep.toml", "--quiet", "--threads", "2"];
    let begin = std::time::Instant::now();
    assert!(skywave(dir, &run).status.success());
    let whole = begin.elapsed();
    let expected = left(&dir.join("runs/sweep"), &FILES);
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
    for ((name, now), expected) in FILES
        .iter()
        .zip(left(&dir.join("runs/sweep"), &FILES))
        .zip(&expected)
    {
        assert!(now == *expected, "{name} is another one");
    }
    let text = fs::read_to_string(&journal).expect("the journal");
    let key = |line: &'_ str| Some(line.split_once("\"key\":\"")?.1[..32].to_owned());
    let keys: BTreeSet<_> = text.lines().map(key).collect();
    assert_eq!((text.lines().count(), keys.len()), (120, 120));
    assert_eq!(drafts(&dir.join("runs/sweep")), [""; 0]);
}

#[test]
fn what_a_killed_process_was_writing_of_any_file_is_removed() {
    let dir = tempfile::tempdir().expect("a directory");
    let dir = dir.path();
    fs::write(dir.join("sweep.toml"), SWEEP).expect("written");
    for (options, results) in [
        (&[][..], "runs/sweep"),
        (&["--shard", "1/2"], "runs/sweep.shard-1-of-2"),
    ] {
        let run = [&["run", "sweep.toml", "--quiet"], options].concat();
        assert!(skywave(dir, &run).status.success());
        let results = dir.join(results);
        let entries = fs::read_dir(&results).expect("the directory");
        let files = entries.map(|entry| entry.expect("a name").path());
        let files: Vec<_> = files.filter(|path| path.extension().is_some()).collect();
        for file in &files {
            let name = file.file_name().expect("a name").to_string_lossy();
            fs::write(results.join(format!(".{name}.1.0.tmp")), "half").expect("written");
        }
        assert!(files.len() > 2, "{files:?}");
        assert!(skywave(dir, &run).status.success());
        assert_eq!(drafts(&results), [""; 0]);
    }
}
