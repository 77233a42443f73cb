#!/usr/bin/env bash
# Installs the CUDA compiler and CUDA's headers below target/, where the tests look for them: with them they compile, without them
# they say what they skip. Needs Python 3 and the Python package registry; no GPU and no CUDA. Prints the folder.
#
#   scripts/fetch-nvrtc.sh          13.0, which the programs are compiled with, into target/nvrtc-venv
#   scripts/fetch-nvrtc.sh 12       12.9, into target/nvrtc-venv-12
#   scripts/fetch-nvrtc.sh latest   the newest there is, into target/nvrtc-venv-latest
#
#   cargo test -p warpsim-nvrtc --test suite              the compilers themselves, all that are here
#   cargo test -p warpsim --features cuda --test suite cuda   CUDA C++ on a simulated device
#   cargo test -p warpsim-cli --test cli_cuda             the command on .cu files
#
# WARPSIM_NVRTC=FOLDER takes another compiler instead, and WARPSIM_NVRTC=none none.
set -euo pipefail
cd "$(dirname "$0")/.."
case "${1:-13}" in
13)
    venv=target/nvrtc-venv
    packages=(nvidia-cuda-nvrtc==13.0.88 nvidia-cuda-runtime==13.0.96 nvidia-cuda-cccl==13.0.85)
    ;;
12)
    venv=target/nvrtc-venv-12
    packages=(nvidia-cuda-nvrtc-cu12==12.9.86 nvidia-cuda-runtime-cu12==12.9.79 nvidia-cuda-cccl-cu12==12.9.27)
    ;;
latest)
    venv=target/nvrtc-venv-latest
    packages=(nvidia-cuda-nvrtc nvidia-cuda-runtime nvidia-cuda-cccl)
    ;;
*)
    echo "$0: \`$1\` is none of 13, 12, latest" >&2
    exit 2
    ;;
esac
python3 -m venv "$venv"
"$venv/bin/python" -m pip --quiet --disable-pip-version-check install "${packages[@]}"
echo "$PWD/$venv"
