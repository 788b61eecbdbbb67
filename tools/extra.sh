#!/bin/sh
# What a change must pass besides lints and tests, as far as this machine has the tools: the oldest
# compiler that Cargo.toml promises, builds without features, licences and advisories, a minute of fuzzing.
# A missing tool is told and leaves its part out; a part that fails fails the whole.
set -eu
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}

left_out() { # left_out PART WHY
    printf 'skywave: left out: %s: %s\n' "$1" "$2" >&2
}

oldest=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
if rustup run "$oldest" rustc --version >/dev/null 2>&1; then
    # A folder of its own: two compilers in one would build everything again in turns.
    CARGO_TARGET_DIR=$target/oldest rustup run "$oldest" cargo check --quiet --workspace --locked
else
    left_out "Rust $oldest" "'rustup toolchain install $oldest --profile minimal' adds it"
fi

for crate in skywave-scenario skywave-lab skywave-cli skywave-fuzz; do
    cargo check --quiet --locked --no-default-features -p "$crate"
done
for feature in parquet pdf threads; do
    cargo check --quiet --locked --no-default-features --features "$feature" -p skywave-lab
done
for feature in pretty schema; do
    cargo check --quiet --locked --features "$feature" -p skywave-scenario
done

if printf '#include <gelf.h>\n#include <zlib.h>\n' | cc -E - >/dev/null 2>&1; then
    cargo check --quiet --locked --features kernel -p skywave-cli
    cargo test --quiet --locked --features load -p skywave-kernel
else
    left_out "laws in the kernel" "the headers of libelf and zlib are missing"
fi

if ! cargo deny --version >/dev/null 2>&1; then
    left_out "licences and advisories" "'cargo install cargo-deny' adds it"
elif ! cargo deny fetch db >/dev/null 2>&1; then
    left_out "advisories" "their database cannot be had from here"
    cargo deny check bans licenses sources
else
    cargo deny check
fi

if cargo fuzz --version >/dev/null 2>&1 && cargo +nightly --version >/dev/null 2>&1; then
    sh tools/fuzz.sh 4
else
    left_out "fuzzing" "'cargo install cargo-fuzz' and 'rustup toolchain install nightly' add it"
fi
echo "skywave: extra checks passed"
