"""What the launches in this folder are to leave in memory, computed with numpy and without warpsim.

Writes the .npy files that the launch files name, inputs and results, and checks every other
expectation (`list:`, `fill:`, `iota`, `zeros`) against its own result. Usage: expected.py
"""

import math
import pathlib
import re
import sys
import tomllib

import numpy as np

HERE = pathlib.Path(__file__).parent
WARP = 32
TYPES = {"s32": np.int32, "u32": np.uint32, "f32": np.float32}


def spread(cells, modulus, divisor):
    """Numbers that are all over the place, the same on every machine."""
    return (np.arange(cells) * 37 % modulus - modulus // 2) / divisor


INPUTS = {
    "numbers.npy": spread(64, 101, 1).astype(np.int32),
    "saxpy.x.npy": spread(50, 53, 9).astype(np.float32),
    "saxpy.y.npy": spread(50, 59, 7).astype(np.float32),
    "matrix_a.npy": spread(256, 251, 63).astype(np.float32).reshape(16, 16),
    "matrix_b.npy": spread(256, 241, 61).astype(np.float32).reshape(16, 16),
    "transpose.wide.npy": spread(60, 61, 3).astype(np.float32).reshape(5, 12),
}


# The kernels. Each changes its arrays as the kernel does: `blocks` of `threads` threads, all
# dimensions together, have run.


def vector_add(blocks, threads, a, b, total, n):
    total[:n] = a[:n] + b[:n]


def saxpy(blocks, threads, a, x, y, n):
    y[:n] = np.float64(np.float32(a)) * x[:n] + y[:n]


def dot_product(blocks, threads, a, b, sums, n):
    products = np.zeros(blocks * threads)
    products[:n] = a[:n].astype(np.float64) * b[:n]
    sums[:] = products.reshape(blocks, threads).sum(axis=1)


def prefix_sum(blocks, threads, numbers, out):
    out[:] = np.cumsum(numbers)


def transpose(blocks, threads, matrix, out, height, width):
    out[:] = matrix.reshape(height, width).T


def matrix_product(blocks, threads, a, b, c, size):
    c[:] = a.astype(np.float64) @ b.astype(np.float64)


def histogram(blocks, threads, numbers, counts, n):
    counts += np.bincount(numbers[:n] % 8, minlength=8).astype(np.uint32)


def stencil(blocks, threads, numbers, out, n):
    out[:] = np.convolve(numbers, [1, 2, 1])[1:-1]


def maximum(blocks, threads, numbers, greatest, n):
    greatest[0] = max(greatest[0], numbers[:n].max())


def reverse(blocks, threads, cells):
    cells[:] = cells.reshape(blocks, threads)[:, ::-1].ravel()


def gather(blocks, threads, table, cells, places, out, n):
    out[:n] = [table[p] if 0 <= p < cells else -1 for p in places[:n]]


def bitonic_sort(blocks, threads, numbers):
    numbers.sort()


def collatz(blocks, threads, numbers, steps, n):
    for i in range(n):
        number, count = int(numbers[i]), 0
        while number != 1:
            number = 3 * number + 1 if number % 2 else number // 2
            count += 1
        steps[i] = count


def popcount(blocks, threads, words, bits, total, n):
    bits[:n] = [int(word).bit_count() for word in words[:n]]
    total[0] += bits[:n].sum()


def ballot(blocks, threads, numbers, who, some, each):
    is_odd = (numbers % 2 != 0).reshape(-1, WARP)
    who[:] = [sum(1 << lane for lane in range(WARP) if warp[lane]) for warp in is_odd]
    some[:] = is_odd.any(axis=1)
    each[:] = is_odd.all(axis=1)


def shuffle_sum(blocks, threads, numbers, sums):
    sums[:] = numbers.reshape(-1, WARP).sum(axis=1)


def last_block(blocks, threads, numbers, sums, ticket, total):
    sums[:] = numbers.reshape(blocks, threads).sum(axis=1)
    ticket[0] = 0
    total[0] = numbers.sum()


def past_the_end(blocks, threads, numbers, out, n):
    out[:] = 2 * numbers


def barrier_in_branch(blocks, threads, numbers, out, n):
    out[:n] = np.roll(numbers[:n], -1)


KERNELS = {
    **{kernel.__name__: kernel for kernel in (
        vector_add, saxpy, dot_product, prefix_sum, transpose, matrix_product, histogram, stencil,
        maximum, reverse, gather, bitonic_sort, collatz, popcount, ballot, shuffle_sum, last_block,
        past_the_end, barrier_in_branch)},
    "histogram_racy": histogram,  # what it means to compute
}


# The launch files.


def number(text):
    """An integer where it is one, which float() would round."""
    return float(text) if re.search(r"[.e]", text) else int(text)


def initial(kind, shape, text):
    """The cells of an INIT; of a .npy file, its own, which have to be of the type and shape."""
    word, *numbers = re.split("[:,]", text)
    cells = math.prod(shape)
    if word == "file":
        array = INPUTS[numbers[0]]
        assert (array.dtype, array.shape) == (np.dtype(kind), shape), text
        return array.copy()
    numbers = [number(text) for text in numbers]
    if word == "zeros":
        numbers = [0] * cells
    elif word == "fill":
        numbers = numbers * cells
    elif word == "iota":
        start, step = numbers + [0, 1][len(numbers):]
        numbers = [start + step * i for i in range(cells)]
    else:
        assert word == "list", text
    assert len(numbers) == cells, text
    return np.array(numbers, kind).reshape(shape)


def argument(spec):
    """An array of a buffer, or a number."""
    buffer = re.fullmatch(r"(\w+)\[([\dx]+)\](?:=(.+))?", spec)
    if buffer is None:
        return number(spec)
    kind, shape, init = buffer.groups()
    return initial(TYPES[kind], tuple(map(int, shape.split("x"))), init or "zeros")


def cells_of(extent):
    return math.prod(extent) if isinstance(extent, list) else extent


def main():
    results, launches, checked, wrong = {}, 0, 0, 0
    for path in sorted(HERE.glob("*.launch.toml")):
        kernel = path.name.removesuffix(".launch.toml")
        for launch in tomllib.loads(path.read_text())["launch"]:
            launches += 1
            if "expect" not in launch:
                continue
            arguments = [argument(spec) for spec in launch["args"]]
            for _ in range(launch.get("launches", 1)):
                blocks, threads = cells_of(launch.get("grid", 1)), cells_of(launch.get("block", 32))
                KERNELS[kernel](blocks, threads, *arguments)
            for parameter, wanted in launch["expect"].items():
                held = arguments[int(parameter)]
                if wanted.endswith(".npy"):
                    assert wanted not in results and wanted not in INPUTS, wanted
                    results[wanted] = held
                    continue
                checked += 1
                if not np.array_equal(held, initial(held.dtype, held.shape, wanted)):
                    wrong += 1
                    print(f"{path.name}: {launch['name']}: parameter {parameter} is {held}")
    for name, array in (INPUTS | results).items():
        np.save(HERE / name, array)
    print(f"{launches} launches: {checked} expectations checked, {wrong} wrong; "
          f"{len(INPUTS)} inputs and {len(results)} results written")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
