#!/bin/sh
# Makes the documentation as a site, target/book; installs mdBook into the build folder where it is missing.
#
#   sh tools/book.sh
set -eu
cd "$(dirname "$0")/.."
version=0.5.4
target=${CARGO_TARGET_DIR:-target}
mdbook=$target/tools/bin/mdbook
"$mdbook" --version 2>/dev/null | grep -q "v$version" || {
    echo "installing mdBook $version into $target/tools (once; some minutes)"
    cargo install --quiet --locked --root "$target/tools" --version "$version" \
        --no-default-features --features search mdbook
}
"$mdbook" build --dest-dir "$(cd "$target" && pwd)/book"
echo "$target/book/index.html"
