//! The pages of documentation say what was recorded, and what was recorded is of the claims and experiments
//! that there are. `skywave reproduce all --markdown` and `skywave validate --markdown` write both.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use skywave_papers::page::{Block, blocks};
use skywave_papers::{claims, validate};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The README and all pages of documentation.
fn pages() -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join("docs")).expect("the folder is there");
    let paths = entries.map(|entry| entry.expect("it can be listed").path());
    let pages = paths.filter(|path| path.extension().is_some_and(|e| e == "md"));
    pages.chain([root().join("README.md")]).collect()
}

/// What was recorded of every paper, of all together, and of the comparisons with other programs.
fn recorded(verb: &str) -> BTreeMap<(String, String), String> {
    let papers =
        claims::papers().map(|name| root().join(format!("experiments/{name}/verdicts.md")));
    let others =
        ["experiments/verdicts.md", "bench/peers/verdicts.md"].map(|path| root().join(path));
    let mut all = BTreeMap::new();
    for path in papers.chain(others) {
        for Block { name, kind, text } in blocks(&read(&path), verb) {
            all.insert((name.to_owned(), kind.to_owned()), text.to_owned());
        }
    }
    all
}

#[test]
fn recorded_verdicts_are_of_the_claims_and_experiments_that_there_are() {
    let recorded = recorded(claims::VERB);
    for name in claims::papers() {
        let paper = claims::load(name).expect("a built-in paper");
        let inputs = recorded.get(&(name.to_owned(), "inputs".to_owned()));
        let inputs = inputs.unwrap_or_else(|| panic!("{name} has no record"));
        assert_eq!(
            inputs.trim().trim_matches('`'),
            paper.inputs(),
            "experiments/{name} is not what was judged: skywave reproduce all --markdown \
             experiments/*/verdicts.md experiments/verdicts.md docs/*.md"
        );
    }
}

#[test]
fn pages_say_what_was_recorded() {
    let mut count = 0;
    for verb in [claims::VERB, validate::VERB] {
        let recorded = recorded(verb);
        for path in pages() {
            let page = read(&path);
            for block in blocks(&page, verb) {
                let of = (block.name.to_owned(), block.kind.to_owned());
                assert!(
                    !block.text.is_empty(),
                    "{}: {of:?} is empty",
                    path.display()
                );
                let text = recorded.get(&of).map(String::as_str);
                assert_eq!(Some(block.text), text, "{}: {of:?}", path.display());
                count += 1;
            }
        }
    }
    assert!(count > 2 * claims::papers().count(), "{count}");
}

/// What a text leaves open is decided in one place: nothing that an experiment sets is there by itself.
#[test]
fn every_setting_of_every_paper_is_in_its_register() {
    for name in claims::papers() {
        let paper = claims::load(name).expect("a built-in paper");
        let open = paper.unregistered();
        assert!(open.is_empty(), "{name}: {open:?}");
        let card = claims::evaluate(&paper, &BTreeMap::new());
        for (reading, _) in &card.readings {
            let named = |one: &claims::Decision| one.reading.as_ref() == Some(reading);
            assert!(
                card.decisions.iter().any(named),
                "{name}: no decision has {reading}"
            );
        }
    }
}
