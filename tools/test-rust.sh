#!/bin/sh
# Tests of the workspace. A snapshot that no test compares with anything is an error as well: its test
# is gone or has another name.
set -eu
cd "$(dirname "$0")/.."

# Many tests of sockets wait most of the time: more threads than cores let them wait at the same time.
export RUST_TEST_THREADS="${RUST_TEST_THREADS:-8}"

# Properties are tested with the same inputs each time, so that a failure here is one anywhere. A bare
# `cargo test` draws new ones.
export PROPTEST_RNG_SEED="${PROPTEST_RNG_SEED:-1}"

# insta appends the path of each snapshot that it compares to this file.
compared=$(mktemp)
trap 'rm -f "$compared"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
INSTA_SNAPSHOT_REFERENCES_FILE=$compared cargo test --workspace --locked --lib --bins --tests
cargo test --workspace --locked --doc --quiet

export LC_ALL=C
sort -u -o "$compared" "$compared"
left=$(find "$(pwd -P)/crates" -name '*.snap' | sort | comm -23 - "$compared")
if [ -n "$left" ]; then
    printf 'skywave: no test compares anything with these snapshots:\n%s\n' "$left" >&2
    exit 1
fi
