//! Files that commands write at the user's word: which they refuse to, and that they say so before any work.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::common::{skywave, text};

/// A table of rates, as a user has it.
const TABLE: &str = "time_s,rate_mbps\n0,5\n1,9\n2,4\n3,8\n4,7\n5,3\n6,9\n7,5\n8,6\n9,8\n10,7\n";
const LINK: &str = "[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\
    [[flow]]\nname = \"f\"\nfrom = \"a\"\nto = \"b\"\ntransport = \"cubic\"\n[run]\nduration = \"1s\"\n";

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    for (name, text) in files {
        fs::write(dir.path().join(name), text).expect("written");
    }
    dir
}

/// Runs a command that has to refuse to write `file`, and leave all there as it is.
#[track_caller]
fn refused(dir: &Path, arguments: &[&str], code: i32, file: &str) {
    let state = || -> Vec<_> {
        let entries = fs::read_dir(dir).expect("a folder");
        let mut files: Vec<_> = entries.map(|entry| entry.expect("a file").path()).collect();
        files.sort();
        files
            .into_iter()
            .map(|path| (fs::read(&path).ok(), path))
            .collect()
    };
    let before = state();
    let output = skywave(dir, arguments);
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {told}");
    assert!(told.contains(&format!("{file}: ")), "{arguments:?}: {told}");
    assert!(state() == before, "{arguments:?} changed a file");
}

#[test]
fn a_record_is_never_written_over() {
    let dir = folder(&[("rec.trace", TABLE)]);
    symlink("rec.trace", dir.path().join("soft.toml")).expect("a link");
    fs::hard_link(dir.path().join("rec.trace"), dir.path().join("hard")).expect("a link");
    let diagnose = |more: &[&str], file| {
        let arguments = [&["diagnose", "rec.trace", "--no-advice"], more].concat();
        refused(dir.path(), &arguments, 2, file);
    };
    diagnose(&["--scenario", "rec.trace"], "rec.trace");
    diagnose(&["--html", "./rec.trace"], "./rec.trace");
    diagnose(&["--scenario", "soft.toml"], "soft.toml");
    diagnose(&["--html", "hard"], "hard");
    // The trace of the scenario would take its place.
    diagnose(&["--scenario", "rec.toml"], "rec.trace");
    diagnose(&["--scenario", "new", "--html", "./new"], "./new");
    // Folders that are missing are made.
    diagnose(&["--scenario", "new/a", "--html", "new/./a"], "new/./a");
    let around = "other/../new/a";
    diagnose(&["--scenario", "new/a", "--html", around], around);
    diagnose(&["--html", "new/../rec.trace"], "new/../rec.trace");
}

#[test]
fn the_trace_of_a_scenario_takes_the_place_of_its_own_only() {
    let dir = folder(&[
        ("table.csv", TABLE),
        ("up.trace", "mine"),
        ("up.toml", LINK),
    ]);
    let diagnose = |scenario| {
        [
            "diagnose",
            "table.csv",
            "--no-advice",
            "--scenario",
            scenario,
        ]
    };
    refused(dir.path(), &diagnose("up.toml"), 2, "up.trace");
    for _ in 0..2 {
        let output = skywave(dir.path(), &diagnose("new.toml"));
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(dir.path().join("new.trace").exists());
    }
}

#[test]
fn a_link_is_not_written_over_by_what_came_over_it() {
    let dir = folder(&[("l.toml", LINK)]);
    let impair = |more: &[&str], file| {
        let arguments = [&["impair", "l.toml"], more, &["--", "true"]].concat();
        refused(dir.path(), &arguments, 125, file);
    };
    impair(&["--capture", "l.toml"], "l.toml");
    impair(&["--json=./l.toml"], "./l.toml");
    impair(&["--capture", "new", "--json=new"], "new");
}

#[test]
fn a_folder_is_no_file_before_the_command_runs() {
    let dir = folder(&[("l.toml", LINK), ("rec.csv", TABLE)]);
    fs::create_dir(dir.path().join("folder")).expect("a folder");
    let impair = ["impair", "l.toml", "--json=folder", "--", "touch", "ran"];
    refused(dir.path(), &impair, 125, "folder");
    for option in ["--html", "--scenario"] {
        let diagnose = ["diagnose", "rec.csv", "--no-advice", option, "folder"];
        refused(dir.path(), &diagnose, 1, "folder");
    }
    // No folder can be in a file.
    let diagnose = ["diagnose", "rec.csv", "--html", "l.toml/page.html"];
    refused(dir.path(), &diagnose, 1, "l.toml/page.html");
}

#[test]
fn a_capture_keeps_the_headers_or_says_that_it_must() {
    let dir = folder(&[("l.toml", LINK)]);
    let impair = [
        "impair",
        "l.toml",
        "--capture",
        "x",
        "--snaplen",
        "5",
        "--",
        "true",
    ];
    refused(dir.path(), &impair, 2, "'--snaplen <BYTES>'");
}
