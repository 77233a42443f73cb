#!/usr/bin/env bash
# Installs the CUDA compiler into target/nvrtc-venv, where the tests of gpu-backend look for it: with it they compile, without it
# they say what they skip. Needs Python 3 and the Python package registry; no GPU and no CUDA.
#
#   scripts/fetch-nvrtc.sh             the version that the programs are compiled with
#   scripts/fetch-nvrtc.sh PACKAGE     another, such as nvidia-cuda-nvrtc-cu12, into target/nvrtc-venv-PACKAGE;
#                                      WARPSIM_NVRTC=target/nvrtc-venv-PACKAGE cargo test uses it
set -euo pipefail
cd "$(dirname "$0")/.."
package=${1:-nvidia-cuda-nvrtc==13.0.88}
venv=target/nvrtc-venv${1:+-$1}
python3 -m venv "$venv"
"$venv/bin/pip" --quiet install "$package"
echo "$PWD/$venv"
