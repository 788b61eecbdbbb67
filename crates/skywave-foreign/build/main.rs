//! Prepares the text of noq's BBR3 for `src/noq/bbr3.rs`: without its tests, with the paths of its neighbours as they are from
//! outside, and with a function that makes its configuration of a seed.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build/main.rs");
    println!("cargo::rerun-if-changed=../../Cargo.lock");
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rustc-env=SKYWAVE_FOREIGN={}", version());
    let folder = sources("noq-proto").join("src/congestion/bbr3");
    let mut law = text(&folder.join("mod.rs"));
    let filter = text(&folder.join("max_filter.rs"));
    let changes = [
        ("mod max_filter;", ""),
        ("use alloc::", "use std::"),
        ("use crate::RttEstimator;", "use noq_proto::RttEstimator;"),
        (
            "use crate::congestion::bbr3::max_filter::MaxFilter;",
            "use max_filter::MaxFilter;",
        ),
        (
            "use crate::congestion::{BASE_DATAGRAM_SIZE, Controller,",
            "const BASE_DATAGRAM_SIZE: u64 = 1200;\nuse noq_proto::congestion::{Controller,",
        ),
        (
            "use crate::connection::SpaceKind;",
            "#[derive(Debug, Copy, Clone, Eq, PartialEq)]\nenum SpaceKind { Initial, Handshake, Data }",
        ),
        (
            "use crate::{Duration, Instant};",
            "use std::time::{Duration, Instant};",
        ),
        ("core::", "std::"),
        // A struct that others may not write out.
        (
            "        ControllerMetrics {\n            congestion_window",
            "        metrics! {\n            congestion_window",
        ),
    ];
    for (from, to) in changes {
        assert!(
            law.contains(from),
            "noq's BBR3 has no `{from}` any more: build/main.rs is to be changed"
        );
        law = law.replace(from, to);
    }
    assert!(
        !law.contains("crate::"),
        "noq's BBR3 has new neighbours: build/main.rs is to be changed"
    );
    let filter = filter.replace("core::", "std::");
    let seeded = "pub(super) fn seeded(seed: [u8; 16]) -> Bbr3Config {\n    \
                  Bbr3Config { probe_rng_seed: Some(seed), ..Bbr3Config::default() }\n}\n";
    let metrics = "macro_rules! metrics {\n    ($($field:ident: $value:expr,)*) => {{\n        \
                   let mut metrics = ControllerMetrics::default();\n        \
                   $(metrics.$field = $value;)*\n        metrics\n    }};\n}\n";
    let all = format!("{metrics}{law}\n{seeded}\nmod max_filter {{\n{filter}}}\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("bbr3.rs");
    fs::write(out, all).expect("cargo's folder can be written to");
}

/// Version of the libraries, and of what drives them here: runs of another one are not used again.
fn version() -> String {
    let lock = fs::read_to_string("../../Cargo.lock").expect("the workspace has a lock file");
    let mut said = Vec::new();
    for library in ["noq-proto", "quinn-proto"] {
        let mut after = lock
            .lines()
            .skip_while(|line| *line != format!("name = \"{library}\""));
        let version = after.nth(1).and_then(|line| line.split('"').nth(1));
        said.push(format!("{library} {}", version.unwrap_or("?")));
    }
    let mut files = BTreeMap::new();
    gather(Path::new("src"), &mut files);
    let mut hasher = DefaultHasher::new();
    files.hash(&mut hasher);
    said.push(format!("{:016x}", hasher.finish()));
    said.join(" ")
}

/// The texts of all files in a folder and in those within it.
fn gather(folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be listed").path();
        if path.is_dir() {
            gather(&path, files);
        } else {
            let text = fs::read(&path).expect("it can be read");
            files.insert(path, text);
        }
    }
}

/// A file's text before its tests.
fn text(file: &Path) -> String {
    let text = fs::read_to_string(file)
        .unwrap_or_else(|error| panic!("noq's sources are needed, {}: {error}", file.display()));
    text.split("#[cfg(test)]")
        .next()
        .unwrap_or_default()
        .to_owned()
}

/// The folder of a package that this one is linked with. cargo may have to fetch what other platforms need before it tells.
fn sources(package: &str) -> PathBuf {
    let cargo = env::var_os("CARGO").expect("cargo sets it");
    let asked = |more: &[&str]| {
        Command::new(&cargo)
            .args(["metadata", "--format-version", "1", "--locked"])
            .args(more)
            .output()
            .expect("cargo runs")
    };
    let mut told = asked(&["--offline"]);
    if !told.status.success() {
        told = asked(&[]);
    }
    let text = String::from_utf8_lossy(&told.stdout).into_owned();
    let folder = format!("/{package}-");
    let mut paths = text.split('"').filter(|word| word.ends_with("Cargo.toml"));
    let found = paths.find(|path| path.contains(&folder));
    let found = found.unwrap_or_else(|| {
        let why = String::from_utf8_lossy(&told.stderr);
        panic!("cargo does not tell where the sources of {package} are: {why}")
    });
    Path::new(found).with_file_name("")
}
