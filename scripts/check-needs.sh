#!/usr/bin/env bash
# Holds what the instruction table says that forms need to NVIDIA's assembler, and the modules that we
# print at the lowest version and target that they need.
#
#   scripts/check-needs.sh [FOLDER...]    the .ptx files below tests/ and programs/ when none is given
#
# Forms: every form, with what is optional in it, is a kernel of one line (simulator/examples/needs.rs).
# At the version and target that the table gives, ptxas must find nothing wrong; one version below (for the
# same target) and one target below (of the newest version) it must refuse it. Where the version is the
# first that has the target, it is the pair that must be refused. What ptxas refuses at its newest
# version and target as well is no PTX (`ld.const.v8.b32`), or that of one architecture alone
# (`redux.sync.min.f32`), and is counted.
#
# Modules: each is accepted at its lowest, and refused one version or one target below, but for the
# floors at which we stop. One that ptxas refuses as it was is listed and not counted.
#
# `ptxas` comes from the wheel nvidia-cuda-nvcc, installed below target/ on the first run. No GPU is needed;
# Python 3 with venv and pip is. Exits 1 when something is not as the table says.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-$PWD/target}
. scripts/install-ptxas.sh
PTXAS=$(install_ptxas cu13 nvidia-cuda-nvcc)
cargo build --quiet -p warpsim --example reprint --example needs
REPRINT=$target/debug/examples/reprint
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$target/debug/examples/needs" >"$work/forms"
"$target/debug/examples/needs" --targets >"$work/targets"
TARGETS=$work/targets
OLDEST=$(head -n 1 "$TARGETS" | cut -f 1)
NEWEST_TARGET=$(tail -n 1 "$TARGETS" | cut -f 1)
printf '.version 99.0\n.target sm_90\n' >"$work/input.ptx"
NEWEST=$({ "$PTXAS" "$work/input.ptx" 2>&1 || true; } | sed -n "s/.*current version is '\([0-9.]*\)'.*/\1/p" | head -n 1)
[ -n "$NEWEST" ] || { echo "ptxas does not say its version of PTX" >&2; exit 1; }
export PTXAS REPRINT TARGETS OLDEST NEWEST NEWEST_TARGET

version_before() { # VERSION
    case $1 in
        7.0) echo 6.5 ;;
        8.0) echo 7.8 ;;
        9.0) echo 8.8 ;;
        *) echo "${1%.*}.$((${1#*.} - 1))" ;;
    esac
}
target_before() { awk -v t="$1" '$1 < t { last = $1 } END { print last }' "$TARGETS"; }
version_of_target() { awk -v t="$1" '$1 == t { print $2 }' "$TARGETS"; }

assemble() { # FILE TARGET: what ptxas says of it
    local architecture=$2
    # ptxas takes texts for older architectures than those that it makes code for.
    [ "${architecture//[!0-9]/}" -ge 75 ] || architecture=75
    "$PTXAS" --compile-only --opt-level 0 -arch="sm_$architecture" "$1" -o "$1.out" 2>&1
}

module() { # VERSION TARGET FORMS: a module of all these kernels, the first on line 5
    printf '.version %s\n.target sm_%s\n.address_size 64\n.func F() { ret; }\n' "$1" "$2"
    cut -f 4 "$3" | awk '{ sub("NAME", "k" NR); print }'
    # Wrong on purpose: ptxas makes no code of kernels that mean nothing, and we see that it came here.
    echo '.entry last() { wrong_on_purpose; ret; }'
}

split() { # VERSION TARGET FORMS: those that ptxas accepts into FORMS.accepted, the others into FORMS.refused
    module "$1" "$2" "$3" >"$3.ptx"
    { assemble "$3.ptx" "$2" || true; } |
        sed -n 's/^ptxas [^ ]*, line \([0-9]*\); \(error\|fatal\).*/\1/p' >"$3.lines"
    if ! grep -qx "$(($(wc -l <"$3") + 5))" "$3.lines"; then
        echo "ptxas did not read all of a module at PTX $1 for sm_$2" >&2
        exit 1
    fi
    : >"$3.accepted"
    : >"$3.refused"
    awk -v to="$3" 'NR == FNR { bad[$1 - 4] = 1; next }
        { print >(to (FNR in bad ? ".refused" : ".accepted")) }' "$3.lines" "$3"
}

wrong=0
complain() { # FORMS WHAT
    if [ -s "$1" ]; then
        echo "$2:"
        cut -f 1-3 "$1" | sed -n 1,20p
        wrong=$((wrong + $(wc -l <"$1")))
    fi
}

