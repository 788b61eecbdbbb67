//! Lists the papers, every folder of `experiments/` with a `claims.toml` and the scenarios in it, the sets of cases in
//! `experiments/referee` by the same rule, and the files of comparisons with other programs in `bench/peers`.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let experiments = root.join("../../experiments");
    println!("cargo::rerun-if-changed={}", experiments.display());
    write("papers.rs", &embedded(&experiments));
    write("sets.rs", &embedded(&experiments.join("referee")));
    write("peers.rs", &peers(&root.join("../../bench/peers")));
}

/// The folders in one that have claims, with their scenarios.
fn embedded(within: &Path) -> String {
    let mut out = String::from("&[\n");
    for folder in entries(within) {
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
                out += &line(&stem, &file);
            }
        }
        out.push_str("], maps: &[\n");
        for file in entries(&folder.join("maps")) {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            out += &line(&name, &file);
        }
        out.push_str("] },\n");
    }
    out + "]\n"
}

/// The files of all sets, and those that they name in other folders, by their paths from `peers`.
fn peers(peers: &Path) -> String {
    let sets = peers.join("sets");
    println!("cargo::rerun-if-changed={}", sets.display());
    let folders = entries(&sets).into_iter().filter(|path| path.is_dir());
    let own = folders.flat_map(|folder| entries(&folder));
    let shared = ["ns2/path.tcl", "ns2/reference/witness.csv"].map(|path| peers.join(path));
    let mut out = String::from("&[\n");
    for path in own.chain(shared) {
        let name = path.strip_prefix(peers).unwrap_or(&path);
        out += &line(&name.to_string_lossy(), &path);
    }
    out + "]\n"
}

/// A name and the text of a file.
fn line(name: &str, file: &Path) -> String {
    let file = file.display().to_string();
    format!("({name:?}, include_str!({file:?})),\n")
}

fn write(name: &str, text: &str) {
    let target = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join(name);
    if let Err(error) = fs::write(&target, text) {
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
