#!/bin/sh
# All tests. Python's run beside Rust's, because both wait much: for sockets, for other processes.
set -eu
cd "$(dirname "$0")/.."

# A shell lets what it starts with `&` ignore Ctrl-C: without this, tests would go on after it.
beside() {
    exec python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])' "$@"
}

venv=
rust=
said=$(mktemp)
trap 'kill $venv $rust 2>/dev/null || true; rm -f "$said"' EXIT
# Some shells leave out the trap of EXIT when a signal ends them.
trap 'exit 130' INT
trap 'exit 143' TERM

# What pip fetches comes while the compiler works.
beside sh tools/python-venv.sh >/dev/null &
venv=$!
cargo test --workspace --locked --lib --bins --tests --no-run
python_failed=0
wait "$venv" || python_failed=1
venv=
beside sh tools/test-rust.sh &
rust=$!
if [ "$python_failed" -eq 0 ]; then
    sh tools/test-python.sh >"$said" 2>&1 || python_failed=1
else
    echo "skywave: Python's tests were left out: their environment could not be made (see above)" >"$said"
fi
rust_failed=0
wait "$rust" || rust_failed=1
rust=
cat "$said"
if [ "$rust_failed" -ne 0 ]; then
    echo "skywave: Rust's tests failed: see above Python's" >&2
fi
[ "$rust_failed" -eq 0 ] && [ "$python_failed" -eq 0 ]
