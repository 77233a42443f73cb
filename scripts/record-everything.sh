#!/usr/bin/env bash
# Records again what this machine's NVIDIA GPU does with everything that the tests replay: tests/recordings/**.json. Needs a
# driver and a GPU, besides Rust; takes some minutes. docs/recordings.md says more.
#
#   scripts/record-everything.sh                      all
#   scripts/record-everything.sh --only corpus        modules whose path holds this
#   scripts/record-everything.sh --out DIR --jobs 4   below another root; so many processes share the GPU
#
# Where Rust and the GPU are not on one machine: build the program on the one, carry it and a checkout to the other, and start
# it there in the root of the checkout. It needs no library but the driver's.
set -euo pipefail
cd "$(dirname "$0")/.."
exec cargo run --release --quiet -p warpsim-tests --bin record-everything -- "$@"
