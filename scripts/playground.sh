#!/usr/bin/env bash
# Builds the playground as a folder of static files: target/playground, or the folder that is given.
#
#     scripts/playground.sh [--install] [FOLDER]
#
# It compiles the simulator to WebAssembly and bundles the page. It needs Node with npm, and a Rust
# compiler for wasm32-unknown-unknown: one of rustup that has this target, or Debian's packages
# rustc-web, cargo-web, rust-web-src and lld. `--install` installs those packages with apt-get.
# PLAYGROUND_CARGO and PLAYGROUND_RUSTC name another cargo and rustc; the standard library's source
# has to be with them. If wasm-opt (binaryen) is here, WASM_OPT=1 makes the file smaller with it.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "${1:-}" = --install ]; then
    shift
    apt-get install --yes rustc-web cargo-web rust-web-src lld-19
fi
out=$(realpath -m "${1:-target/playground}")
triple=wasm32-unknown-unknown
target=${CARGO_TARGET_DIR:-target}

if ! node --version >/dev/null || ! npm --version >/dev/null; then
    echo "scripts/playground.sh: Node and npm are not here" >&2
    exit 2
fi

build=(build --profile dist --package warpsim-playground --target "$triple")
if [ -z "${PLAYGROUND_CARGO:-}" ] && rustup target list --installed 2>/dev/null | grep -qx "$triple"
then
    cargo "${build[@]}"
else
    rustc=${PLAYGROUND_RUSTC:-/usr/bin/rustc}
    cargo=${PLAYGROUND_CARGO:-/usr/bin/cargo}
    linker=
    for found in wasm-ld wasm-ld-19; do
        [ -n "$linker" ] || linker=$(command -v "$found" >/dev/null && echo "$found" || true)
    done
    if [ ! -x "$rustc" ] || [ ! -x "$cargo" ] || [ -z "$linker" ]; then
        echo "scripts/playground.sh: no Rust compiler for $triple is here. Install one with" >&2
        echo "\`rustup target add $triple\`, or Debian's with \`$0 --install\`." >&2
        exit 2
    fi
    # The standard library is compiled, too: there is none for this target beside the compiler.
    PATH=$(dirname "$rustc"):$PATH RUSTC=$rustc RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Clinker=$linker" \
        "$cargo" "${build[@]}" -Z build-std=std,panic_abort
fi
wasm=$target/$triple/dist/warpsim_playground.wasm

if [ "${WASM_OPT:-}" = 1 ]; then
    wasm-opt -O2 --all-features "$wasm" -o "$target/playground.wasm"
    wasm=$target/playground.wasm
fi
wasm=$(realpath "$wasm")
cd cli/playground/page
[ -d node_modules ] || npm ci
npm run check
rm -rf "$out"
node build.mjs "$out" "$wasm"
echo "the playground: $out/index.html (from a server: python3 -m http.server -d $out)"
