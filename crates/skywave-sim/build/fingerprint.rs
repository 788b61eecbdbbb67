//! A hash of all that decides what the engine computes: the sources of `skywave-core` and
//! `skywave-sim`, and the versions of the packages that they are linked with (a `libm` whose
//! logarithm differs in the last bit gives other results).
//!
//! The versions are those in `Cargo.lock`. Where the crate is built without one that lists it, the
//! requirements in the two manifests stand for them: then an update within the requirements goes
//! unnoticed, and the build says so.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The package at whose build this is computed.
const ENGINE: &str = "skywave-sim";

/// The result of the build script.
pub(crate) struct Engine {
    /// The hash: another value for another engine.
    pub(crate) hash: u64,
    /// Files and folders that it was computed from. All of them exist: a missing one would make cargo
    /// run the build script each time.
    pub(crate) inputs: Vec<PathBuf>,
    /// Whether a `Cargo.lock` told the versions of the packages.
    pub(crate) locked: bool,
}

/// The fingerprint of the engine with `skywave-sim` in the folder `sim`, built in the folder `out`.
pub(crate) fn of(sim: &Path, out: &Path) -> Engine {
    let mut hash = Hash::default();
    let mut inputs = Vec::new();
    let packages = [sim.join("../skywave-core"), sim.to_owned()];
    for folder in packages.iter().map(|package| package.join("src")) {
        for file in sources(&folder) {
            let name = file.strip_prefix(&folder).unwrap_or(&file);
            hash.add(name.to_string_lossy().as_bytes());
            hash.add(&fs::read(&file).unwrap_or_default());
        }
        inputs.push(folder);
    }
    let manifests = packages.map(|package| package.join("Cargo.toml"));
    let texts = manifests.each_ref().map(|manifest| text(manifest));
    inputs.extend(manifests);
    let lock = lock(&[out, sim]);
    let locked = lock.is_some();
    if let Some((path, lock)) = lock {
        for line in linked(&lock, &tests_only(&texts.join("\n"))) {
            hash.add(line.as_bytes());
        }
        inputs.push(path);
    } else {
        for manifest in &texts {
            hash.add(manifest.as_bytes());
        }
    }
    // Outside of this repository `skywave-core` lies elsewhere; its version is in the lock.
    inputs.retain(|input| input.exists());
    Engine {
        hash: hash.0,
        inputs,
        locked,
    }
}

/// FNV-1a with 64 bits.
struct Hash(u64);

impl Default for Hash {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hash {
    /// Adds a text and its end: a byte that no text in UTF-8 has.
    fn add(&mut self, text: &[u8]) {
        for byte in text.iter().chain(&[0xff]) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

fn text(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_default()
}

/// All Rust files below a folder but the tests, in the same order everywhere.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut entries: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    entries.retain(|path| !is_test(path));
    entries.sort();
    let (folders, files): (Vec<_>, Vec<_>) = entries.into_iter().partition(|path| path.is_dir());
    let rust = files
        .into_iter()
        .filter(|path| path.extension().is_some_and(|e| e == "rs"));
    let below = folders.iter().flat_map(|folder| sources(folder));
    rust.chain(below).collect()
}

/// Whether a file or folder is of tests by the names that they have here: `tests.rs`, `red_tests.rs`,
/// `tests/`. Other names that contain "test" are of the engine.
fn is_test(path: &Path) -> bool {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    stem == "tests" || stem.ends_with("_tests")
}

/// The first `Cargo.lock` that lists the engine, in or above these folders. The folder of the build
/// comes first: it usually lies in the workspace that is built, whose lock decides, and which may have
/// the engine from another one.
fn lock(folders: &[&Path]) -> Option<(PathBuf, String)> {
    let above = folders.iter().flat_map(|folder| folder.ancestors());
    above
        .map(|folder| folder.join("Cargo.lock"))
        .map(|path| (text(&path), path))
        .find(|(lock, _)| packages(lock).any(|package| package.name == ENGINE))
        .map(|(lock, path)| (path, lock))
}

/// An entry of a lock.
struct Package<'a> {
    name: &'a str,
    text: &'a str,
}

fn packages(lock: &str) -> impl Iterator<Item = Package<'_>> {
    lock.split("[[package]]").skip(1).map(|text| {
        let name = text.lines().find_map(|line| line.strip_prefix("name = "));
        Package {
            name: name.unwrap_or_default().trim_matches('"'),
            text,
        }
    })
}

impl<'a> Package<'a> {
    /// The names of the packages that it depends on: lines such as ` "libm",`, or with a version and a
    /// source where there are several of the name.
    fn dependencies(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let entries = self
            .text
            .lines()
            .filter_map(|line| line.strip_prefix(" \""));
        entries.filter_map(|entry| entry.split([' ', '"']).next())
    }

    /// Which release it is: its name, version, source and checksum.
    fn release(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let keys = ["name = ", "version = ", "source = ", "checksum = "];
        let is_one = move |line: &&str| keys.iter().any(|key| line.starts_with(key));
        self.text.lines().filter(is_one)
    }
}

/// The entries of a lock about the engine and everything that it is linked with, in the order of
/// the lock. A lock does not tell dependencies of tests from others: those in `tests_only` are left
/// out.
fn linked<'a>(lock: &'a str, tests_only: &BTreeSet<String>) -> Vec<&'a str> {
    let mut names = BTreeSet::from([ENGINE]);
    loop {
        let known = packages(lock).filter(|package| names.contains(package.name));
        let further: BTreeSet<&str> = known
            .flat_map(|package| package.dependencies())
            .filter(|name| !tests_only.contains(*name))
            .collect();
        if further.is_subset(&names) {
            break;
        }
        names.extend(further);
    }
    packages(lock)
        .filter(|package| names.contains(package.name))
        .flat_map(|package| package.release())
        .collect()
}

/// The packages that only tests need, by the manifests, one after the other.
fn tests_only(manifests: &str) -> BTreeSet<String> {
    let (mut tests, mut others) = (BTreeSet::new(), BTreeSet::new());
    let mut table = "";
    for line in manifests.lines().map(str::trim) {
        let name = if let Some(header) = line.strip_prefix('[') {
            table = header.trim_end_matches(']');
            // `[dependencies.name]` is a table of one dependency.
            match table.rsplit_once("dependencies.") {
                Some((_, name)) => name,
                None => continue,
            }
        } else if table.ends_with("dependencies") {
            line.split(['.', '=', ' ', '#']).next().unwrap_or_default()
        } else {
            continue;
        };
        let names = if table.contains("dev-dependencies") {
            &mut tests
        } else {
            &mut others
        };
        names.insert(name.to_owned());
    }
    tests.difference(&others).cloned().collect()
}
