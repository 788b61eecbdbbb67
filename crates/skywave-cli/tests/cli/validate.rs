//! `skywave validate` as a user meets it.

use std::path::Path;
use std::process::{Command, Output};

fn validate(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_skywave"));
    command.arg("validate").args(args).current_dir(dir);
    command
}

fn output(mut command: Command) -> (Option<i32>, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().expect("the command starts");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (status.code(), text(stdout), text(stderr))
}

#[test]
fn a_set_is_printed_point_by_point_and_judged() {
    let dir = tempfile::tempdir().expect("a directory");
    let args = ["--only", "sifest", "--seeds", "2"];
    let (code, table, errors) = output(validate(dir.path(), &args));
    assert_eq!(code, Some(0), "{table}");
    assert!(table.contains("default_t0.1_da200_cbr  Tahoe    0.01  0.15"));
    assert!(table.contains("90% required: passes"), "{table}");
    assert!(table.contains(" only by overlap of intervals)"), "{table}");
    assert!(errors.contains("fewer than 5 seeds (2 here)"), "{errors}");

    // The second call reuses the runs, and prints the same in another form.
    let mut json = args.to_vec();
    json.push("--json");
    let (code, lines, _) = output(validate(dir.path(), &json));
    assert_eq!(code, Some(0));
    let parsed = lines.lines().map(serde_json::from_str);
    let mut rows: Vec<serde_json::Value> = parsed.collect::<Result<_, _>>().expect("JSON");
    let summary = rows.pop().expect("a line for the set");
    assert_eq!(rows.len(), 336);
    let count = |key: &str| rows.iter().filter(|row| row[key] == true).count();
    let (agreeing, close) = (count("agrees"), count("within_tolerance"));
    assert_eq!(summary["agreeing"], agreeing);
    assert_eq!(summary["by_tolerance"], close);
    assert_eq!(summary["by_overlap"], agreeing - close);
    assert_eq!(summary["passes"], true);
    for row in rows {
        assert_eq!(row["judged"], true);
        assert!(row["quantities"]["goodput_mbps"]["ours"].is_number());
        assert!(row["quantities"]["timeouts"]["theirs_ci95"].is_number());
    }
}

#[test]
fn a_point_for_the_live_run_is_not_left_unheard() {
    let dir = tempfile::tempdir().unwrap();
    let output = validate(dir.path(), &["--only", "cerl", "--loss", "0.02"]).output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("--loss"), "{told}");
}

#[test]
fn a_buffer_beyond_reason_is_told() {
    let dir = tempfile::tempdir().expect("a directory");
    let args = ["--live", "--buffer", "1500000000"];
    let (code, _, errors) = output(validate(dir.path(), &args));
    assert_eq!(code, Some(2));
    assert!(errors.contains("1..=1000000"), "{errors}");
}

#[test]
fn a_missing_ns_is_told() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut command = validate(dir.path(), &["--live", "--seeds", "1"]);
    command.env("PATH", dir.path());
    let (code, _, errors) = output(command);
    assert_eq!(code, Some(1));
    assert!(errors.contains("there is no `ns` here"), "{errors}");
}

/// A directory with a program `ns` that is this shell script.
#[cfg(unix)]
fn with_ns(script: &str) -> tempfile::TempDir {
    use std::os::unix::fs::PermissionsExt;

    let dir = tempfile::tempdir().expect("a directory");
    let ns = dir.path().join("ns");
    std::fs::write(&ns, format!("#!/bin/sh\n{script}\n")).expect("written");
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&ns, executable).expect("executable");
    dir
}

/// The quantities compared over a RED bottleneck, as the script for ns-2 names them.
#[cfg(unix)]
const OF_RED: &str =
    "goodput_mbps first_mbps queue_drops ecn_marks timeouts retransmits mean_queue";

/// With --ecn the queues of both simulators mark.
#[cfg(unix)]
#[test]
fn ecn_is_on_in_both_simulators() {
    for (ecn, setting) in [(true, "ecn 1"), (false, "ecn 0")] {
        let dir = with_ns(&format!(
            "echo \"$@\" > \"${{0%/*}}/settings\"; for name in {OF_RED}; do echo $name 7; done"
        ));
        let mut args = vec!["--live", "--path", "red", "--duration", "40s"];
        args.extend(["--seeds", "1", "--json"]);
        args.extend(ecn.then_some("--ecn"));
        let mut command = validate(dir.path(), &args);
        command.env("PATH", dir.path());
        let (_, lines, errors) = output(command);
        let settings = std::fs::read_to_string(dir.path().join("settings")).expect("settings");
        assert!(settings.contains(setting), "{settings}");
        let row = lines.lines().next().expect("a row");
        let row: serde_json::Value = serde_json::from_str(row).expect("JSON");
        let marks = row["quantities"]["ecn_marks"]["ours"].as_f64();
        assert_eq!(marks.map(|marks| marks > 0.0), Some(ecn), "{row} {errors}");
    }
}

/// With --only, each row is compared with what ns-2 says here instead of with the table.
#[cfg(unix)]
#[test]
fn a_set_is_compared_with_an_ns_that_runs_here() {
    let names = OF_RED;
    let dir = with_ns(&format!("for name in {names}; do echo $name 7; done"));
    let mut command = validate(
        dir.path(),
        &["--live", "--only", "ecn", "--seeds", "1", "--json"],
    );
    command.env("PATH", dir.path());
    let (_, lines, errors) = output(command);
    let parsed = lines.lines().map(serde_json::from_str);
    let rows: Vec<serde_json::Value> = parsed.collect::<Result<_, _>>().expect("JSON");
    assert_eq!(rows.len(), 13, "{errors}");
    for row in &rows[..12] {
        for name in names.split(' ') {
            assert_eq!(row["quantities"][name]["theirs"], 7.0, "{row}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_set_of_another_simulator_is_not_measured_by_ns2() {
    let dir = with_ns("exit 0");
    let mut command = validate(dir.path(), &["--live", "--only", "wifi", "--seeds", "1"]);
    command.env("PATH", dir.path());
    let (code, _, errors) = output(command);
    assert_eq!(code, Some(1));
    assert!(errors.contains("`wifi` compares with ns-3"), "{errors}");
}

/// Ctrl-C also reaches ns-2, which then ends without printing numbers.
#[cfg(unix)]
#[test]
fn an_interrupted_ns_is_no_failure_of_its_own() {
    // The first script dies of Ctrl-C; the second one ends by itself after we have received it.
    for script in ["kill -INT $$", "kill -INT $PPID; /bin/sleep 1; exit 1"] {
        let dir = with_ns(script);
        let mut command = validate(dir.path(), &["--live", "--seeds", "1"]);
        command.env("PATH", dir.path());
        let (code, _, errors) = output(command);
        assert_eq!(code, Some(130), "{script}: {errors}");
        assert!(errors.contains("interrupted"), "{errors}");
    }
}
