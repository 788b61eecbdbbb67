#!/bin/sh
# All tests. `$1` is the manifest of the example that is a program of a user's own.
set -eu
cd "$(dirname "$0")/.."

# What pip fetches comes while the compiler works.
sh tools/python-venv.sh >/dev/null &
venv=$!
trap 'kill "$venv" 2>/dev/null || true' EXIT
sh tools/test-rust.sh
CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target} cargo run --quiet --locked --manifest-path "$1"
wait "$venv"
sh tools/test-python.sh
