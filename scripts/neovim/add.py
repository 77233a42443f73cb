"""Adds two arrays on the device, and looks at the sums."""

import numpy as np
from numba import cuda

@cuda.jit
def add(a, b, c):
    i = cuda.grid(1)
    if i < c.size:
        c[i] = a[i] + b[i]

a = np.arange(40, dtype=np.float32)
c = np.zeros(40, dtype=np.float32)
add[2, 32](a, 2 * a, c)
assert (c == 3 * a).all()
print("sums are right")
