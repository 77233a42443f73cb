"""A sum by blocks with numba, each through shared memory. `racy` as an argument leaves out the barrier between the steps.

    warpsim exec --check -- python programs/py/reduce.py
    warpsim exec --check -- python programs/py/reduce.py racy
"""

import sys

import numpy as np
from numba import cuda, float32

THREADS = 128


def kernel(is_racy):
    # With lines of the source, findings name them.
    @cuda.jit(lineinfo=True)
    def reduce(numbers, sums):
        cell = cuda.shared.array(THREADS, float32)
        t = cuda.threadIdx.x
        i = cuda.grid(1)
        cell[t] = numbers[i] if i < numbers.size else 0
        cuda.syncthreads()
        half = THREADS // 2
        while half > 0:
            if t < half:
                cell[t] += cell[t + half]  # RACE
            if not is_racy:
                cuda.syncthreads()
            half //= 2
        if t == 0:
            sums[cuda.blockIdx.x] = cell[0]

    return reduce


def main():
    numbers = np.arange(1000, dtype=np.float32)
    blocks = (numbers.size + THREADS - 1) // THREADS
    sums = np.zeros(blocks, dtype=np.float32)
    kernel("racy" in sys.argv[1:])[blocks, THREADS](numbers, sums)
    print("the sum is", sums.sum())
    return 0 if sums.sum() == numbers.sum() else 2


if __name__ == "__main__":
    sys.exit(main())
