#!/usr/bin/env bash
# Builds the book as a site in target/book, with the pages that its chapters embed, and with the
# playground if it is built.
#
#     scripts/site.sh
#
# WARPSIM names the command that makes the pages; without it cargo builds the command. MDBOOK names
# mdBook; without it mdbook is looked for in PATH and where `cargo install` puts it. Needs Python 3.
set -euo pipefail
cd "$(dirname "$0")/.."

mdbook=${MDBOOK:-}
for found in mdbook "${CARGO_HOME:-${HOME:-}/.cargo}/bin/mdbook"; do
    [ -n "$mdbook" ] || mdbook=$(command -v "$found" || true)
done
if [ -z "$mdbook" ] || ! version=$("$mdbook" --version); then
    echo "scripts/site.sh: mdBook is not here. Install it with \`cargo install mdbook\`," >&2
    echo "or give the path of mdbook in MDBOOK." >&2
    exit 2
fi
case $version in
    *" v0."[0-4].*)
        echo "scripts/site.sh: $version is too old: \`cargo install mdbook\` updates it" >&2
        exit 2
        ;;
esac

warpsim=${WARPSIM:-}
if [ -z "$warpsim" ]; then
    cargo build --release -p warpsim-cli
    warpsim=${CARGO_TARGET_DIR:-target}/release/warpsim
fi
warpsim=$(realpath "$(command -v "$warpsim" || echo "$warpsim")")

python3 scripts/site.py pages "$warpsim" target/book-pages
"$mdbook" build
mkdir -p target/book/pages
cp target/book-pages/*.html target/book/pages
# The playground is a part of the site where scripts/playground.sh has built it.
if [ -d target/playground ]; then
    rm -rf target/book/playground
    cp -r target/playground target/book/playground
fi
echo "the site: target/book/index.html"
