#!/bin/sh
# Says clearly what is missing before a build fails on it.
set -eu

fail() {
    printf 'skywave: %s\n' "$1" >&2
    exit 1
}

at_least() { # at_least HAVE WANT: version numbers, compared as such
    [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]
}

want=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
command -v cargo >/dev/null 2>&1 ||
    fail "the Rust toolchain is missing: install Rust $want or newer from https://rustup.rs"
have=$(cargo --version | cut -d' ' -f2)
at_least "$have" "$want" ||
    fail "Rust $have is too old: $want or newer is needed ('rustup update')"

command -v cc >/dev/null 2>&1 ||
    fail "a C linker is missing: install a C compiler (Debian: apt-get install build-essential)"

command -v python3 >/dev/null 2>&1 ||
    fail "Python is missing: install Python 3.11 or newer"
have=$(python3 -c 'import platform; print(platform.python_version())')
at_least "$have" 3.11 || fail "Python $have is too old: 3.11 or newer is needed"
python3 -c 'import ensurepip, venv' 2>/dev/null ||
    fail "Python cannot make virtual environments: install its venv module (Debian: apt-get install python3-venv)"
