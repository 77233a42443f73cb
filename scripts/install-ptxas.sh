# Sourced by the scripts that ask NVIDIA's assembler: `install_ptxas VENV WHEEL` prints the path of a
# `ptxas` from a wheel of the Python package registry, installed below target/ptxas/VENV on the first
# run. Needs Python 3 with venv and pip; no GPU.

install_ptxas() { # VENV WHEEL
    local tools=${CARGO_TARGET_DIR:-$PWD/target}/ptxas
    if [ ! -d "$tools/$1" ]; then
        python3 -m venv "$tools/$1.new"
        "$tools/$1.new/bin/python" -m pip install --quiet "$2"
        mv "$tools/$1.new" "$tools/$1"
    fi
    find "$tools/$1" -path '*/bin/ptxas' -type f | head -n 1
}
