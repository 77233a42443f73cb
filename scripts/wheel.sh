#!/bin/sh
# Builds the Python package `warpsim` with the command in it: scripts/wheel.sh [FOLDER]
# The wheel is for every Python from 3.9 on. Needed: cargo, and maturin in PATH or Python with pip.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
out=${1:-$root/target/wheels}
cd "$root"
if ! command -v maturin >/dev/null; then
    python3 -m venv target/maturin
    target/maturin/bin/pip install --quiet 'maturin>=1.9,<2'
    PATH=$root/target/maturin/bin:$PATH
fi
cargo build --release -p warpsim-cli
scripts=python/warpsim.data/scripts
mkdir -p "$scripts"
strip -o "$scripts/warpsim" target/release/warpsim
cd python
CARGO_TARGET_DIR=$root/target maturin build --release --out "$out"
