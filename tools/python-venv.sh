#!/bin/sh
# Makes the virtual environment of the Python tests, unless it is there as it must be; prints its folder.
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
echo "$venv"
