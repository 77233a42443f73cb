"""Shows NVIDIA's assembler some instructions with their modifiers in every order, and compares
what it takes with the rule of simulator/language/src/isa/order.rs. Usage: check_order.py PTXAS"""

import itertools
import re
import subprocess
import sys
import tempfile

TYPES = {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "b16", "b32", "b64", "f16", "bf16",
         "f32", "f64", "f16x2", "tf32", "pred"}
NAMES = {"mul": {"lo", "hi", "wide"}, "mad": {"lo", "hi", "wide"}, "madc": {"lo", "hi"},
         "mul24": {"lo", "hi"}, "mad24": {"lo", "hi"}, "dp2a": {"lo", "hi"}, "shf": {"l", "r"},
         "bar": {"cta", "warp", "sync", "arrive", "red"}, "cvt": {"pack"}, "cvta": {"to"},
         "barrier": {"cta", "sync", "arrive", "red"}, "fence": {"proxy"}}
SHOWN = """
add.rn.ftz.sat.f32 %r1,%r2,%r3          div.rn.ftz.f32 %r1,%r2,%r3
mul.lo.u32 %r1,%r2,%r3                  mul.rn.ftz.f32 %r1,%r2,%r3
mad.hi.sat.s32 %r1,%r2,%r3,%r4          mad.lo.cc.u32 %r1,%r2,%r3,%r4
setp.lt.and.ftz.f32 %p1,%r2,%r3,%p2     set.lt.ftz.u32.f32 %r1,%r2,%r3
cvt.rn.ftz.sat.f32.f64 %r1,%d2          cvt.rni.sat.s32.f64 %r1,%d2
ld.volatile.global.u32 %r1,[%d1]        ld.relaxed.gpu.global.u32 %r1,[%d1]
st.release.sys.global.u32 [%d1],%r1     atom.acq_rel.gpu.global.add.u32 %r1,[%d1],%r2
red.relaxed.gpu.global.add.u32 [%d1],%r1 shfl.sync.down.b32 %r1,%r2,1,31,-1
bar.red.popc.u32 %r1,0,%p1              barrier.red.popc.aligned.u32 %r1,0,%p1
fence.acq_rel.gpu                       vote.sync.any.pred %p1,%p2,-1
min.ftz.NaN.xorsign.abs.f32 %r1,%r2,%r3 bfind.shiftamt.u32 %r1,%r2
shf.l.wrap.b32 %r1,%r2,%r3,%r4          prmt.b32.f4e %r1,%r2,%r3,%r4
redux.sync.add.u32 %r1,%r2,-1           match.any.sync.b32 %r1,%r2,-1
cvta.to.global.u64 %d1,%d2              rcp.approx.ftz.f32 %r1,%r2
szext.clamp.u32 %r1,%r2,%r3             fma.rn.ftz.relu.f16 %h1,%h2,%h3,%h4
"""


def is_taken(opcode, usual, order):
    """Whether the rule takes an order: types in theirs, what belongs to the name first."""
    name = [m for m in itertools.takewhile(lambda m: m in NAMES.get(opcode, ()), usual)]
    types = [m for m in usual if m in TYPES]
    return list(order[:len(name)]) == name and [m for m in order if m in TYPES] == types


def main(ptxas):
    shown = [re.split(r"\s+", part) for part in re.findall(r"\S+(?: \S+)?", SHOWN)]
    cases = []
    for text, *operands in shown:
        opcode, *usual = text.split(".")
        for order in itertools.permutations(usual):
            words = ".".join([opcode, *order])
            cases.append((words, " ".join([words, *operands]), is_taken(opcode, usual, order)))
    registers = ".reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p<9>;"
    lines = [".version 9.0", ".target sm_103a", ".address_size 64"]
    lines += [f".entry k{i}() {{ {registers} {text}; ret; }}" for i, (_, text, _) in enumerate(cases)]
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write("\n".join(lines))
        file.flush()
        command = [ptxas, "-arch", "sm_103a", file.name, "-o", "/dev/null"]
        said = subprocess.run(command, capture_output=True, text=True).stderr
    refused = {int(line) - 4 for line in re.findall(r"line (\d+); (?:error|fatal)", said)}
    wrong = [words for i, (words, _, taken) in enumerate(cases) if taken == (i in refused)]
    print(f"{len(cases)} orders, {len(refused)} refused, {len(wrong)} not as the rule says")
    print(*wrong, sep="\n")
    return bool(wrong)


sys.exit(main(sys.argv[1]))
