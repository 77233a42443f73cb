#!/usr/bin/env bash
# Shows NVIDIA's assembler what our printer writes: every .ptx file below the given folders
# (tests/corpus and tests/ptx when none is given) is parsed, printed and assembled, for its own .target.
#
# `ptxas` comes from the PyPI wheels nvidia-cuda-nvcc-cu12 (for architectures before sm_75, which
# CUDA 13 dropped) and nvidia-cuda-nvcc; they are installed below target/ on the first run. No GPU
# is needed; Python 3 with venv and pip is.
#
# A file that ptxas refuses as it was is listed and not counted against us. Beside acceptance the
# machine code is compared: what ptxas makes of the printed text is, but for debug data, byte for
# byte what it makes of the original. Only in a module for debugging (`.target sm_NN, debug`) may the
# code differ, because there ptxas keeps the lines of the PTX apart, and our lines are not the
# original's.
# Exits 1 if ptxas refuses something that we printed, or makes other code of it without that excuse.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
target=${CARGO_TARGET_DIR:-$root/target}
. scripts/install-ptxas.sh

check_file() { # FILE: prints one word and the file
    local file=$1 arch number ptxas work
    arch=$(sed -n 's/^[[:space:]]*\.target[[:space:]]*\([a-z0-9_]*\).*/\1/p' "$file" | head -n 1)
    number=${arch//[!0-9]/}
    ptxas=$PTXAS13
    if [ "${number:-0}" -lt 75 ]; then ptxas=$PTXAS12; fi
    work=$(mktemp -d)
    cp "$file" "$work/input.ptx"
    local verdict=original-refused
    if assemble "$ptxas" "$arch" "$work" original; then
        verdict=accepted
        if ! "$REPRINT" "$file" >"$work/input.ptx" 2>"$work/log"; then
            verdict=not-parsed
        elif ! assemble "$ptxas" "$arch" "$work" printed; then
            verdict=refused
        elif python3 scripts/elf-sections.py "$work/original" "$work/printed" >"$work/log"; then
            verdict=identical
        elif grep -q '^[[:space:]]*\.target.*debug' "$file"; then
            verdict=debug
        fi
    fi
    printf '%s\t%s\t%s\n' "$verdict" "$file" "$(head -c 160 "$work/log" 2>/dev/null | head -n 1)"
    rm -rf "$work"
}

assemble() { # PTXAS ARCH FOLDER OUTPUT
    # The names of input and output become part of the output: they are always the same.
    (cd "$3" && "$1" --compile-only -arch="$2" input.ptx -o output >log 2>&1 && mv output "$4")
}

PTXAS12=$(install_ptxas cu12 nvidia-cuda-nvcc-cu12)
PTXAS13=$(install_ptxas cu13 nvidia-cuda-nvcc)
cargo build --quiet -p warpsim --example reprint
REPRINT=$target/debug/examples/reprint
export PTXAS12 PTXAS13 REPRINT
export -f check_file assemble

[ $# -gt 0 ] || set -- tests/corpus tests/ptx
results=$target/ptxas-check.txt
find "$@" -name '*.ptx' -type f -print0 | sort -z |
    xargs -0 -n 1 -P "$(nproc)" bash -c 'check_file "$1"' check >"$results"

count() { grep -c "^$1	" "$results" || true; }
total=$(wc -l <"$results")
refused_before=$(count original-refused)
identical=$(count identical)
debug=$(count debug)
different=$(count accepted)
failed=$(($(count refused) + $(count not-parsed)))
echo "ptxas accepts what we print of $((identical + debug + different)) files of $((total - refused_before))"
echo "  same machine code, byte for byte: $identical; for debugging, other code: $debug; other code: $different"
echo "  refused as they were, not counted: $refused_before"
grep -E '^(original-refused|not-parsed|refused|accepted)	' "$results" || true
[ $((failed + different)) -eq 0 ] && [ "$total" -gt 0 ]
