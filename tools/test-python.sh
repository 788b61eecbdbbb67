#!/bin/sh
# Tests of the Python package: builds the extension with the other tests' profile, then its tests,
# types, notebook and the documents' examples, in a virtual environment of its own.
set -eu
cd "$(dirname "$0")/.."

venv=$PWD/${CARGO_TARGET_DIR:-target}/python
case ${CARGO_TARGET_DIR:-} in /*) venv=$CARGO_TARGET_DIR/python ;; esac
wanted=crates/skywave-py/requirements.txt

# The environment is made again when what it must hold has changed.
if ! cmp -s "$wanted" "$venv/requirements.txt"; then
    rm -rf "$venv"
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$wanted"
    cp "$wanted" "$venv/requirements.txt"
fi

export VIRTUAL_ENV="$venv" PATH="$venv/bin:$PATH"
maturin develop --locked --quiet --features as-tested
mypy
stubtest --mypy-config-file pyproject.toml skywave
pytest
