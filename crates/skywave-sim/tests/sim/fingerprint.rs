//! The fingerprint of the engine changes if anything that decides its results changes, and otherwise stays.
#![expect(
    clippy::disallowed_methods,
    reason = "reads and writes sources of its own"
)]

#[path = "../../build/fingerprint.rs"]
mod build;

use std::fs;
use std::path::{Path, PathBuf};

const SIM: &str = "[package]\nname = \"skywave-sim\"\n\n[dependencies]\nskywave-core.workspace = true\n\
    libm.workspace = true\n\n[dev-dependencies]\nproptest.workspace = true\n";
const CORE: &str = "[package]\nname = \"skywave-core\"\n\n[dependencies]\nlibm = \"0.2\"\n\
    [dependencies.rand_xoshiro]\nversion = \"0.8\"\n\n[dev-dependencies]\nproptest = \"1\"\n";
const LOCK: &str = r#"# Made by cargo.
version = 4

[[package]]
name = "clap"
version = "4.6.0"
dependencies = [
 "libm",
]

[[package]]
name = "libm"
version = "0.2.16"
source = "registry"
checksum = "b6d2"

[[package]]
name = "proptest"
version = "1.12.0"
dependencies = [
 "bitflags",
]

[[package]]
name = "rand_core"
version = "0.10.1"

[[package]]
name = "rand_xoshiro"
version = "0.8.0"
dependencies = [
 "rand_core 0.10.1",
]

[[package]]
name = "skywave-core"
version = "0.1.0"
dependencies = [
 "libm",
 "proptest",
 "rand_xoshiro",
]

[[package]]
name = "skywave-sim"
version = "0.1.0"
dependencies = [
 "libm",
 "proptest",
 "skywave-core",
]
"#;

/// A workspace outside of this one: the nearest `Cargo.lock` above it must not be found.
struct Workspace(PathBuf);

impl Drop for Workspace {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).expect("it can be removed");
    }
}

impl Workspace {
    fn new(name: &str) -> Self {
        let folder = format!("skywave-fingerprint-{}-{name}", std::process::id());
        let workspace = Self(std::env::temp_dir().join(folder));
        workspace.write("crates/skywave-sim/Cargo.toml", SIM);
        workspace.write("crates/skywave-sim/src/lib.rs", "mod engine;");
        workspace.write("crates/skywave-core/Cargo.toml", CORE);
        workspace.write("crates/skywave-core/src/lib.rs", "pub mod link;");
        workspace.write("Cargo.lock", LOCK);
        workspace
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
        fs::write(path, text).expect("it can be written");
    }

    fn engine_built_in(&self, out: &str) -> build::Engine {
        build::of(&self.0.join("crates/skywave-sim"), &self.0.join(out))
    }

    fn hash(&self) -> u64 {
        self.engine_built_in("target/debug/build/skywave-sim-0/out")
            .hash
    }

    /// Whether the fingerprint changes when this file has this text.
    fn changes(&self, path: &str, text: &str) -> bool {
        let before = self.hash();
        self.write(path, text);
        self.hash() != before
    }
}

#[test]
fn a_source_counts_whatever_its_name_contains() {
    let workspace = Workspace::new("sources");
    for path in [
        "crates/skywave-core/src/latest.rs",
        "crates/skywave-core/src/contest/mod.rs",
        "crates/skywave-sim/src/engine/testament.rs",
    ] {
        assert!(workspace.changes(path, "pub const X: u8 = 1;"), "{path}");
        assert!(workspace.changes(path, "pub const X: u8 = 2;"), "{path}");
    }
    assert_eq!(workspace.hash(), workspace.hash());
}

