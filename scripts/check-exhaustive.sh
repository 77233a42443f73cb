#!/usr/bin/env bash
# Shows that an operation cannot be forgotten: a variant that nobody knows is added to a copy of the
# sources, and each of those who tell operations apart must refuse to compile until it says what the
# variant means to it.
#
#   scripts/check-exhaustive.sh
#
# Exit code 0: all of them did.
set -euo pipefail
cd "$(dirname "$0")/.."

copy=target/exhaustive/sources
# A file that is there no more must not stay in the copy.
rm -rf "$copy"
mkdir -p "$copy"
# The times of files are kept, so that a second run checks little again.
tar -c --exclude=target --exclude=.git . | tar -x -C "$copy"
engine=$copy/simulator/engine/src
# But not of those where the run before planted something: the compiler has what was there then, and would
# take the older times for nothing new.
find "$engine" "$copy/simulator/language/src" -name '*.rs' -exec touch {} +
missing=0 files=0

check() {
    cargo check --quiet --manifest-path "$copy/Cargo.toml" --target-dir target/exhaustive/target \
        --package "$1" --message-format short 2>&1 || true
}

# refuses CRATE WHAT FILE...: each file must have a match that does not cover the variant.
refuses() {
    local crate=$1 what=$2 said
    shift 2
    said=$(check "$crate")
    for file in "$@"; do
        files=$((files + 1))
        if ! grep -q "$file:.*E0004.*Probe" <<<"$said"; then
            echo "$file compiles with an unknown $what" >&2
            missing=1
        fi
    done
    if grep -v "E0004" <<<"$said" | grep -q ": error"; then
        echo "the copy does not compile for another reason:" >&2
        grep ": error" <<<"$said" >&2
        missing=1
    fi
}

# What was planted is taken out, and the compiler told so.
restore() {
    tar -c "$1" | tar -x -m -C "$copy"
}

# An operation.
sed -i 's/^pub enum Kind {$/pub enum Kind {\n    \/\/\/ Planted.\n    Probe,/' "$engine/lower/operations/operation.rs"
refuses warpsim-engine operation \
    lower/operations/operation.rs lower/operations/roles.rs lower/operations/effect.rs \
    lower/operations/conduct.rs machine/execute/operation.rs
# As the engine would be once it knows it.
sed -i 's/Kind::Nothing\( =>\|,\)/Kind::Nothing | Kind::Probe\1/' \
    "$engine"/lower/operations/{operation,roles,effect,conduct}.rs \
    "$engine"/machine/execute/operation.rs
refuses warpsim-analyses operation uninitialized/mod.rs

# An effect, of which those ask who need not know the operation.
restore simulator/engine/src
sed -i 's/^pub enum Effect<.o> {$/&\n    \/\/\/ Planted.\n    Probe,/' "$engine/lower/operations/effect.rs"
refuses warpsim-engine effect \
    lower/operations/effect.rs machine/progress/patience.rs machine/progress/spinning.rs
sed -i -e 's/Effect::Call(_)/Effect::Call(_) | Effect::Probe/' \
    -e 's/| Effect::Runtime(_) => None/| Effect::Runtime(_) | Effect::Probe => None/' \
    "$engine"/{lower/operations/effect,machine/progress/patience,machine/progress/spinning}.rs
refuses warpsim-analyses effect \
    check/independence.rs convergence/graph.rs convergence/meetings.rs uninitialized/warp.rs

# What an operation is to a warp that runs by itself.
restore simulator/engine/src
sed -i "s/^pub(crate) enum Conduct<'o> {\$/&\n    \/\/\/ Planted.\n    Probe,/" "$engine/lower/operations/conduct.rs"
refuses warpsim-engine conduct \
    machine/execute/segment.rs machine/execute/gang/operation.rs machine/execute/gang/turn_ends.rs \
    machine/execute/gang/in_place.rs machine/run/parallel/eligible.rs

# What lanes of a warp do together.
restore simulator/engine/src
sed -i 's/^pub enum WarpAction {$/&\n    \/\/\/ Planted.\n    Probe,/' "$engine/lower/operations/warp_operation.rs"
refuses warpsim-engine "warp action" lower/operations/warp_operation.rs

# An instruction of the table.
restore simulator/engine/src
sed -i 's/^pub enum Structural {$/&\n    Probe,/' "$copy/simulator/language/src/isa/row.rs"
refuses warpsim-language instruction isa/effect.rs
sed -i 's/Structural::Nothing =>/Structural::Nothing | Structural::Probe =>/' "$copy/simulator/language/src/isa/effect.rs"
refuses warpsim-engine instruction lower/translate/structural.rs

restore simulator/language/src
[ $missing = 0 ] && echo "each of $files matches over operations, effects and instructions refuses one that it does not know"
exit $missing
