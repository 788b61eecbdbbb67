#!/bin/sh
# fuzz.sh SECONDS [TARGET]: fuzzes all targets one after the other, or one.
#
# Inputs that reach something new are kept in fuzz/target/corpus, not among the committed ones; one
# that breaks a rule is left in fuzz/artifacts.
set -eu
cd "$(dirname "$0")/../fuzz"

fail() {
    printf 'skywave: %s\n' "$1" >&2
    exit 1
}

cargo fuzz --version >/dev/null 2>&1 ||
    fail "cargo-fuzz is missing: install it with 'cargo install cargo-fuzz'"
cargo +nightly --version >/dev/null 2>&1 ||
    fail "fuzzing needs a nightly compiler: install one with 'rustup toolchain install nightly'"

# Keys and words of scenario files, as the schema has them.
mkdir -p target
python3 - ../schema/scenario.schema.json > target/scenario.dict <<'END'
import json, sys

def words(node):
    if isinstance(node, dict):
        yield from node.get("properties", {})
        yield from [word for word in [node.get("const"), *node.get("enum", [])] if isinstance(word, str)]
        node = list(node.values())
    if isinstance(node, list):
        for part in node:
            yield from words(part)

with open(sys.argv[1]) as schema:
    print("\n".join(sorted({json.dumps(word) for word in words(json.load(schema)) if word.isascii()})))
END

seconds=$1
for target in ${2:-capture connections d_proxy link machines messages scenario scripts setdest snoop tcp_wire texts trace wtcp wtcp_wire}; do
    found=target/corpus/$target
    mkdir -p "$found"
    set -- -max_total_time="$seconds" -max_len=6000 -timeout=60
    [ ! -f "target/$target.dict" ] || set -- "$@" -dict="target/$target.dict"
    printf '%s\n' "skywave: fuzzing $target for $seconds s" >&2
    # The code is safe Rust: a sanitizer finds nothing more and takes half of the speed. Which code checks
    # its arithmetic Cargo.toml says; without `--release` the ciphers would too.
    cargo +nightly fuzz run --fuzz-dir . --release --sanitizer none "$target" "$found" "corpus/$target" -- "$@"
done
