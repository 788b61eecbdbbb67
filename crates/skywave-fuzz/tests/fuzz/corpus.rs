//! Inputs that the fuzzers found worth keeping, or that once broke a rule, are run here without a
//! fuzzer.

use std::path::{Path, PathBuf};

use skywave_fuzz::TARGETS;

pub(crate) fn inputs(target: &str) -> Vec<PathBuf> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let folder = corpus.join(target);
    let entries =
        std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn every_input_of_the_corpora_keeps_the_rules() {
    let mut broken = Vec::new();
    for &(target, run) in TARGETS {
        let files = inputs(target);
        assert!(!files.is_empty(), "no corpus for {target}");
        for file in files {
            let data = std::fs::read(&file).unwrap();
            if std::panic::catch_unwind(|| run(&data)).is_err() {
                broken.push(file);
            }
        }
    }
    assert!(broken.is_empty(), "these break a rule: {broken:#?}");
}