check_level() { # VERSION TARGET: all forms of the table that need just these
    local version=$1 target=$2 group=$work/group
    awk -F '\t' -v v="$version" -v t="$target" '$1 == v && $2 == t' "$work/forms" >"$group"
    split "$version" "$target" "$group"
    mv "$group.accepted" "$work/good"
    mv "$group.refused" "$work/unclear"
    if [ -s "$work/unclear" ]; then
        split "$NEWEST" "$NEWEST_TARGET" "$work/unclear"
        complain "$work/unclear.accepted" "refused at PTX $version for sm_$target, which the table gives"
        nowhere=$((nowhere + $(wc -l <"$work/unclear.refused")))
    fi
    [ -s "$work/good" ] || return 0
    local count
    count=$(wc -l <"$work/good")
    accepted=$((accepted + count))
    if [ "$version" = 6.0 ]; then
        : # The table tells nothing below it apart.
    elif [ "$version" = "$(version_of_target "$target")" ]; then
        printf '.version %s\n.target sm_%s\n.entry k() { ret; }\n' \
            "$(version_before "$version")" "$target" >"$work/empty.ptx"
        if assemble "$work/empty.ptx" "$target" >"$work/log"; then
            echo "sm_$target is already in PTX $(version_before "$version")"
            wrong=$((wrong + 1))
        fi
        with_target=$((with_target + count))
    else
        split "$(version_before "$version")" "$target" "$work/good"
        complain "$work/good.accepted" "accepted one version below PTX $version, which the table gives"
        by_version=$((by_version + count))
    fi
    if [ "$target" != "$OLDEST" ]; then
        split "$NEWEST" "$(target_before "$target")" "$work/good"
        complain "$work/good.accepted" "accepted one target below sm_$target, which the table gives"
        by_target=$((by_target + count))
    fi
}

accepted=0 nowhere=0 by_version=0 by_target=0 with_target=0
while read -r version level_target; do
    check_level "$version" "$level_target"
done < <(cut -f 1,2 "$work/forms" | sort -u)
echo "forms, with what is optional in them: $(wc -l <"$work/forms") (ptxas knows PTX $NEWEST and sm_$NEWEST_TARGET)"
echo "  accepted at what the table gives: $accepted; combinations that are no PTX, or for one architecture alone: $nowhere"
echo "  refused one target below: $by_target; one version below: $by_version," \
    "$with_target more since that version has no such target"
echo "  not as the table says: $wrong"

field() { sed -n "s/^[[:space:]]*\.$1[[:space:]]*\([a-z0-9_.]*\).*/\1/p" "$2" | head -n 1; }

check_module() { # FILE: prints words and the file
    local file=$1 work version target verdict=original-refused
    work=$(mktemp -d)
    cp "$file" "$work/own.ptx"
    target=$(field target "$file")
    if assemble "$work/own.ptx" "${target#sm_}" >"$work/log"; then
        verdict=refused
        "$REPRINT" --lowest "$file" >"$work/lowest.ptx"
        version=$(field version "$work/lowest.ptx")
        target=$(field target "$work/lowest.ptx")
        if assemble "$work/lowest.ptx" "${target#sm_}" >"$work/log"; then
            verdict=accepted
            is_lowest "$work" "$version" "$target" || verdict=higher
            "$REPRINT" "$file" >"$work/printed.ptx"
            cmp -s "$work/printed.ptx" "$work/lowest.ptx" || verdict+=-lowered
        fi
    fi
    printf '%s\t%s\t%s\n' "$verdict" "$file" "$(head -c 160 "$work/log" | head -n 1)"
    rm -rf "$work"
}

is_lowest() { # FOLDER VERSION TARGET: whether ptxas refuses lowest.ptx below them
    local number=${3#sm_}
    case $number in *[!0-9]*) return 0 ;; esac
    if [ "$2" != 6.0 ] && [ "${2%.*}" -ge 6 ]; then
        sed "s/^\.version .*/.version $(version_before "$2")/" "$1/lowest.ptx" >"$1/below.ptx"
        ! assemble "$1/below.ptx" "$number" >/dev/null || return 1
    fi
    if [ "$number" -gt 70 ]; then
        local below
        below=$(target_before "$number")
        sed "s/^\.target sm_$number/.target sm_$below/; s/^\.version .*/.version $NEWEST/" \
            "$1/lowest.ptx" >"$1/below.ptx"
        ! assemble "$1/below.ptx" "$below" >/dev/null || return 1
    fi
}
export -f check_module is_lowest assemble field version_before target_before

[ $# -gt 0 ] || set -- tests programs
find "$@" -name '*.ptx' -type f -print0 | sort -z |
    xargs -0 -n 1 -P "$(nproc)" bash -c 'check_module "$1"' check >"$work/modules"
count() { grep -cE "^($1)	" "$work/modules" || true; }
refused_before=$(count original-refused)
total=$(($(wc -l <"$work/modules") - refused_before))
echo "modules that ptxas accepts at their lowest: $(count 'accepted.*|higher.*') of $total"
echo "  lowered: $(count '.*-lowered'); refused one version and one target below: $(count 'accepted.*')"
echo "  refused as they were, not counted: $refused_before"
grep -E '^(original-refused|refused|higher)' "$work/modules" || true
[ $wrong -eq 0 ] && [ "$(count 'refused|higher.*')" -eq 0 ] && [ "$total" -gt 0 ]
