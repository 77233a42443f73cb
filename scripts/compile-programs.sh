#!/usr/bin/env bash
# Makes every .ptx under programs/, tests/twins/ and tests/hardware/ from the .cu beside it. Needs Python 3 and the Python package registry; no
# GPU and no CUDA.
#
#   scripts/compile-programs.sh            write what changed
#   scripts/compile-programs.sh --check    write nothing; exit 1 when a .ptx is not what its .cu compiles to
#   scripts/compile-programs.sh X.cu ...   only these
#
# The compiler is pinned, so that the texts change only when their sources do. NVRTC 13.0 is the last whose PTX (version 9.0) a
# driver of the 580 series loads.
set -euo pipefail
cd "$(dirname "$0")/.."
nvrtc='nvidia-cuda-nvrtc==13.0.88'
venv=target/nvrtc-venv
if ! "$venv/bin/pip" freeze 2>/dev/null | grep -qx "$nvrtc"; then
    python3 -m venv "$venv"
    "$venv/bin/pip" --quiet install "$nvrtc"
fi
compile=("$venv/bin/python" scripts/compile_programs.py "$venv" "$@")
case " $*" in
*.cu*) "${compile[@]}" ;;
*) find programs/src tests/twins tests/hardware -name '*.cu' -print0 | sort -z | xargs -0 "${compile[@]}" ;;
esac
