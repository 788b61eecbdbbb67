//! Reading studies, and a tiny one from its file to its tables.

use std::path::Path;

use super::{STUDY, study_in};
use crate::file::FileError;
use crate::rank::{
    RankError, Study, builtin, evaluate, html, json_lines, load, table, write_ranking,
};
use skywave_lab::experiment::{RunOptions, run_all, simulate};

/// Everything that a study with this many threads prints and writes.
fn outputs(study: &Study, threads: usize) -> (String, String, String, Vec<u8>) {
    let options = RunOptions {
        threads: Some(threads),
        ..RunOptions::default()
    };
    let results = run_all(&study.scenarios, &options, simulate).unwrap();
    let ranked = evaluate(study, &results);
    let mut parquet = Vec::new();
    write_ranking(&mut parquet, study, &ranked).unwrap();
    (
        table(study, &ranked, 120, 30),
        json_lines(study, &ranked),
        html(study, &ranked, "skywave rank tiny.toml").unwrap(),
        parquet,
    )
}

#[test]
fn a_tiny_study_from_file_to_table() {
    let dir = tempfile::tempdir().unwrap();
    let study = study_in(dir.path(), STUDY).unwrap();
    let (text, json, page, parquet) = outputs(&study, 1);
    insta::assert_snapshot!("tiny", text);
    assert_eq!(json.lines().count(), study.entries.len());
    assert!(page.contains("two in a hundred") && !page.contains("<script"));
    // Nothing is fetched: the only address names the format of the plots.
    assert!(
        !page
            .replace("http://www.w3.org/2000/svg", "")
            .contains("://")
    );
    for threads in [2, 5] {
        let again = outputs(&study, threads);
        assert!(again == (text.clone(), json.clone(), page.clone(), parquet.clone()));
    }
}

#[test]
fn a_composition_that_is_a_preset_takes_part_once() {
    let dir = tempfile::tempdir().unwrap();
    let study = study_in(dir.path(), STUDY).unwrap();
    let labels: Vec<&str> = study.entries.iter().map(|e| e.label.as_str()).collect();
    assert_eq!(labels, ["reno", "cerl", "reno + sack", "cerl + sack"]);
    assert_eq!(study.proposed, Some(3));
    assert_eq!(study.paths[2].baseline, Some(0));
    assert_eq!(study.name, "tiny");
}

#[test]
fn what_a_scenario_cannot_run_is_left_out_and_said() {
    let dir = tempfile::tempdir().unwrap();
    let no_sack = STUDY.replace(
        "scenario = \"pair.toml\"",
        "scenario = \"pair.toml\"\nset = { \"flow.test.tcp.sack\" = false }",
    );
    let no_sack = no_sack.replace("cerl + sack", "cerl");
    let study = study_in(dir.path(), &no_sack).unwrap();
    let labels: Vec<&str> = study.entries.iter().map(|e| e.label.as_str()).collect();
    assert_eq!(labels, ["reno", "cerl"]);
    let out: Vec<&str> = study.left_out.iter().map(|(l, _)| l.as_str()).collect();
    assert_eq!(out, ["reno + sack", "cerl + sack"]);
    assert!(
        study.left_out[0].1.contains("selective"),
        "{:?}",
        study.left_out
    );
}

