#!/usr/bin/env bash
# PTX of other people's compilers: makes it, runs it, and prints a table by producer.
#
#   scripts/producers.sh [OUT] [PRODUCER]...
#
# No GPU is needed. Producers come from the Python package registry into OUT/venv: numba-cuda's own tests, kernels in Triton
# and tinygrad, CUB's block and warp algorithms through NVRTC, the kernels that CuPy writes, NVIDIA Warp's tests; clang is
# used where it is installed. What each library computes itself, or NumPy does, is what is compared with. OUT (default:
# target/producers) keeps the PTX and the account of each launch. Producers run side by side.
#
# PRODUCERS_SECONDS (default: 5400) is how long each producer begins tests; those that it has begun then come to their end.
# The table says how many tests were begun, and how many there are.
set -euo pipefail
cd "$(dirname "$0")/.."

out=$(realpath -m "${1:-target/producers}")
shift || true
producers=("$@")
[ ${#producers[@]} -gt 0 ] || producers=(numba_tests triton_kernels tinygrad_ops cub_kernels cupy_kernels warp_kernels clang_programs)

mkdir -p "$out/ptx"
if [ ! -x "$out/venv/bin/python" ]; then
    python3 -m venv "$out/venv"
    "$out/venv/bin/pip" install -q -r scripts/producers/requirements.txt
fi

cargo build --release -q -p warpsim-cli
cargo build --release -q -p warpsim --example lowers
target=$(cargo metadata --format-version 1 --no-deps | "$out/venv/bin/python" -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')

export WARPSIM="$target/release/warpsim" PRODUCERS_OUT="$out/ptx" DEV=CUDA:PTX:sm_80
export PRODUCERS_SECONDS=${PRODUCERS_SECONDS:-5400}
run() {
    rm -rf "$out/ptx/${1%%_*}" "$out/ptx/${1%%_*}"-*
    # A test that takes its process with it ends that producer alone, as does one that takes many minutes after the time is over.
    (cd scripts/producers && timeout $((PRODUCERS_SECONDS + 600)) "$out/venv/bin/python" "$1.py") > "$out/$1.log" 2>&1 ||
        echo "$1 ended with $? (see $out/$1.log)" >&2
    echo "$1 took $SECONDS seconds" >&2
}
for producer in "${producers[@]}"; do
    run "$producer" &
done
wait
"$out/venv/bin/python" scripts/producers/table.py "$out/ptx" "$target/release/examples/lowers"
