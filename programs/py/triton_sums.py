"""Adds up the rows of a matrix, a program for each. `racy` has all programs store in one cell."""

import sys

import torch
import triton
import triton.language as tl


@triton.jit
def sums(x, out, RACY: tl.constexpr):
    row = tl.program_id(0)
    total = tl.sum(tl.load(x + row * 1024 + tl.arange(0, 1024)))
    place = 0 if RACY else row
    tl.store(out + place, total)


x = torch.arange(4096, device="cuda", dtype=torch.float32).view(4, 1024)
out = torch.zeros(4, device="cuda")
sums[(4,)](x, out, RACY="racy" in sys.argv[1:])
print("right" if torch.equal(out, x.sum(1)) else "wrong", out.tolist())