#[test]
fn tests_and_other_files_do_not_count() {
    let workspace = Workspace::new("tests");
    for path in [
        "crates/skywave-core/src/tests.rs",
        "crates/skywave-core/src/link/red_tests.rs",
        "crates/skywave-sim/src/engine/tests/sack.rs",
        "crates/skywave-sim/src/notes.md",
        "crates/skywave-lab/src/lib.rs",
    ] {
        assert!(!workspace.changes(path, "fn f() {}"), "{path}");
    }
}

#[test]
fn what_is_linked_counts_by_its_version() {
    let workspace = Workspace::new("lock");
    let change = |from: &str, to: &str| {
        workspace.write("Cargo.lock", LOCK);
        assert!(LOCK.contains(from), "{from}");
        workspace.changes("Cargo.lock", &LOCK.replace(from, to))
    };
    assert!(change("0.2.16", "0.2.17"), "libm");
    assert!(change("b6d2", "b6d3"), "libm, published anew");
    assert!(change("0.10.1", "0.10.2"), "through rand_xoshiro");
    assert!(!change("4.6.0", "4.7.0"), "clap links with no engine");
    assert!(!change("1.12.0", "1.13.0"), "proptest is for tests");
    // If one crate needs a dependency only for its tests and another one for its code, it is linked.
    let tested = SIM.replace("libm", "serde").replace("proptest", "libm");
    workspace.write("crates/skywave-sim/Cargo.toml", &tested);
    assert!(change("0.2.16", "0.2.18"), "libm, by skywave-core alone");
    let inputs = workspace.engine_built_in("target").inputs;
    let watched = |file: &str| inputs.iter().any(|input| input.ends_with(file));
    assert!(
        watched("Cargo.lock") && watched("skywave-core/src"),
        "{inputs:?}"
    );
}

#[test]
fn the_lock_is_that_of_the_workspace_that_is_built() {
    // A program of a user's own, which has the engine from another folder.
    let workspace = Workspace::new("elsewhere");
    let out = "programs/mine/target/debug/build/skywave-sim-0/out";
    let engine = || workspace.engine_built_in(out).hash;
    let ours = engine();
    workspace.write(
        "programs/mine/Cargo.lock",
        &LOCK.replace("0.2.16", "0.2.17"),
    );
    assert_ne!(engine(), ours);
    // One that knows nothing of the engine is another program's.
    workspace.write("programs/mine/Cargo.lock", "version = 4\n");
    assert_eq!(engine(), ours);
}

#[test]
fn without_a_lock_the_required_versions_count() {
    let workspace = Workspace::new("unlocked");
    assert!(workspace.engine_built_in("target").locked);
    workspace.write("Cargo.lock", "version = 4\n");
    let engine = workspace.engine_built_in("target");
    assert!(!engine.locked);
    assert!(engine.inputs.iter().all(|input| input.exists()));
    let manifest = CORE.replace("0.8", "0.9");
    assert!(workspace.changes("crates/skywave-core/Cargo.toml", &manifest));
    assert!(workspace.changes("crates/skywave-sim/src/lib.rs", "mod other;"));
}

#[test]
fn the_lock_of_this_workspace_is_read() {
    let workspace = Workspace::new("ours");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = |path: &str| fs::read_to_string(root.join(path)).expect("it can be read");
    for manifest in [
        "crates/skywave-sim/Cargo.toml",
        "crates/skywave-core/Cargo.toml",
    ] {
        workspace.write(manifest, &text(manifest));
    }
    let lock = text("Cargo.lock");
    let updated = |name: &str| {
        workspace.write("Cargo.lock", &lock);
        let version = format!("name = \"{name}\"\nversion = \"");
        assert!(lock.contains(&version), "{name}");
        workspace.changes(
            "Cargo.lock",
            &lock.replace(&version, &format!("{version}9")),
        )
    };
    for name in ["libm", "rand_xoshiro", "rand_core", "skywave-core"] {
        assert!(updated(name), "{name}");
    }
    for name in ["proptest", "clap", "parquet", "skywave-lab"] {
        assert!(!updated(name), "{name}");
    }
}
