//! The first ten minutes of a newcomer: what the bare command says, a scenario to start from, shell
//! completions and manual pages, a paper of one's own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::common::{skywave, text};

const KINDS: [&str; 5] = [
    "point-to-point",
    "bottleneck",
    "trace",
    "wifi",
    "asymmetric",
];

fn done(output: &Output) -> String {
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

/// Names of what is in a folder, in order.
fn names(dir: &Path) -> Vec<String> {
    let files = fs::read_dir(dir).expect("a folder");
    let mut names: Vec<String> = files
        .map(|file| {
            file.expect("a file")
                .file_name()
                .into_string()
                .expect("a name")
        })
        .collect();
    names.sort();
    names
}

/// A folder of the repository.
fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}

#[test]
fn every_template_is_right_and_runs_by_the_command_that_is_printed() {
    for kind in KINDS {
        let dir = tempfile::tempdir().expect("a directory");
        let said = done(&skywave(dir.path(), &["new", "my-link", "--kind", kind]));
        let mut expected = vec!["my-link.toml".to_owned()];
        if kind == "trace" {
            expected.insert(0, "my-link.down".to_owned());
        }
        assert_eq!(names(dir.path()), expected);
        let scenario = fs::read_to_string(dir.path().join("my-link.toml")).expect("a file");
        let schema = repository("schema/scenario.schema.json");
        let schema = fs::read(schema).expect("the schema");
        let schema: serde_json::Value = serde_json::from_slice(&schema).expect("JSON");
        let address = schema["$id"].as_str().expect("an address");
        assert!(scenario.starts_with(&format!("#:schema {address}\n")));
        done(&skywave(dir.path(), &["check", "my-link.toml"]));
        let next = said.lines().last().expect("a line");
        let words: Vec<&str> = next.split_whitespace().collect();
        assert_eq!(words, ["skywave", "run", "my-link.toml"]);
        let table = done(&skywave(dir.path(), &words[1..]));
        assert!(table.contains("Goodput"), "{kind}: {table}");
        assert!(dir.path().join("runs/my-link/report.html").exists());
    }
}

#[test]
fn a_new_scenario_takes_the_place_of_nothing() {
    let dir = tempfile::tempdir().expect("a directory");
    let there = dir.path().join("mine.toml");
    fs::write(&there, "precious").expect("written");
    for args in [
        &["new", "mine"][..],
        &["new", "mine.toml", "--kind", "trace"],
    ] {
        let refused = skywave(dir.path(), args);
        assert_eq!(refused.status.code(), Some(2));
        assert_eq!(
            text(&refused.stderr),
            "skywave: mine.toml: it is there already, and stays as it is; choose another name\n"
        );
    }
    // An existing trace is not overwritten either.
    fs::write(dir.path().join("road.down"), "precious").expect("written");
    let refused = skywave(dir.path(), &["new", "road", "--kind", "trace"]);
    assert!(text(&refused.stderr).starts_with("skywave: road.down: "));
    assert_eq!(names(dir.path()), ["mine.toml", "road.down"]);
    assert_eq!(fs::read_to_string(&there).expect("there"), "precious");

    let nowhere = skywave(dir.path(), &["new", "no/such/folder"]);
    assert_eq!(nowhere.status.code(), Some(1));
    assert_eq!(
        text(&nowhere.stderr),
        "skywave: cannot write no/such/folder.toml: there is no folder no/such\n"
    );
}

#[test]
fn a_new_scenario_may_have_any_name_and_place() {
    let dir = tempfile::tempdir().expect("a directory");
    fs::create_dir(dir.path().join("paths")).expect("a folder");
    let name = "paths/a \"fast\" link v1.2";
    let said = done(&skywave(dir.path(), &["new", name, "--kind", "trace"]));
    assert!(
        said.contains(&format!("skywave run '{name}.toml'")),
        "{said}"
    );
    let file = format!("{name}.toml");
    done(&skywave(dir.path(), &["check", &file]));
    assert!(dir.path().join(format!("{name}.down")).exists());
}

#[test]
fn a_new_scenario_has_a_name() {
    let dir = tempfile::tempdir().expect("a directory");
    for name in ["", "..", ".toml"] {
        let out = skywave(dir.path(), &["new", name]);
        assert_eq!(out.status.code(), Some(2), "{name:?}");
    }
    assert_eq!(fs::read_dir(dir.path()).expect("a folder").count(), 0);
}

