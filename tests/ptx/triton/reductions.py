"""Writes the PTX beside this file: reductions as Triton 3.9.0 compiles them, by 2, 4 and 8 warps.

    TRITON_DISABLE_LINE_INFO=1 TRITON_DEFAULT_FP_FUSION=1 python reductions.py
"""

from pathlib import Path

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def total(x, y, B: tl.constexpr):
    tl.store(y, tl.sum(tl.load(x + tl.arange(0, B))))


@triton.jit
def highest(x, y, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    tl.store(y, tl.max(v))
    tl.store(y + 1, tl.argmax(v, 0))


@triton.jit
def rows(x, y, B: tl.constexpr):
    r = tl.arange(0, 8)
    v = tl.load(x + r[:, None] * (B // 8) + tl.arange(0, B // 8)[None, :])
    tl.store(y + r, tl.sum(v, 1))
    tl.store(y + 8 + tl.arange(0, B // 8), tl.sum(v, 0))


@triton.jit
def softmax(x, y, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i)
    e = tl.exp(v - tl.max(v, 0))
    tl.store(y + i, e / tl.sum(e, 0))


@triton.jit
def prefix(x, y, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i, tl.cumsum(tl.load(x + i), 0))


for kernel in (total, highest, rows, softmax, prefix):
    for warps in (2, 4, 8) if kernel in (total, highest, rows) else (4,):
        source = ASTSource(
            fn=kernel, signature={"x": "*fp32", "y": "*fp32", "B": "constexpr"}, constexprs={"B": 256}
        )
        compiled = triton.compile(
            source, target=GPUTarget("cuda", 80, 32), options={"num_warps": warps}
        )
        file = Path(__file__).with_name(f"{kernel.__name__}.{warps}.ptx")
        file.write_text(compiled.asm["ptx"])
