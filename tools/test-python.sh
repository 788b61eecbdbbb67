#!/bin/sh
# Tests of the Python package: builds the extension with the other tests' profile, then its tests,
# types, notebook and the documents' examples, in a virtual environment of its own.
set -eu
cd "$(dirname "$0")/.."

VIRTUAL_ENV=$(sh tools/python-venv.sh)
export VIRTUAL_ENV PATH="$VIRTUAL_ENV/bin:$PATH"
maturin develop --locked --quiet --features as-tested

# The types are checked beside the tests, many of which wait for other processes.
said=$(mktemp)
trap 'rm -f "$said"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
{ mypy && stubtest --mypy-config-file pyproject.toml skywave; } >"$said" 2>&1 &
types=$!
tests=0
pytest || tests=$?
if ! wait "$types"; then
    echo "skywave: the types are wrong:"
    cat "$said"
    exit 1
fi
exit "$tests"
