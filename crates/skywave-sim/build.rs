//! Fingerprints the engine's sources, so that results kept from another engine are told apart.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for folder in [here.join("../skywave-core/src"), here.join("src")] {
        println!("cargo::rerun-if-changed={}", folder.display());
        for file in sources(&folder) {
            let name = file.strip_prefix(&folder).unwrap_or(&file);
            let text = fs::read(&file).unwrap_or_default();
            for byte in name.to_string_lossy().bytes().chain(text) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
    }
    println!("cargo::rustc-env=SKYWAVE_ENGINE={hash:016x}");
}

/// All Rust files below a folder but the tests, in the same order everywhere.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.file_name()
                .is_some_and(|name| !name.to_string_lossy().contains("test"))
        })
        .collect();
    entries.sort();
    let (folders, files): (Vec<_>, Vec<_>) = entries.into_iter().partition(|path| path.is_dir());
    let rust = files
        .into_iter()
        .filter(|path| path.extension().is_some_and(|e| e == "rs"));
    let below = folders.iter().flat_map(|folder| sources(folder));
    rust.chain(below).collect()
}
