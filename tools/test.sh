#!/bin/sh
# All tests. Python's run beside Rust's, because both wait much: for sockets, for other processes.
set -eu
cd "$(dirname "$0")/.."

# What pip fetches comes while the compiler works.
sh tools/python-venv.sh >/dev/null &
venv=$!
rust=
said=$(mktemp)
trap 'kill $venv $rust 2>/dev/null || true; rm -f "$said"' EXIT
cargo test --workspace --locked --lib --bins --tests --no-run
wait "$venv"
sh tools/test-rust.sh &
rust=$!
python_failed=0
sh tools/test-python.sh >"$said" 2>&1 || python_failed=1
rust_failed=0
wait "$rust" || rust_failed=1
cat "$said"
[ "$rust_failed" -eq 0 ] && [ "$python_failed" -eq 0 ]
