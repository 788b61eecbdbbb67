//! Lists the papers: every folder of `experiments/` with a `claims.toml`, and the scenarios in it.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let experiments = root.join("../../experiments");
    println!("cargo::rerun-if-changed={}", experiments.display());
    let mut out = String::from("&[\n");
    for folder in entries(&experiments) {
        let claims = folder.join("claims.toml");
        if !claims.is_file() {
            continue;
        }
        // Also when a file is added or goes; those that change are seen by `include_str`.
        println!("cargo::rerun-if-changed={}", folder.display());
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let claims = claims.display().to_string();
        let _ = writeln!(
            out,
            "Embedded {{ name: {name:?}, claims: include_str!({claims:?}), experiments: &["
        );
        for file in entries(&folder) {
            let stem = file.file_stem().unwrap_or_default().to_string_lossy();
            if file.extension().is_some_and(|e| e == "toml") && stem != "claims" {
                let file = file.display().to_string();
                let _ = writeln!(out, "({stem:?}, include_str!({file:?})),");
            }
        }
        out.push_str("] },\n");
    }
    out.push_str("]\n");
    let target = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("papers.rs");
    if let Err(error) = fs::write(&target, out) {
        println!("cargo::error=cannot write {}: {error}", target.display());
    }
}

/// The entries of a folder, in the order of their names.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let read = fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = read.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.sort();
    paths
}
