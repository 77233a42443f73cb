#!/usr/bin/env bash
# PTX of other people's compilers: makes it, runs it, and prints a table by producer.
#
#   scripts/producers.sh [OUT] [PRODUCER]...
#
# No GPU is needed. Producers come from the Python package registry into OUT/venv: numba-cuda's own tests, kernels in Triton
# and tinygrad, CUB's block and warp algorithms through NVRTC, NVIDIA Warp's tests; clang is used where it is installed.
# What each library computes itself, or NumPy does, is what is compared with. OUT (default:
# target/producers) keeps the PTX and the account of each launch. Takes half an hour on two cores.
set -euo pipefail
cd "$(dirname "$0")/.."

out=$(realpath -m "${1:-target/producers}")
shift || true
producers=("$@")
[ ${#producers[@]} -gt 0 ] || producers=(numba_tests triton_kernels tinygrad_ops cub_kernels warp_kernels clang_programs)

mkdir -p "$out/ptx"
if [ ! -x "$out/venv/bin/python" ]; then
    python3 -m venv "$out/venv"
    "$out/venv/bin/pip" install -q -r scripts/producers/requirements.txt
fi

cargo build --release -q -p warpsim-cli
cargo build --release -q -p warpsim --example lowers
target=$(cargo metadata --format-version 1 --no-deps | "$out/venv/bin/python" -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')

export WARPSIM="$target/release/warpsim" PRODUCERS_OUT="$out/ptx" DEV=CUDA:PTX:sm_80
for producer in "${producers[@]}"; do
    rm -rf "$out/ptx/${producer%%_*}"
    echo "running $producer" >&2
    # A test that takes its process with it ends that producer alone.
    (cd scripts/producers && timeout 3600 "$out/venv/bin/python" "$producer.py") > "$out/$producer.log" 2>&1 ||
        echo "$producer ended with $? (see $out/$producer.log)" >&2
done
"$out/venv/bin/python" scripts/producers/table.py "$out/ptx" "$target/release/examples/lowers"