#[test]
fn every_mistake_is_told_with_its_place() {
    let dir = tempfile::tempdir().unwrap();
    let error = |from: &str, to: &str| {
        assert!(STUDY.contains(from), "{from}");
        let error = study_in(dir.path(), &STUDY.replacen(from, to, 1)).unwrap_err();
        let root = format!("{}/", dir.path().display());
        let text = error.to_string().replace(&root, "");
        // Presets are added now and then.
        match text.split_once("; there are tahoe, ") {
            Some((before, _)) => format!("{before}; there are …"),
            None => text,
        }
    };
    let errors = [
        error("title = ", "titel = "),
        error("presets = [\"reno\",", "presets = [\"rino\","),
        error("kind = \"lossy\"", "kind = \"foggy\""),
        error("name = \"clean\"", "name = \"lossy\""),
        error("name = \"clean\"", "name = \"../clean\""),
        error("\"cerl + sack\"", "\"cerl + sock\""),
        error("alone.toml", "missing.toml"),
        error("scenario = \"pair.toml\"", "scenario = \"alone.toml\""),
        error(
            "\"link.radio.loss.forward.iid\"",
            "\"link.radar.loss.forward.iid\"",
        ),
        error(
            "congestion = [\"reno\", \"cerl\"]",
            "congestion = [\"rino\"]",
        ),
        error("title = \"A tiny study\"", "title = \"\"\nflow = \"tset\""),
        error("congestion = [\"reno\", \"cerl\"]", "congestion = []"),
        // The number of combinations is refused before any is made.
        error(
            "congestion = [\"reno\", \"cerl\"]",
            &["detection", "congestion", "timeout"]
                .map(|slot| format!("{slot} = [{}]", "\"dcr\", ".repeat(3000)))
                .join("\n"),
        ),
        error("[[cross]]", "[[cross]]\npreset = \"reno\"\n[[cross]]"),
    ];
    insta::assert_snapshot!("errors", errors.join("\n"));
    let text = STUDY.replacen("\"cerl + sack\"", "\"cerl + sock\"", 1);
    let Err(RankError::File(FileError::Mistake { shown, .. })) = study_in(dir.path(), &text) else {
        panic!("its name is wrong");
    };
    let root = format!("{}/", dir.path().display());
    insta::assert_snapshot!("shown", shown.render(false).replace(&root, ""));

    std::fs::write(
        dir.path().join("swept.toml"),
        super::alone() + "[sweep]\n\"run.duration\" = [\"1s\"]\n",
    )
    .unwrap();
    let swept = error("alone.toml", "swept.toml");
    assert!(
        swept.contains("tiny.toml:11: swept.toml has a [sweep]"),
        "{swept}"
    );
    std::fs::write(
        dir.path().join("more.toml"),
        super::alone().replace("seeds = 3", "seeds = 4"),
    )
    .unwrap();
    let seeds = error("alone.toml", "more.toml");
    assert!(
        seeds.contains("3 seeds") && seeds.contains("has 4"),
        "{seeds}"
    );
    let empty = study_in(dir.path(), "title = \"nothing\"").unwrap_err();
    assert!(empty.to_string().contains("there is no path"));
}

#[test]
fn a_member_that_does_not_exist_is_an_error_and_no_pair() {
    let dir = tempfile::tempdir().unwrap();
    let text = STUDY.replace("recovery = [\"reno\", ", "recovery = [\"rino\", ");
    let error = study_in(dir.path(), &text).unwrap_err().to_string();
    assert!(
        error.contains("nothing runs with `recovery rino`"),
        "{error}"
    );
}

#[test]
fn the_built_in_study_is_the_folder() {
    let built_in = builtin().unwrap();
    assert!(built_in.paths.len() > 20 && built_in.entries.len() >= 20);
    assert!(built_in.left_out.is_empty(), "{:?}", built_in.left_out);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/compositions");
    let file = load(&folder.join("study.toml")).unwrap();
    assert_eq!(file.name, built_in.name);
    assert_eq!(
        (&file.entries, &file.paths),
        (&built_in.entries, &built_in.paths)
    );
}

#[test]
fn the_pages_say_how_many_combinations_are_run() {
    let run = builtin().unwrap().entries.len();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (page, words) in [
        (
            "README.md",
            format!("{run} combinations over the papers' paths"),
        ),
        (
            "docs/mechanisms/README.md",
            format!("`skywave rank` compares {run}\ncombinations"),
        ),
        (
            "docs/compositions.md",
            format!("built-in study runs {run}."),
        ),
        (
            "docs/compositions.md",
            format!("The built-in study: {run} compositions"),
        ),
        (
            "experiments/compositions/study.toml",
            format!("Here {run}\ncombinations"),
        ),
    ] {
        let text = std::fs::read_to_string(root.join(page)).unwrap();
        assert!(text.contains(&words), "{page} does not say: {words}");
    }
}
