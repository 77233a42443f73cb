"""Reverses 64 numbers through shared memory. `racy` as an argument leaves out the barrier."""

import sys

import numpy as np
from numba import cuda, float32

RACY = "racy" in sys.argv[1:]


@cuda.jit(lineinfo=True)
def reverse(x):
    part = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    part[t] = x[t]
    if not RACY:
        cuda.syncthreads()
    x[t] = part[63 - t]


x = np.arange(64, dtype=np.float32)
reverse[1, 64](x)
print("right" if (x == np.arange(64)[::-1]).all() else "wrong")
