#!/bin/sh
# ruff over the Python code: its lints, then its formatting (with --fix, both mend what they can).
# It is installed into the build folder once, so that nothing on the machine is changed.
set -eu
venv=${CARGO_TARGET_DIR:-target}/ruff
[ -x "$venv/bin/ruff" ] || {
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check 'ruff==0.15.*'
}
if [ "${1:-}" = --fix ]; then
    "$venv/bin/ruff" check --fix .
    "$venv/bin/ruff" format .
else
    "$venv/bin/ruff" check .
    "$venv/bin/ruff" format --check .
fi
