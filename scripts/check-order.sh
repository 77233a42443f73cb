#!/usr/bin/env bash
# Asks NVIDIA's assembler in which orders it takes the modifiers of instructions, and compares them with
# the rule of simulator/language/src/isa/order.rs. Needs Python 3 with venv and pip; no GPU.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/install-ptxas.sh
python3 scripts/check_order.py "$(install_ptxas cu13 nvidia-cuda-nvcc)"
