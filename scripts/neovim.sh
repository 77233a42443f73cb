#!/usr/bin/env bash
# Steps through a kernel inside a Python program in a headless Neovim with nvim-dap.
#
#     scripts/neovim.sh PYTHON [NVIM_DAP]
#
# PYTHON is an interpreter with numba-cuda and numpy. NVIM_DAP is a folder with nvim-dap; without
# it, the release that Neovim 0.7 understands is fetched. Needs `nvim` and a release build.
#
# Exit code 0: the editor stopped at the launch, stepped by lines, stepped back, went on, and the
# program ended by itself with the sums that it expects.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${1:?"usage: scripts/neovim.sh PYTHON [NVIM_DAP]"}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
packages=$folder/pack/dap/start
mkdir -p "$packages"
if [ $# -gt 1 ]; then
    ln -s "$(realpath "$2")" "$packages/nvim-dap"
elif ! git clone --quiet --depth 1 --branch 0.6.0 https://github.com/mfussenegger/nvim-dap \
    "$packages/nvim-dap"; then
    echo "scripts/neovim.sh: nvim-dap cannot be fetched. Give its folder as NVIM_DAP." >&2
    exit 2
fi
export WARPSIM=${WARPSIM:-$PWD/target/release/warpsim} PYTHON=$python
export PROGRAM=$PWD/scripts/neovim/add.py SAID=$folder/said
timeout 180 nvim --headless --clean --cmd "set packpath^=$folder" \
    -c "luafile scripts/neovim/session.lua" || true
cat "$SAID"
for line in 'stopped entry' 'stopped step' 'stepped back' 'output stdout sums are right' \
    'exited 0' 'terminated'; do
    if ! grep -q "^$line" "$SAID"; then
        echo "scripts/neovim.sh: the editor did not say \`$line\`" >&2
        exit 1
    fi
done
