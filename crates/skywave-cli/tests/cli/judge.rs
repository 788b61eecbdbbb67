//! `skywave judge` as a user meets it.

use std::fs;
use std::path::Path;

use crate::common::{skywave, text};

/// The set that docs/judge.md shows.
fn cases() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/own-cases");
    folder.display().to_string()
}

#[test]
fn a_card_is_printed_and_left_and_fails_only_where_that_is_wished() {
    let dir = tempfile::tempdir().expect("a directory");
    let cases = cases();
    let judge = ["judge", "bbr3", "--set", &cases];
    let output = skywave(dir.path(), &judge);
    assert_eq!(output.status.code(), Some(0));
    let card = text(&output.stdout);
    assert!(card.starts_with("bbr3: 3 pass, 1 fail\n"), "{card}");
    assert!(card.contains("  leaves-room  fail          0.0"), "{card}");
    assert!(card.contains("asked ≥ 0.33; from 10."), "{card}");
    assert!(card.contains("Card: runs/judge/bbr3/card.html"), "{card}");
    let left = fs::read_to_string(dir.path().join("runs/judge/bbr3/card.json"));
    let left: serde_json::Value = serde_json::from_str(&left.expect("it is there")).expect("JSON");
    assert_eq!(left["sets"][0]["cases"][3]["wrong"]["scenario"], "marks");

    // What was run is used again, and the card is the same.
    let again = skywave(dir.path(), &[&judge[..], &["--strict"]].concat());
    assert_eq!(again.status.code(), Some(1));
    assert_eq!(text(&again.stdout), card);
    let told = text(&again.stderr);
    let sentence = "skywave: 1 case failed: bbr3: own-cases/leaves-room\n";
    assert!(told.ends_with(sentence), "{told}");

    let lines = skywave(dir.path(), &[&judge[..], &["--json"]].concat());
    let lines: Vec<serde_json::Value> = text(&lines.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let standings: Vec<&str> = lines
        .iter()
        .filter_map(|line| line["standing"].as_str())
        .collect();
    assert_eq!(standings, ["pass", "pass", "pass", "fail"]);
}

#[test]
fn several_laws_are_one_table_and_a_composition_has_a_folder_of_its_own() {
    let dir = tempfile::tempdir().expect("a directory");
    let law = "{ preset = \"reno\", recovery = \"sack\" }";
    let output = skywave(dir.path(), &["judge", "quic-cubic", law, "--set", &cases()]);
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{printed}");
    let table = printed.rsplit("\n\n").nth(1).unwrap_or_default();
    assert!(table.contains("\n  quic-cubic "), "{printed}");
    assert!(table.contains("\n  reno, recovery sack  "), "{printed}");
    for left in ["reno-recovery-sack", "quic-cubic", "several"] {
        assert!(
            dir.path()
                .join("runs/judge")
                .join(left)
                .join("card.html")
                .is_file()
        );
    }
}

#[test]
fn what_is_no_law_or_no_set_is_told_before_anything_runs() {
    let dir = tempfile::tempdir().expect("a directory");
    fs::create_dir(dir.path().join("empty")).expect("a folder");
    let cases = cases();
    for (args, sentence) in [
        (
            vec!["cubbic", "--set", &cases],
            "unknown transport `cubbic`",
        ),
        (
            vec!["cubic", "--set", "empty"],
            "a folder without claims.toml is no set of cases",
        ),
        (
            vec!["cubic", "--set", "emptyy"],
            "there is no set of cases `emptyy`",
        ),
        (
            vec!["cubic", "reno", "cubic", "--set", &cases],
            "two laws have the name `cubic`",
        ),
        (vec!["--all", "cubic"], "cannot be used with"),
        (vec![], "required arguments were not provided"),
    ] {
        let args = [&["judge"], args.as_slice()].concat();
        let output = skywave(dir.path(), &args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let told = text(&output.stderr);
        assert!(told.contains(sentence), "{args:?}: {told}");
    }
    assert!(!dir.path().join("runs").exists());
    let list = skywave(dir.path(), &["judge", "--list", "--set", &cases]);
    let list = text(&list.stdout);
    assert!(
        list.contains("\n  answers-marks   The queue that marks has"),
        "{list}"
    );
}
