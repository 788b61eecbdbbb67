//! Sweeps in parts: shards, and the scripts of docs/scale.md that run and merge them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{skywave, text};
use crate::sweep::{self, FILES, SWEEP};

/// Names of the files that `merge` leaves, as a run of everything does.
const LEFT: [&str; 6] = {
    let [runs, results, links, report, scenario] = FILES;
    [runs, results, links, report, scenario, ".scenario-path"]
};

/// A folder with the scenario and the results of a run of all in runs/my-link.
fn folder() -> (tempfile::TempDir, Vec<Vec<u8>>) {
    let dir = tempfile::tempdir().expect("a directory");
    fs::write(dir.path().join("my-link.toml"), SWEEP).expect("written");
    done(dir.path(), &["run", "my-link.toml"]);
    let left = left(dir.path());
    fs::remove_dir_all(dir.path().join("runs")).expect("removed");
    (dir, left)
}

fn left(dir: &Path) -> Vec<Vec<u8>> {
    sweep::left(&dir.join("runs/my-link"), &LEFT)
}

fn check(dir: &Path, expected: &[Vec<u8>]) {
    for ((name, now), expected) in LEFT.iter().zip(left(dir)).zip(expected) {
        assert!(now == *expected, "{name} is another one");
    }
}

fn done(dir: &Path, args: &[&str]) -> String {
    let output = skywave(dir, args);
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

/// The script of the documentation that has these words.
fn script(words: &str) -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scale.md");
    let page = fs::read_to_string(page).expect("the page");
    let mut blocks = page.split("```sh\n").skip(1);
    let found = blocks.find_map(|rest| {
        let (block, _) = rest.split_once("```")?;
        block.contains(words).then(|| block.to_owned())
    });
    found.expect("a script with these words")
}

