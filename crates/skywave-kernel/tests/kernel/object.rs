//! The object in the tree is what its source gives.

use std::path::Path;
use std::process::Command;

/// The compiler of which the object is; another one makes other bytes.
const COMPILER: &str = "clang-14";

#[test]
fn the_object_is_what_the_source_gives() {
    let has = |program: &str| Command::new(program).arg("--version").output().is_ok();
    if !has(COMPILER) || !has("llvm-strip") {
        eprintln!("skipped: it takes {COMPILER} and llvm-strip");
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("bpf");
    let built = tempfile::NamedTempFile::new().unwrap();
    let status = Command::new("sh")
        .arg(folder.join("build.sh"))
        .arg(built.path())
        .status();
    assert!(status.unwrap().success());
    let kept = std::fs::read(folder.join("law.bpf.o")).unwrap();
    let built = std::fs::read(built.path()).unwrap();
    assert!(
        built == kept,
        "bpf/law.bpf.o is not of this source: sh bpf/build.sh bpf/law.bpf.o"
    );
}
