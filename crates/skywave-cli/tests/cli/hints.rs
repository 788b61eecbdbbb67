//! What the command says to somebody who meant something else: the next step must be in the message.

use std::fs;
use std::path::Path;

use crate::common::{skywave, text};

/// The message that the command prints for these wrong arguments, its white space made single spaces.
fn told(dir: &Path, args: &[&str]) -> String {
    let out = skywave(dir, args);
    assert_eq!(out.status.code(), Some(2), "{args:?}");
    let words = text(&out.stderr);
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn says(dir: &Path, args: &[&str], wanted: &str) {
    let told = told(dir, args);
    assert!(told.contains(wanted), "{args:?}: {told}");
}

#[test]
fn a_file_is_found_without_its_ending() {
    let dir = tempfile::tempdir().expect("a directory");
    assert!(skywave(dir.path(), &["new", "my-link"]).status.success());
    for verb in ["run", "check"] {
        says(dir.path(), &[verb, "my-link"], "did you mean my-link.toml?");
        let other = told(dir.path(), &[verb, "your-link"]);
        assert!(!other.contains("did you mean"), "{other}");
        says(
            dir.path(),
            &[verb, "my-lnik.toml"],
            "did you mean my-link.toml?",
        );
    }
}

#[test]
fn the_papers_are_named_where_one_is_missing() {
    let dir = tempfile::tempdir().expect("a directory");
    says(
        dir.path(),
        &["reproduce"],
        "the papers are cerl, dcr, sifest",
    );
}

#[test]
fn a_value_with_a_unit_is_quoted() {
    let dir = tempfile::tempdir().expect("a directory");
    fs::write(dir.path().join("link.toml"), "a = 1%\n").expect("written");
    says(
        dir.path(),
        &["check", "link.toml"],
        "a value with a unit is text: \"1%\"",
    );
}

#[test]
fn names_are_looked_up_although_a_number_is_wrong() {
    let dir = tempfile::tempdir().expect("a directory");
    let text = "[[link]]\nbetween = [\"a\", \"b\"]\nrate = \"1Mbps\"\ndelay = 40\n[[flow]]\nfrom = \"a\"\nto = \
                \"phone\"\ntransport = \"rneo\"\n[run]\nduration = 2\n";
    fs::write(dir.path().join("link.toml"), text).expect("written");
    for wanted in [
        "`delay` must be a time",
        "`duration` must be a time",
        "there is no node `phone`",
        "unknown transport `rneo`",
    ] {
        says(dir.path(), &["check", "link.toml"], wanted);
    }
}

#[test]
fn what_another_verb_takes_is_named_with_it() {
    let dir = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| fs::write(dir.path().join(name), text).expect("written");
    fs::create_dir(dir.path().join("paper")).expect("a folder");
    write("paper/claims.toml", "title = \"A paper\"\n");
    write("study.toml", "title = \"Paths\"\n[[path]]\nname = \"a\"\n");
    says(dir.path(), &["run", "paper"], "`skywave reproduce paper`");
    let claims = "paper/claims.toml: this is the file of a paper's claims, not a scenario; it is for \
                  `skywave reproduce paper`";
    says(dir.path(), &["run", "paper/claims.toml"], claims);
    says(
        dir.path(),
        &["run", "study.toml"],
        "`skywave rank study.toml`",
    );
    fs::create_dir(dir.path().join("links")).expect("a folder");
    let files = "a folder without claims.toml is no paper; to check scenarios, name the files: links/*.toml";
    says(dir.path(), &["check", "links"], files);
}

#[test]
fn a_delay_as_long_as_the_run_is_a_warning_and_no_mistake() {
    let dir = tempfile::tempdir().expect("a directory");
    let link = |delay: &str| {
        let text = format!(
            "[[link]]\nbetween = [\"a\", \"b\"]\nrate = \"1Mbps\"\ndelay = \"{delay}\"\n[[flow]]\nfrom = \"a\"\nto \
             = \"b\"\n[run]\nduration = \"2s\"\n"
        );
        fs::write(dir.path().join("link.toml"), text).expect("written");
    };
    for verb in ["check", "run"] {
        for (delay, warns) in [("40s", true), ("40ms", false)] {
            link(delay);
            let out = skywave(dir.path(), &[verb, "link.toml"]);
            assert!(out.status.success(), "{verb} {delay}");
            let said = text(&out.stderr).contains("nothing can arrive over this link");
            assert_eq!(said, warns, "{verb} {delay}");
        }
    }
}

#[test]
fn options_that_are_elsewhere_are_pointed_at() {
    let dir = tempfile::tempdir().expect("a directory");
    for args in [
        ["run", "a.toml", "--seeds", "3"],
        ["rank", "a.toml", "--seeds", "3"],
    ] {
        let told = told(dir.path(), &args);
        assert!(
            told.contains("tip: the seeds are in the scenario: `seeds` in [run]"),
            "{told}"
        );
        assert!(!told.contains("--series"), "{told}");
    }
    says(
        dir.path(),
        &["run", "a.toml", "--threads", "0"],
        "expected a whole number from 1",
    );
    let address = "expected an address and a port, such as 0.0.0.0:4747";
    says(
        dir.path(),
        &["recv", "--listen", "9701", "--into", "a"],
        address,
    );
}

#[test]
fn options_of_the_transport_that_went_are_explained() {
    let dir = tempfile::tempdir().expect("a directory");
    let tip = "tip: files move over QUIC only";
    for option in [["--transport", "wtcp"], ["--packet", "1500"]] {
        for verb in [["send", "film"], ["recv", "--count=1"]] {
            says(dir.path(), &[verb, option].concat(), tip);
        }
    }
}

#[test]
fn a_link_by_options_is_explained() {
    let dir = tempfile::tempdir().expect("a directory");
    let link = "tip: or say what the link is: --rate 20Mbps --delay 40ms --loss 1%";
    says(dir.path(), &["impair", "--", "true"], link);
    says(dir.path(), &["impair"], link);
    let command = "tip: a command stands after `--`";
    says(dir.path(), &["impair", "--rate", "20Mbps", "true"], command);
    // Two links at once are another mistake.
    let both = told(dir.path(), &["impair", "a.toml", "--rate", "20Mbps"]);
    assert!(!both.contains("tip:"), "{both}");
    let to = ["--to", "127.0.0.1:9001"];
    let with = |option, value| [&["impair", option, value], &to[..]].concat();
    says(
        dir.path(),
        &with("--delay", "40"),
        "expected a time with its unit, as 40ms",
    );
    let way = "tip: `--delay` is one way: half of the round trip";
    says(dir.path(), &with("--rtt", "80ms"), way);
    let share = "did you mean 1%, that is 0.01? To lose all, write 100%";
    says(dir.path(), &with("--loss", "1"), share);
}

#[test]
fn the_verbs_are_named_where_a_page_of_another_one_is_wanted() {
    let dir = tempfile::tempdir().expect("a directory");
    says(dir.path(), &["manual", "man"], "there is no verb `man`");
    says(dir.path(), &["manual", "man"], "Expected one of new, ");
    says(dir.path(), &["manual", "rnu"], "Did you mean `run`?");
}

#[test]
fn the_points_of_a_sweep_are_listed_where_there_is_none_of_that_number() {
    let dir = tempfile::tempdir().expect("a directory");
    assert!(skywave(dir.path(), &["new", "my-link"]).status.success());
    let args = [
        "impair",
        "my-link.toml",
        "--point",
        "99",
        "--to",
        "127.0.0.1:9001",
    ];
    says(dir.path(), &args, "--point is from 1 to 12");
    says(dir.path(), &args, " 12: ");
}

#[test]
fn who_has_several_flows_says_whose_path_is_meant() {
    let dir = tempfile::tempdir().expect("a directory");
    let link = |name: &str, from: &str, to: &str| {
        format!(
            "[[link]]\nname = \"{name}\"\nbetween = [\"{from}\", \"{to}\"]\nrate = \"5Mbps\"\ndelay = \"20ms\"\n"
        )
    };
    let flow = |name: &str, from: &str| {
        format!(
            "[[flow]]\nname = \"{name}\"\nfrom = \"{from}\"\nto = \"c\"\ntransport = \"cubic\"\n"
        )
    };
    let text = [
        link("l", "a", "b"),
        link("k", "b", "c"),
        flow("f", "a"),
        flow("g", "b"),
    ]
    .concat();
    let file = dir.path().join("many.toml");
    fs::write(&file, text + "[run]\nduration = \"1s\"\n").expect("written");
    let said = told(dir.path(), &["diagnose", "many.toml"]);
    let several =
        "many.toml: the scenario has 2 flows: choose the one whose path is meant with --flow: f, g";
    assert!(said.contains(several), "{said}");
    let said = told(dir.path(), &["diagnose", "many.toml", "--flow", "h"]);
    assert!(
        said.contains("many.toml: the scenario has no flow `h`; it has f, g"),
        "{said}"
    );
}
