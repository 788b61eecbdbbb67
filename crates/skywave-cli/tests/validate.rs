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
    let args = ["--only", "sifest", "--seeds", "4"];
    let (code, table, _) = output(validate(dir.path(), &args));
    assert_eq!(code, Some(0), "{table}");
    assert!(table.contains("default_t0.1_da200_cbr  Tahoe    0.01  0.15"));
    assert!(table.contains("90% required: passes"), "{table}");

    // The second call finds the runs, and tells the same in another form.
    let mut json = args.to_vec();
    json.push("--json");
    let (code, lines, _) = output(validate(dir.path(), &json));
    assert_eq!(code, Some(0));
    assert_eq!(lines.lines().count(), 336);
    for line in lines.lines() {
        let row: serde_json::Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(row["judged"], true);
        assert!(row["quantities"]["goodput_mbps"]["ours"].is_number());
        assert!(row["quantities"]["timeouts"]["theirs_ci95"].is_number());
    }
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
