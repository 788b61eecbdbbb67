//! `skywave script`: what it prints, and its exit codes.

use std::fs;
use std::path::Path;

use crate::common::{skywave, text};

const PASSES: &str = "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+0 bind(3, ..., ...) = 0\n";
const FAILS: &str = "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+0 close(4) = 0\n";
const SKIPPED: &str = "0 `reboot`\n";
const UNREADABLE: &str = "0 socket(\n";

fn folder(scripts: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    let inside = dir.path().join("scripts");
    fs::create_dir(&inside).expect("made");
    for (name, text) in scripts {
        fs::write(inside.join(name), text).expect("written");
    }
    dir
}

fn run(dir: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output = skywave(dir, &[&["script", "scripts"], arguments].concat());
    (output.status.code(), text(&output.stdout))
}

#[test]
fn verdicts_are_told_and_counted() {
    let dir = folder(&[("a.pkt", PASSES), ("b.pkt", SKIPPED), ("no-script", "")]);
    let (code, told) = run(dir.path(), &[]);
    assert_eq!(code, Some(0));
    assert_eq!(
        told,
        "scripts/a.pkt: passed\n\
         scripts/b.pkt:1:1: skipped: not modelled: shell line (reboot)\n\
         2 scripts: 1 passed, 0 failed, 1 skipped\n  skipped    1: shell line\n"
    );
}

#[test]
fn a_failure_has_its_place_and_exit_code_1() {
    let dir = folder(&[("a.pkt", PASSES), ("b.pkt", FAILS)]);
    let (code, told) = run(dir.path(), &["--failed"]);
    assert_eq!(code, Some(1));
    let line = "scripts/b.pkt:2:1: failed: expected close = 0; got close = -1 EBADF\n";
    assert!(told.starts_with(line), "{told}");
    let (code, _) = run(dir.path(), &["--system", "freebsd"]);
    assert_eq!(code, Some(1));
    let (code, told) = run(dir.path(), &["--json"]);
    assert_eq!(code, Some(1));
    let last: serde_json::Value =
        serde_json::from_str(told.lines().last().expect("a line")).expect("JSON");
    assert_eq!(last["verdict"], "failed");
    assert_eq!(last["line"], 2);
}

#[test]
fn what_cannot_be_read_has_exit_code_2() {
    let dir = folder(&[("a.pkt", UNREADABLE)]);
    let (code, told) = run(dir.path(), &[]);
    assert_eq!(code, Some(2));
    assert!(told.contains("a.pkt:2:1: not understood"), "{told}");
    let output = skywave(dir.path(), &["script", "scripts", "--tcp", "nothing"]);
    assert_eq!(output.status.code(), Some(2));
    let told = text(&output.stderr);
    assert!(told.contains("without --tcp it is linux)"), "{told}");
    let output = skywave(dir.path(), &["script", "no-such-file.pkt"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn nothing_at_all_does_not_pass() {
    let dir = folder(&[("no-script", "")]);
    let output = skywave(dir.path(), &["script", "scripts"]);
    assert_eq!(output.status.code(), Some(2));
    let told = text(&output.stderr);
    assert!(told.contains("scripts: there is no script in it"), "{told}");
    for empty in ["", "\n// 0 `reboot`\n", "--ip_version=ipv4\n"] {
        let dir = folder(&[("a.pkt", empty), ("b.pkt", PASSES)]);
        let (code, told) = run(dir.path(), &[]);
        assert_eq!(code, Some(2), "{empty}: {told}");
        assert!(
            told.contains("not understood: the script ends; expected an event"),
            "{told}"
        );
    }
}
