//! Fingerprints what decides the engine's results, so that results kept from another engine are told
//! apart.

#![expect(clippy::disallowed_methods, reason = "a build script reads files")]

mod fingerprint;

use std::env;
use std::path::PathBuf;

fn main() {
    let folder = |name: &str| PathBuf::from(env::var_os(name).unwrap_or_default());
    let engine = fingerprint::of(&folder("CARGO_MANIFEST_DIR"), &folder("OUT_DIR"));
    for input in &engine.inputs {
        println!("cargo::rerun-if-changed={}", input.display());
    }
    if !engine.locked {
        println!(
            "cargo::warning=no Cargo.lock lists skywave-sim: an update of a dependency will not make \
             stored results out of date"
        );
    }
    println!("cargo::rustc-env=SKYWAVE_ENGINE={:016x}", engine.hash);
}