#[test]
fn every_shell_is_given_completions_for_every_verb() {
    let dir = tempfile::tempdir().expect("a directory");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = done(&skywave(dir.path(), &["completions", shell]));
        for word in ["reproduce", "completions", "kind"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    // Papers and all, experiments, sets: by the words that bash is given.
    let script = done(&skywave(dir.path(), &["completions", "bash"]));
    for words in [" cerl dcr ", " fig7a ", " dcr-lockstep "] {
        assert!(script.contains(words), "{words}");
    }
    let other = skywave(dir.path(), &["completions", "dos"]);
    assert_eq!(other.status.code(), Some(2));
}

#[test]
fn there_is_a_manual_page_for_each_verb() {
    let dir = tempfile::tempdir().expect("a directory");
    let page = done(&skywave(dir.path(), &["manual"]));
    assert!(
        page.contains(".TH skywave 1") && page.contains("skywave\\-reproduce(1)"),
        "{page}"
    );
    let told = done(&skywave(dir.path(), &["manual", "--into", "man/man1"]));
    let pages = names(&dir.path().join("man/man1"));
    assert_eq!(told.lines().count(), pages.len());
    let help = text(&skywave(dir.path(), &["--help"]).stdout);
    let verbs = help.lines().take_while(|line| *line != "Options:");
    let mut expected: Vec<String> = verbs
        .filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next())
        .filter(|verb| *verb != "help")
        .map(|verb| format!("skywave-{verb}.1"))
        .collect();
    expected.push("skywave.1".to_owned());
    expected.sort();
    assert_eq!(pages, expected);
    let run = fs::read_to_string(dir.path().join("man/man1/skywave-run.1")).expect("a page");
    let alone = done(&skywave(dir.path(), &["manual", "run"]));
    assert_eq!(alone, run);
    for (page, name) in [(&page, "skywave"), (&run, "skywave-run")] {
        let title = page
            .lines()
            .find(|line| line.starts_with(".TH "))
            .expect("a title");
        let version = skywave_lab::experiment::ENGINE;
        assert_eq!(title, format!(".TH {name} 1 \" \" \"{version}\" "));
    }
    let examples = ".SH EXAMPLES\n.nf\n  skywave run experiments/cerl/fig7a.toml\n";
    assert!(run.contains(examples), "{run}");
}

#[test]
fn a_split_flow_is_told_from_end_to_end_in_the_terminal_too() {
    let dir = tempfile::tempdir().expect("a directory");
    let run = |proxy: &str| {
        let text = format!(
            "[[link]]\nbetween = [\"a\", \"b\"]\nrate = \"2Mbps\"\ndelay = \"9ms\"\n[[link]]\nbetween = [\"b\", \
             \"c\"]\nrate = \"1Mbps\"\ndelay = \"9ms\"\n[[flow]]\nname = \"f\"\nfrom = \"a\"\nto = \"c\"\n{proxy}\n\
             [run]\nduration = \"2s\"\n"
        );
        fs::write(dir.path().join("split.toml"), text).expect("written");
        done(&skywave(dir.path(), &["run", "split.toml"]))
    };
    let split = run("proxy = { at = \"b\" }");
    let tables = split.split_once("\nProxies\n").expect("a table");
    assert!(tables.0.contains("f.near"), "{split}");
    assert!(tables.1.contains("\n f "), "{split}");
    assert!(!run("").contains("Proxies"));
}

#[test]
fn plots_of_a_report_fit_a_narrow_screen() {
    let dir = tempfile::tempdir().expect("a directory");
    done(&skywave(dir.path(), &["new", "link"]));
    done(&skywave(dir.path(), &["run", "link.toml"]));
    let page = fs::read_to_string(dir.path().join("runs/link/report.html")).expect("a page");
    // As high as its width makes it, at any width: nothing to scroll.
    assert!(page.contains("figure svg{display:block;max-width:100%;height:auto}"));
    assert!(!page.contains("svg{max-width:none}"));
    assert!(page.contains("viewBox=\"0 0 "));
}

#[test]
fn the_version_names_the_engine_that_reports_name() {
    let dir = tempfile::tempdir().expect("a directory");
    let version = done(&skywave(dir.path(), &["--version"]));
    let engine = skywave_lab::experiment::ENGINE;
    assert_eq!(version, format!("{engine}\n"));
    assert!(version.starts_with(concat!("skywave ", env!("CARGO_PKG_VERSION"), "+")));
}

