#!/bin/sh
# Builds the engine and the reader of scenarios for WebAssembly, and compares one run there, byte for byte, with the same run natively.
#
# Without the compiler's target, or without node, it says so and succeeds: both are for this check alone.
set -eu
cd "$(dirname "$0")/.."

skip() {
    printf 'skywave: %s\n' "$1" >&2
    exit 0
}

target=wasm32-unknown-unknown
[ -d "$(rustc --print target-libdir --target $target)" ] ||
    rustup target add $target ||
    skip "WebAssembly was not checked: the target $target is neither installed nor can rustup add it"
for options in "" "--target $target"; do
    # shellcheck disable=SC2086 # none or two words
    cargo build --quiet --locked -p skywave-sim --example portable $options
done
cargo build --quiet --locked -p skywave-scenario --target $target

command -v node >/dev/null 2>&1 ||
    skip "no run was compared with WebAssembly's: node is missing"
built=${CARGO_TARGET_DIR:-target}
"$built/debug/examples/portable" >"$built/portable.json"
node tools/wasm.mjs "$built/$target/debug/examples/portable.wasm" >"$built/portable.wasm.json"
cmp "$built/portable.json" "$built/portable.wasm.json"
