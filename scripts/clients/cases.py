"""Kernels of Triton, tinygrad and CuPy, launched by each library's own driver, and what they leave compared with NumPy.

    CLIENTS_LOG=FILE warpsim exec -- python cases.py triton|tinygrad|cupy [PATTERN]

The cases are those of `scripts/producers`, where the kernels are given to the simulator one by one; here the library finds
its GPU itself. FILE gets a line of JSON for each case.
"""

import ctypes
import json
import os
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "producers"))
# Those scripts keep accounts of their own.
os.environ.setdefault("PRODUCERS_OUT", tempfile.mkdtemp(prefix="warpsim-clients-"))
os.environ.setdefault("WARPSIM", "warpsim")


def write(test, verdict, words=""):
    with open(os.environ["CLIENTS_LOG"], "a") as log:
        log.write(json.dumps(dict(test=test, verdict=verdict, words=words[:500].replace("\n", " "))) + "\n")


class Managed:
    """An array in memory that host and device share, in the form in which Triton takes tensors."""

    def __init__(self, cuda, array):
        pointer = ctypes.c_uint64()
        answer = cuda.cuMemAllocManaged(ctypes.byref(pointer), ctypes.c_size_t(array.nbytes), 1)
        assert answer == 0, f"cuMemAllocManaged: {answer}"
        self.pointer, self.dtype = pointer.value, array.dtype
        memory = (ctypes.c_char * array.nbytes).from_address(pointer.value)
        self.array = np.frombuffer(memory, dtype=array.dtype).reshape(array.shape)
        self.array[...] = array

    def data_ptr(self):
        return self.pointer


def triton():
    """Each launch as a user writes it: `kernel[grid](...)`. No PyTorch: arrays are managed memory."""
    from triton.runtime import driver
    import triton_kernels
    driver.active.get_current_device()
    cuda = ctypes.CDLL("libcuda.so.1")

    def run(case):
        triton_kernels.expected_of(case)
        values = {name: Managed(cuda, v) if isinstance(v, np.ndarray) else v for name, v in case.values.items()}
        case.kernel[case.grid](**values, num_warps=case.warps, num_stages=case.stages)
        answer = cuda.cuCtxSynchronize()
        assert answer == 0, f"cuCtxSynchronize: {answer}"
        for name, value in values.items():
            if isinstance(value, Managed):
                case.values[name] = value.array.copy()
                cuda.cuMemFree_v2(ctypes.c_uint64(value.pointer))
        return case.is_right()

    for case in [*triton_kernels.cases(), *triton_kernels.tutorial_sizes()]:
        yield case.name, lambda case=case: run(case)


def tinygrad():
    import tinygrad_ops

    def run(name, compute, expected):
        got = compute().numpy()
        near = 2e-3 if "16" in name or "cores" in name else 2e-4
        return got.shape == np.shape(expected) and np.allclose(
            got.astype(np.float64), np.asarray(expected, dtype=np.float64), rtol=near, atol=2e-3)

    for name, compute, expected in tinygrad_ops.cases():
        yield name, lambda case=(name, compute, expected): run(*case)


def sorts(xp, draw):
    """What CuPy carries, compiled, in libraries."""
    x = draw.standard_normal((5, 200)).astype(np.float32)
    yield "sort", lambda: (xp.sort(xp.asarray(x), axis=1), np.sort(x, axis=1))
    yield "argsort", lambda: (xp.argsort(xp.asarray(x[0])), np.argsort(x[0]))
    yield "unique", lambda: (xp.unique(xp.asarray((x * 3).astype("int32"))), np.unique((x * 3).astype("int32")))
    yield "partition", lambda: (xp.sort(xp.partition(xp.asarray(x[0]), 20)[:20]), np.sort(x[0])[:20])
    yield "matmul", lambda: (xp.asarray(x) @ xp.asarray(x).T, x @ x.T)
    yield "random", lambda: (xp.random.rand(100) < 1, np.ones(100, bool))
    yield "fft", lambda: (xp.fft.fft(xp.asarray(x[0])).real, np.fft.fft(x[0]).real.astype(np.float32))


def cupy():
    import cupy
    from cupy import _core
    import cupy_kernels as kernels
    np.seterr(all="ignore")

    def run(compute, expected, accelerators=()):
        _core.set_reduction_accelerators(list(accelerators))
        made, want = compute(), expected()
        pairs = zip(made, want) if isinstance(made, tuple) else [(made, want)]
        return all(kernels.same(got.get(), np.asarray(want)) for got, want in pairs)

    draw = np.random.default_rng(4)
    for name, compute, expected in kernels.of_users(cupy):
        yield name, lambda case=(compute, lambda e=expected: e): run(*case)
    for name, both in sorts(cupy, draw):
        yield name, lambda both=both: (lambda pair: run(lambda: pair[0], lambda: pair[1]))(both())
    for form, accelerators in (("own", []), ("cub", ["cub"])):
        for name, case in kernels.reductions(np.random.default_rng(5)):
            yield f"{name}.{form}", lambda case=case, a=accelerators: run(lambda: case(cupy), lambda: case(np), a)
    for name, case in [*kernels.others(draw), *kernels.elementwise(draw)]:
        yield name, lambda case=case: run(lambda: case(cupy), lambda: case(np))


def main():
    warnings.simplefilter("ignore")
    pattern = sys.argv[2] if len(sys.argv) > 2 else ""
    cases = {"triton": triton, "tinygrad": tinygrad, "cupy": cupy}[sys.argv[1]]
    for name, run in cases():
        if pattern not in name:
            continue
        write(name, "begun")
        try:
            write(name, *(("passed",) if run() else ("failed", "differs")))
        except Exception as error:
            write(name, "failed", f"{type(error).__name__}: {error}")
    sys.stdout.flush()
    # What libraries keep they free while Python ends, when no function of Python can be called any more.
    os._exit(0)


if __name__ == "__main__":
    main()