#[test]
fn results_without_chance_or_with_one_seed_come_with_a_warning() {
    let dir = tempfile::tempdir().expect("a directory");
    done(&skywave(dir.path(), &["new", "link"]));
    let file = dir.path().join("link.toml");
    let scenario = fs::read_to_string(&file).expect("there");
    let run = |text: String| {
        fs::write(&file, text).expect("written");
        done(&skywave(dir.path(), &["run", "link.toml"]))
    };
    // Three of the twelve points are those of the three variants without losses.
    let some = run(scenario.clone());
    assert!(
        some.contains("Warning: 3 of 12 points have the same result"),
        "{some}"
    );
    let one = run(scenario.replace("seeds = 5", "seeds = 1"));
    assert!(
        one.contains("Warning: no interval can be computed from one seed"),
        "{one}"
    );
    let chance = run(scenario.replace("[0.0, 0.001, ", "[0.001, "));
    assert!(!chance.contains("Warning"), "{chance}");

    // The ranking names the path on which this happens.
    let (path, _) = scenario.split_once("# Every combination").expect("a sweep");
    let path = path.replace("name = \"download\"", "name = \"test\"");
    fs::write(dir.path().join("path.toml"), path).expect("written");
    let study = "title = \"Two paths\"\npresets = [\"reno\", \"cerl\"]\n\n\
        [[path]]\nname = \"lossy\"\nkind = \"lossy\"\nscenario = \"path.toml\"\n\n\
        [[path]]\nname = \"clean\"\nkind = \"clean\"\nscenario = \"path.toml\"\n\
        set = { \"link.radio.loss.forward.iid\" = 0.0 }\n";
    fs::write(dir.path().join("study.toml"), study).expect("written");
    let ranking = done(&skywave(dir.path(), &["rank", "study.toml"]));
    assert!(
        ranking.contains("Path clean: Warning: all points have the same result"),
        "{ranking}"
    );
    assert!(!ranking.contains("Path lossy: Warning"), "{ranking}");
}

#[test]
fn a_paper_of_ones_own_is_checked_and_reproduced_from_its_folder() {
    let dir = tempfile::tempdir().expect("a directory");
    let paper = dir.path().join("my-paper");
    fs::create_dir(&paper).expect("a folder");
    let page = fs::read_to_string(repository("docs/own-paper.md")).expect("a page");
    for file in ["claims.toml", "loss.toml"] {
        let text = fs::read_to_string(repository("examples/own-paper").join(file)).expect(file);
        // The page shows the files that this test uses.
        assert!(page.contains(&format!("```toml\n{text}```")), "{file}");
        fs::write(paper.join(file), text).expect("written");
    }
    let runs = "30 runs (a paper: 3 claims, 1 experiment)";
    for path in ["my-paper", "./my-paper/", "my-paper/claims.toml"] {
        let said = done(&skywave(dir.path(), &["check", path]));
        assert_eq!(said, format!("{path}: {runs}\n"));
    }
    let here = done(&skywave(&paper, &["check", "claims.toml", "."]));
    assert_eq!(here, format!("claims.toml: {runs}\n.: {runs}\n"));

    let json = done(&skywave(dir.path(), &["reproduce", "./my-paper", "--json"]));
    let verdicts: Vec<String> = json
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("an object"))
        .map(|claim| format!("{}: {}", claim["claim"], claim["verdict"]))
        .collect();
    assert_eq!(
        verdicts,
        [
            "\"falls-with-loss\": \"reproduced\"",
            "\"at-least-half\": \"reproduced\"",
            "\"battery\": \"not testable\"",
        ]
    );
    let card = dir.path().join("runs/my-paper/scorecard.html");
    let whole = fs::read_to_string(&card).expect("a scorecard");
    let said = done(&skywave(
        &paper,
        &["reproduce", ".", "--only", "loss", "--out", "../runs"],
    ));
    let line = "Scorecard: ../runs/my-paper/scorecard-loss.html (of loss only)\n";
    assert!(said.contains(line), "{said}");
    // The scorecard of the whole paper is unchanged.
    assert_eq!(fs::read_to_string(&card).expect("a scorecard"), whole);
    assert_ne!(
        fs::read_to_string(card.with_file_name("scorecard-loss.html")).expect("a scorecard"),
        whole
    );
    assert!(card.with_file_name("scorecard-loss.md").exists());
}

#[test]
fn a_mistake_in_a_paper_of_ones_own_is_shown_with_its_place() {
    let dir = tempfile::tempdir().expect("a directory");
    for file in ["claims.toml", "loss.toml"] {
        let text = fs::read_to_string(repository("examples/own-paper").join(file)).expect(file);
        let text = text.replace(
            "{ variant = \"newreno\", loss",
            "{ variant = \"newrino\", loss",
        );
        fs::write(dir.path().join(file), text).expect("written");
    }
    for args in [["check", "claims.toml"], ["reproduce", "."]] {
        let wrong = skywave(dir.path(), &args);
        assert_eq!(wrong.status.code(), Some(2));
        let message = text(&wrong.stderr);
        assert!(message.contains("claim `at-least-half`"), "{message}");
        // The line, with the mistake underlined.
        let place = message.split_once("claims.toml:").expect("a place").1;
        assert!(place.starts_with("31:"), "{message}");
        let mut lines = place.lines().skip_while(|line| !line.contains("newrino"));
        assert!(lines.next().is_some(), "{message}");
        assert!(
            lines.next().is_some_and(|line| line.contains("┬")),
            "{message}"
        );
    }
    fs::remove_file(dir.path().join("claims.toml")).expect("removed");
    let none = skywave(dir.path(), &["reproduce", "."]);
    assert_eq!(none.status.code(), Some(2));
    assert!(text(&none.stderr).contains("claims.toml: No such file"));
}