/// Runs a script by the shell, where `skywave` is this command, and any programs in `bin` are found.
fn sh(dir: &Path, script: &str, variables: &[(&str, &str)]) {
    let command = PathBuf::from(env!("CARGO_BIN_EXE_skywave"));
    let path = std::env::var("PATH").expect("a path");
    let own = command.parent().expect("a folder").display().to_string();
    let output = Command::new("sh")
        .args(["-e", "-c", script])
        .env("PATH", format!("{own}:{}/bin:{path}", dir.display()))
        .envs(variables.iter().copied())
        .current_dir(dir)
        .output()
        .expect("a shell");
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[test]
fn merged_shards_leave_the_files_of_one_run() {
    let (dir, expected) = folder();
    // One is run twice, and with another number of threads.
    for (shard, threads) in [
        ("3/4", "2"),
        ("1/4", "1"),
        ("2/4", "2"),
        ("4/4", "1"),
        ("3/4", "1"),
    ] {
        let told = done(
            dir.path(),
            &[
                "run",
                "my-link.toml",
                "--shard",
                shard,
                "--threads",
                threads,
            ],
        );
        assert!(
            told.contains("skywave merge runs/my-link.shard-*"),
            "{told}"
        );
    }
    let dirs: Vec<String> = (1..=4)
        .map(|n| format!("runs/my-link.shard-{n}-of-4"))
        .collect();
    let mut merge = vec!["merge"];
    merge.extend(dirs.iter().map(String::as_str));
    for _ in 0..2 {
        let table = done(dir.path(), &merge);
        assert!(
            table.ends_with("Data:   runs/my-link/results.parquet\n"),
            "{table}"
        );
        check(dir.path(), &expected);
    }
    // And so they do elsewhere, where only the shards are.
    fs::remove_dir_all(dir.path().join("runs/my-link")).expect("removed");
    fs::remove_file(dir.path().join("my-link.toml")).expect("removed");
    done(dir.path(), &merge);
    for (name, expected) in LEFT.iter().zip(&expected).take(5) {
        let now = fs::read(dir.path().join("runs/my-link").join(name)).expect(name);
        assert!(now == *expected, "{name} is another one");
    }
}

#[test]
fn what_cannot_be_merged_is_named() {
    let (dir, _) = folder();
    for shard in ["1/4", "2/4", "4/4"] {
        done(dir.path(), &["run", "my-link.toml", "--shard", shard]);
    }
    let refused = |dirs: &[&str]| {
        let output = skywave(dir.path(), &[&["merge"], dirs].concat());
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(text(&output.stdout), "");
        assert!(!dir.path().join("runs/my-link").exists());
        text(&output.stderr)
    };
    let (one, two, four) = (
        "runs/my-link.shard-1-of-4",
        "runs/my-link.shard-2-of-4",
        "runs/my-link.shard-4-of-4",
    );
    assert_eq!(
        refused(&[one, four, two]),
        "skywave: missing: shard 3 of 4\n"
    );
    assert_eq!(
        refused(&[one, two, four, two]),
        format!("skywave: shard 2/4 is there twice: {two} and {two}\n")
    );
    // A shard of another version of the scenario.
    let other = SWEEP.replace("seeds = 3", "seeds = 4");
    fs::write(dir.path().join("my-link.toml"), other).expect("written");
    done(dir.path(), &["run", "my-link.toml", "--shard", "3/4"]);
    let three = "runs/my-link.shard-3-of-4";
    let told = refused(&[one, two, three, four]);
    assert!(
        told.starts_with(&format!(
            "skywave: {one} and {three} do not belong together: two versions of the scenario, "
        )),
        "{told}"
    );
    let told = refused(&[".", one]);
    assert_eq!(
        told,
        "skywave: .: it has no shard.json; expected a directory that `skywave run --shard` has made\n"
    );
    let wrong = skywave(dir.path(), &["run", "my-link.toml", "--shard", "5/4"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("from 1/64 to 64/64"));
}

#[test]
fn an_edited_result_is_told_of_and_made_again() {
    let (dir, expected) = folder();
    done(dir.path(), &["run", "my-link.toml"]);
    let path = dir.path().join("runs/my-link/runs.jsonl");
    let journal = fs::read_to_string(&path).expect("the journal");
    let line = journal.lines().nth(4).expect("a line");
    let (before, after) = line.split_once("\"goodput_bps\":").expect("a goodput");
    let edited = format!("{before}\"goodput_bps\":9{}", &after[1..]);
    assert_ne!(edited, line);
    fs::write(&path, journal.replace(line, &edited)).expect("written");
    let output = skywave(dir.path(), &["run", "my-link.toml", "--quiet"]);
    assert!(output.status.success());
    assert_eq!(
        text(&output.stderr),
        "note: runs/my-link/runs.jsonl: line 5 is not as written; its run is made again\n"
    );
    check(dir.path(), &expected);
}

#[test]
fn the_loop_of_the_documentation_runs_and_merges_all_shards() {
    let (dir, expected) = folder();
    sh(dir.path(), &script("for shard in"), &[]);
    check(dir.path(), &expected);
}

#[test]
fn the_call_of_gnu_parallel_in_the_documentation_runs_and_merges_all_shards() {
    let (dir, expected) = folder();
    // What GNU parallel does with these arguments, one command after the other.
    let parallel = "#!/bin/sh\nset -e\nwhile read -r n; do\n  \
                    sh -c \"$(printf '%s ' \"$@\" | sed \"s/{}/$n/g\")\" </dev/null\ndone\n";
    let bin = dir.path().join("bin");
    fs::create_dir(&bin).expect("a folder");
    let file = bin.join("parallel");
    fs::write(&file, parallel).expect("written");
    sh(dir.path(), "chmod +x bin/parallel", &[]);
    sh(dir.path(), &script("| parallel"), &[]);
    check(dir.path(), &expected);
}

#[test]
fn the_script_for_slurm_in_the_documentation_runs_a_shard() {
    let (dir, expected) = folder();
    let task = script("#SBATCH");
    assert!(task.contains("#SBATCH --array=1-8\n"));
    for number in 1..=8 {
        let number = number.to_string();
        let variables = [
            ("SLURM_ARRAY_TASK_ID", number.as_str()),
            ("SLURM_CPUS_PER_TASK", "2"),
        ];
        sh(dir.path(), &task, &variables);
    }
    let merge = script("sbatch --parsable");
    let merge = merge.split('"').rev().nth(1).expect("the command");
    sh(dir.path(), merge, &[]);
    check(dir.path(), &expected);
}

#[test]
fn a_million_threads_are_refused_before_anything_runs() {
    let (dir, _) = folder();
    let output = skywave(dir.path(), &["run", "my-link.toml", "--threads", "1000000"]);
    assert_eq!(output.status.code(), Some(2));
    let told = text(&output.stderr);
    assert!(
        told.contains("expected a whole number from 1 to "),
        "{told}"
    );
    assert!(!dir.path().join("runs").exists());
}

#[test]
fn a_scenario_that_is_called_as_the_folder_above_writes_nothing_there() {
    let (dir, _) = folder();
    fs::rename(dir.path().join("my-link.toml"), dir.path().join("...toml")).expect("renamed");
    let output = skywave(dir.path(), &["run", "...toml", "--out", "runs/deep"]);
    assert_eq!(output.status.code(), Some(2));
    let told = text(&output.stderr);
    assert!(
        told.contains("\"..\" cannot be the name of a scenario"),
        "{told}"
    );
    assert!(!dir.path().join("runs").exists());
}

#[test]
fn a_check_says_what_a_run_takes() {
    let (dir, _) = folder();
    let told = done(dir.path(), &["check", "my-link.toml"]);
    let (runs, estimate) = told.split_once("; ").expect("an estimate");
    assert_eq!(runs, "my-link.toml: 9 runs (3 points, 3 seeds)");
    assert!(estimate.starts_with("about a second on "), "{estimate}");
    assert!(estimate.contains(" kB on the disk, ") && estimate.ends_with(" MB of memory\n"));
}

#[test]
fn what_takes_more_memory_than_it_may_is_refused_with_its_key() {
    let (dir, _) = folder();
    let refused = |more: &[&str]| {
        let args = [&["run", "my-link.toml", "--threads", "1"], more].concat();
        let output = skywave(dir.path(), &args);
        assert_eq!(output.status.code(), Some(2));
        assert!(!dir.path().join("runs").exists());
        text(&output.stderr)
    };
    let told = refused(&["--memory", "1MB"]);
    assert!(
        told.contains("most of it for the runs (`seeds` in [run] times the points of [sweep])")
            && told.ends_with("expected at most 1.0 MB (--memory raises it)\n"),
        "{told}"
    );
    let fast = SWEEP.replace("1Mbps", "100Gbps").replace("2s", "10000s");
    fs::write(dir.path().join("my-link.toml"), fast).expect("written");
    // Whatever memory the machine has.
    let told = refused(&["--series"]);
    assert!(
        told.contains("most of it for time series (`series` in [run], or --series)"),
        "{told}"
    );
    // The limit is the user's.
    fs::write(dir.path().join("my-link.toml"), SWEEP).expect("written");
    done(dir.path(), &["run", "my-link.toml", "--memory", "1GB"]);
}

#[test]
fn a_shard_in_use_stays_what_it_is() {
    let (dir, _) = folder();
    let shard = ["run", "my-link.toml", "--shard", "1/2"];
    done(dir.path(), &shard);
    let there = dir.path().join("runs/my-link.shard-1-of-2");
    let files = ["shard.json", "scenario.toml", ".scenario-path"];
    let read = || files.map(|name| fs::read(there.join(name)).expect(name));
    let before = read();
    // Another run goes on there, and the scenario has become another one.
    let lock = fs::File::open(there.join(".lock")).expect("the lock");
    lock.lock().expect("locked");
    let other = SWEEP.replace("seeds = 3", "seeds = 4");
    fs::write(dir.path().join("my-link.toml"), other).expect("written");
    let output = skywave(dir.path(), &shard);
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stderr);
    assert!(told.contains("is in use by another run"), "{told}");
    assert!(read() == before, "the shard says that it is another one");
    drop(lock);
    done(dir.path(), &shard);
    assert!(read() != before);
}

/// A scenario that may be much larger than it looks.
fn refused(dir: &Path, scenario: &str, memory: &str, more: &[&str]) -> String {
    fs::write(dir.join("large.toml"), scenario).expect("written");
    let args = [
        &["run", "large.toml", "--threads", "1", "--memory", memory],
        more,
    ]
    .concat();
    let output = skywave(dir, &args);
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(!dir.join("runs/large").exists());
    told
}

#[test]
fn the_key_is_named_that_makes_a_scenario_too_large() {
    let dir = tempfile::tempdir().expect("a directory");
    let (link, rest) = SWEEP.split_once("[[flow]]").expect("a flow");
    let (flow, run) = rest.split_once("[run]").expect("a run");
    let flows: String = (0..10)
        .map(|n| format!("[[flow]]{flow}count = 10_000\n").replace("bulk", &format!("bulk{n}")))
        .collect();
    let told = refused(
        dir.path(),
        &format!("{link}{flows}[run]{run}"),
        "500MB",
        &[],
    );
    assert!(
        told.contains("most of it for flows and links (`count`)"),
        "{told}"
    );
    let fast = SWEEP.replace("1Mbps", "10Gbps").replace("2s", "60s");
    let told = refused(dir.path(), &fast, "6GB", &["--series"]);
    assert!(
        told.contains("most of it for time series (`series` in [run], or --series)"),
        "{told}"
    );
    // 998,560 runs, as many as may be.
    let seeds: Vec<String> = (0..9985)
        .map(|n| format!("{:.5}", f64::from(n) * 1e-5))
        .collect();
    let many = SWEEP.replace("[0.0, 0.01, 0.02]", &format!("[{}]", seeds.join(", ")));
    let many = many.replace("seeds = 3", "seeds = 100");
    let told = refused(dir.path(), &many, "200MB", &[]);
    assert!(
        told.contains("most of it for the runs (`seeds` in [run] times the points of [sweep])"),
        "{told}"
    );
}
