#!/usr/bin/env bash
# Libraries that use CUDA, unchanged under `warpsim exec`: installs each at its version, runs its tests, and prints a table.
#
#   scripts/clients.sh [OUT] [CLIENT]...
#
# Clients: numba (numba-cuda's own tests), triton, tinygrad and cupy (kernels against NumPy, the cases of scripts/producers, by
# each library's own driver), cuda-core, warp, cudarc (its own tests, built as published). All by default, one after the other.
# No GPU is needed. Python packages come from the Python package registry into OUT/venv, in the versions of
# scripts/producers/requirements.txt; cudarc comes from Cargo's. OUT (default: target/clients) keeps a log for each client.
#
# CLIENTS_SECONDS (default: 400) is how long a module of numba-cuda's tests may take, and ten times that any other client.
set -euo pipefail
cd "$(dirname "$0")/.."

out=$(realpath -m "${1:-target/clients}")
shift || true
clients=("$@")
[ ${#clients[@]} -gt 0 ] || clients=(cudarc cuda-core triton tinygrad cupy warp numba)
CUDARC=0.19.10

mkdir -p "$out"
python=$out/venv/bin/python
if [ ! -x "$python" ]; then
    python3 -m venv "$out/venv"
    "$out/venv/bin/pip" install -q -r scripts/producers/requirements.txt
fi
if [ -z "${WARPSIM:-}" ]; then
    cargo build --release -q -p warpsim-cli
    target=$(cargo metadata --format-version 1 --no-deps | "$python" -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')
    export WARPSIM=$target/release/warpsim
fi
export CLIENTS_SECONDS=${CLIENTS_SECONDS:-400}

# Runs a Python client under `warpsim exec`, with options of its own before `--`.
client() {
    local name=$1 options=$2
    shift 2
    # shellcheck disable=SC2086
    CLIENTS_LOG=$out/$name.jsonl timeout $((CLIENTS_SECONDS * 10)) "$WARPSIM" exec $options -- "$python" "$@" > "$out/$name.txt" 2>&1 ||
        echo "$name ended with $? (see $out/$name.txt)" >&2
}

run() {
    rm -f "$out/$1.jsonl"
    case $1 in
    numba) "$python" scripts/clients/numba_tests.py "$out/numba.jsonl" > "$out/numba.txt" 2>&1 ;;
    # The kernels that Triton writes for sm_90 have `wgmma`, which is not modelled; those for sm_80 have `mma`.
    triton) TRITON_CACHE_DIR=$out/triton client triton "--device a100" scripts/clients/cases.py triton ;;
    # Its device for numbers on the host needs a clang; the headers of halves stand beside NVRTC.
    tinygrad) DEV=CUDA PARALLEL=0 CACHEDB=$out/tinygrad.db CC=${CC:-$(compgen -c clang | grep -Ex 'clang(-[0-9]+)?' | sort -V | tail -1)} \
        CUDA_PATH=$(echo "$out"/venv/lib/python3*/site-packages/nvidia/cu13) client tinygrad "" scripts/clients/cases.py tinygrad ;;
    cupy) CUPY_CACHE_DIR=$out/cupy client cupy "" scripts/clients/cases.py cupy ;;
    cuda-core) client cuda-core "" scripts/clients/cuda_core.py ;;
    warp) WARP_CACHE_PATH=$out/warp client warp "" scripts/clients/warp_examples.py ;;
    cudarc) cudarc ;;
    *) echo "no client $1" >&2 && return 2 ;;
    esac
}

# cudarc's own tests of its `driver` and `nvrtc` parts.
cudarc() {
    if [ ! -d "$out/cudarc-$CUDARC" ]; then
        mkdir -p "$out/fetch/src"
        printf '[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2024"\n[dependencies]\ncudarc = { version = "=%s", features = ["cuda-13000"] }\n[workspace]\n' "$CUDARC" \
            > "$out/fetch/Cargo.toml"
        touch "$out/fetch/src/lib.rs"
        cargo vendor -q --manifest-path "$out/fetch/Cargo.toml" "$out/vendor" > "$out/cudarc.txt"
        cp -r "$out/vendor/cudarc" "$out/cudarc-$CUDARC"
        # It lies in a folder of this workspace, and is none of its members.
        printf '\n[workspace]\n' >> "$out/cudarc-$CUDARC/Cargo.toml"
        rm -rf "$out/vendor" "$out/fetch"
    fi
    (cd "$out/cudarc-$CUDARC" && PATH="$out/venv/bin:$PATH" CARGO_TARGET_DIR=$out/cudarc-target timeout $((CLIENTS_SECONDS * 10)) \
        "$WARPSIM" exec -- cargo test --lib --no-fail-fast --no-default-features \
        --features std,driver,nvrtc,dynamic-loading,cuda-13000) > "$out/cudarc.txt" 2>&1 || true
    "$python" scripts/clients/table.py --libtest "$out/cudarc.txt" > "$out/cudarc.jsonl"
}

for name in "${clients[@]}"; do
    run "$name"
    echo "$name took $SECONDS seconds" >&2
done
"$python" scripts/clients/table.py "$out" "cudarc=$CUDARC"
