#!/bin/sh
# Runs the study of robustness, and writes what it measured into docs: robustness-measured.md and robustness.svg.
#
#   sh tools/robust.sh target/release/skywave
set -eu
cd "$(dirname "$0")/.."
skywave=$1
study=experiments/robust/study.toml
runs=${CARGO_TARGET_DIR:-target}/plots
page=docs/robustness-measured.md
new=$(mktemp)
trap 'rm -f "$new"' EXIT

cat > "$new" <<'END'
# What was measured: where a sender fails

<!-- Made by `make robust`, which runs experiments/robust/study.toml. Change nothing here. -->

The tables of the [study of robustness](robustness.md) for the present senders, and [how to read them](robustness.md#reading-the-tables).

![Goodput as a share of the best sender's, over the paths; the worst paths have their names](robustness.svg)

END
"$skywave" rank "$study" --markdown --out "$runs" >> "$new"
cp "$runs/robust/ranking.svg" docs/robustness.svg
cat "$new" > "$page"
