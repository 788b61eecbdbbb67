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

/// The folder of docs/own-comparison.md, as its reader writes it.
fn own_table() -> tempfile::TempDir {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/own-comparison.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let dir = tempfile::tempdir().expect("a directory");
    std::fs::create_dir(dir.path().join("my-table")).expect("a folder");
    for (language, file) in [
        ("csv", "reference.csv"),
        ("jinja", "scenario.toml.jinja"),
        ("toml", "set.toml"),
    ] {
        let (_, block) = page.split_once(&format!("```{language}\n")).expect(file);
        let (text, _) = block.split_once("```").expect("an end");
        std::fs::write(dir.path().join("my-table").join(file), text).expect("written");
    }
    dir
}

#[test]
fn a_table_of_ones_own_is_compared() {
    let dir = own_table();
    let args = ["--only", "./my-table", "--seeds", "5"];
    let (code, table, errors) = output(validate(dir.path(), &args));
    assert_eq!(code, Some(0), "{table}{errors}");
    assert!(
        table.starts_with("my-table: Reno and NewReno over"),
        "{table}"
    );
    assert!(table.contains("my-table: 4 rows, "), "{table}");
    assert!(table.contains("75% required: passes"), "{table}");
}

/// Each mistake names the file and the place, and nothing is run.
#[test]
fn mistakes_in_a_table_of_ones_own_are_told() {
    for (file, from, to, told) in [
        ("set.toml", "peer", "pear", "unknown key `pear`"),
        (
            "set.toml",
            "\"timeouts\"",
            "\"timeout\"",
            "there is no quantity `timeout`; there are goodput_mbps",
        ),
        (
            "set.toml",
            "\"q\"]",
            "\"loss\"]",
            "reference.csv, line 2: a value expected in column `loss`",
        ),
        (
            "reference.csv",
            "Newreno,0.01",
            "Vegas,0.01",
            "reference.csv, line 4: invalid operation: there is no sender `Vegas`; there are Newreno, Reno",
        ),
        (
            "reference.csv",
            "11 8 17",
            "11 x 17",
            "line 3: a number a flow and run expected in column `timeouts`",
        ),
        ("reference.csv", "Reno,0.03,", "Reno,", "line 3: "),
        (
            "scenario.toml.jinja",
            "{{ q }}",
            "{{ p }}",
            "undefined value",
        ),
        (
            "scenario.toml.jinja",
            "{{ q }}",
            "{{ q }",
            "scenario.toml.jinja: syntax error",
        ),
        (
            "scenario.toml.jinja",
            "2Mbps",
            "2Mb",
            "reference.csv, line 2",
        ),
    ] {
        let dir = own_table();
        let path = dir.path().join("my-table").join(file);
        let text = std::fs::read_to_string(&path).expect("a text");
        assert!(text.contains(from), "{from}");
        std::fs::write(&path, text.replacen(from, to, 1)).expect("written");
        let (code, table, errors) = output(validate(dir.path(), &["--only", "./my-table"]));
        assert_eq!((code, table.as_str()), (Some(2), ""), "{errors}");
        let words = errors.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(told), "{told}: {errors}");
    }
}

#[test]
fn a_point_for_the_live_run_is_not_left_unheard() {
    let dir = tempfile::tempdir().unwrap();
    for (args, told) in [
        (&["--only", "cerl", "--at", "q=0.02"][..], "--live"),
        (&["--live", "--at", "q=0.02"], "--only"),
        (
            &["--live", "--only", "cerl,dcr", "--at", "q=0.02"],
            "one set expected",
        ),
        (
            &["--live", "--only", "cerl", "--at", "q"],
            "expected COLUMN=VALUE",
        ),
        (
            &["--live", "--only", "cerl", "--at", "loss=1"],
            "a point of `cerl` has no `loss`; it has agent, Tp, B, buf, q, dur, beside",
        ),
        (
            &["--live", "--only", "cerl", "--at", "agent=reno"],
            "there is no sender `reno`",
        ),
        (
            &["--live", "--only", "cerl", "--at", "buf=1500000000"],
            "TCP's windows end at 1 GiB",
        ),
        (&["--only", "cer"], "did you mean `cerl`?"),
    ] {
        let (code, _, errors) = output(validate(dir.path(), args));
        assert_eq!(code, Some(2), "{args:?}: {errors}");
        assert!(errors.contains(told), "{told}: {errors}");
    }
}

#[test]
fn a_missing_ns_is_told() {
    let dir = tempfile::tempdir().expect("a directory");
    let args = ["--live", "--only", "cerl", "--at", "q=0.02", "--seeds", "1"];
    let mut command = validate(dir.path(), &args);
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

/// With ECN the queues of both simulators mark.
#[cfg(unix)]
#[test]
fn ecn_is_on_in_both_simulators() {
    for (ecn, point, setting) in [(true, "ecn=1", "ecn 1"), (false, "ecn=0", "ecn 0")] {
        let dir = with_ns(&format!(
            "echo \"$@\" > \"${{0%/*}}/settings\"; for name in {OF_RED}; do echo $name 7; done"
        ));
        let mut args = vec!["--live", "--only", "ecn", "--at", point, "dur=40"];
        args.extend(["--seeds", "1", "--json"]);
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
        let mut command = validate(
            dir.path(),
            &["--live", "--only", "cerl", "--at", "q=0.02", "--seeds", "1"],
        );
        command.env("PATH", dir.path());
        let (code, _, errors) = output(command);
        assert_eq!(code, Some(130), "{script}: {errors}");
        assert!(errors.contains("interrupted"), "{errors}");
    }
}

#[test]
fn the_help_names_every_set() {
    let dir = tempfile::tempdir().expect("a directory");
    let (_, help, _) = output(validate(dir.path(), &["--help"]));
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let sets = skywave_papers::validate::names().join(", ");
    assert!(
        help.contains(&format!("Only these sets: {sets}, or ")),
        "{help}"
    );
}
