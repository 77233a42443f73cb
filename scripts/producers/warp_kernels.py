"""NVIDIA Warp's own tests on its CPU device, each launch repeated by warpsim from Warp's CUDA source.

Warp writes C++ for a kernel, for the CPU and for CUDA alike. When a test launches a kernel on the
CPU, the same kernel's CUDA source is compiled by NVRTC and launched on copies of the arrays; both must
leave the same, up to rounding. Arrays are structs passed by value here, with a pointer in each.

    python warp_kernels.py [warp.tests.test_lerp]...
"""

import ctypes
import importlib
import os
import signal
import sys
import unittest
from pathlib import Path

import numpy as np
import warp as wp
import warp._src.context as context
import warp._src.types as warp_types

import cuda_source
from launching import LaunchFailed, Output, Struct, memory, time_left

OUT = Output("warp")
ARCHITECTURE = 80
NATIVE = Path(wp.__file__).parent / "native"
BLOCK = 256

#: Tests of other processes, pictures, packages, profilers, the network, and of structures that only live on one device.
ELSEWHERE = ("aot", "deterministic", "interop", "geometry", "fem", "test_examples", "test_render_opengl", "test_large", "test_cuda_profiler",
             "test_graph", "test_coloring", "test_external_build", "test_fabricarray", "test_diagnostics", "test_import",
             "test_module_parallel_load", "test_allocator", "test_allocation_tracker", "test_devices", "test_logger")

built = {}


def module_source(module):
    """The PTX of a module's kernels, compiled once."""
    key = tuple(kernel.get_mangled_name() for kernel in module._get_live_kernels())
    if (module.name, key) not in built:
        options = {**context.ModuleBuilder.__dict__.get("defaults", {}), **module.options,
                   "block_dim": BLOCK, "output_arch": ARCHITECTURE}
        builder = context.ModuleBuilder(module, options, target="cuda")
        source = builder.codegen("cuda")
        built[module.name, key] = cuda_source.compiled(
            source, f"{module.name}.cu", f"compute_{ARCHITECTURE}",
            [f"-I{NATIVE}", "--device-as-default-execution-space", "-DWP_ENABLE_CUDA=1"])
    return built[module.name, key]


class Seen:
    """The arrays that the parameters of a launch point to, as copies."""

    def __init__(self):
        self.arrays = {}

    def copy_of(self, address, size):
        for start, array in self.arrays.items():
            if start <= address and address + size <= start + array.size:
                return array[address - start:address - start + size]
        self.arrays[address] = memory(address, size).copy()
        return self.arrays[address]

    def pointers(self, value, item, at=0):
        """Where in a parameter's bytes there are pointers, and the copies they lead to."""
        out = {}
        if isinstance(value, warp_types.array_t):
            if value.data:
                ends = [(value.shape[i] - 1) * value.strides[i] for i in range(value.ndim)]
                if min(ends, default=0) < 0:
                    raise LaunchFailed("an array with a negative stride")
                if all(value.shape[i] for i in range(value.ndim)):
                    out[at + type(value).data.offset] = self.copy_of(value.data, sum(ends) + item)
        elif isinstance(value, ctypes.Structure):
            for name, *_ in value._fields_:
                field = getattr(type(value), name)
                out.update(self.pointers(getattr(value, name), 16, at + field.offset))
        return out


def repeat(kernel, params):
    """The launch on the simulator: copies of the arrays as it leaves them."""
    seen = Seen()
    ptx = module_source(kernel.module)
    words = []
    for i, value in enumerate(params):
        item = 16
        if 0 < i <= len(kernel.adj.args) and warp_types.is_array(kernel.adj.args[i - 1].type):
            item = warp_types.type_size_in_bytes(kernel.adj.args[i - 1].type.dtype)
        if isinstance(value, (ctypes.Structure, ctypes.Array)):
            found = seen.pointers(value, item)
            data = bytearray(bytes(value))
            gradient = getattr(warp_types.array_t, "grad", None)
            if isinstance(value, warp_types.array_t) and gradient is not None:
                data[gradient.offset:gradient.offset + 8] = bytes(8)
            for at in found:
                data[at:at + 8] = bytes(8)
            words.append(Struct(data, found) if any(data) or found else Struct(data))
        else:
            # A half is a struct in C++, and an integer in Python.
            words.append(bytes(value) if isinstance(value, ctypes.c_uint16) else value)
    total = params[0].size
    grid = max(1, -(-total // BLOCK))
    OUT.launch(ptx, kernel.get_mangled_name() + "_cuda_kernel_forward", (grid, 1, 1), (BLOCK, 1, 1), words)
    return seen


def invoke(kernel, hooks, params, adjoint):
    """What Warp does for a launch on the CPU, and the same on the simulator."""
    seen = None
    if not adjoint:
        try:
            seen = repeat(kernel, params)
        except LaunchFailed:
            pass
        except RuntimeError as error:
            OUT.log(kernel=kernel.key, ptx="", stage="uncompiled", words=str(error)[:200].replace("\n", " "))
    original(kernel, hooks, params, adjoint)
    if seen is None:
        return
    wrong = [address for address, left in seen.arrays.items() if not same(memory(address, left.size), left)]
    OUT.log(test_of=kernel.key, verdict="failed" if wrong else "passed",
            words=f"{len(wrong)} of {len(seen.arrays)} arrays differ" if wrong else "")


def same(a, b):
    """Bytes that are equal, or floats of one width that are close."""
    if np.array_equal(a, b):
        return True
    for kind, close in ((np.float32, 1e-4), (np.float64, 1e-9), (np.float16, 1e-2)):
        size = np.dtype(kind).itemsize
        if a.size % size == 0:
            with np.errstate(all="ignore"):
                if np.allclose(a.view(kind), b.view(kind), rtol=close, atol=close, equal_nan=True):
                    return True
    return False


class Account(unittest.TextTestResult):
    def startTest(self, test):
        OUT.begin(test.id())
        super().startTest(test)

    def stopTest(self, test):
        super().stopTest(test)
        if time_left() <= 0:
            self.stop()


def modules():
    """The names of Warp's test modules."""
    root = Path(wp.__file__).parent / "tests"
    for path in sorted(root.rglob("test_*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        if not set(parts) & set(ELSEWHERE):
            yield ".".join(("warp", "tests", *parts))


def tests_of(name):
    """The tests of a module."""
    return unittest.TestLoader().loadTestsFromModule(importlib.import_module(name))


def count(name):
    """Adds to the account how many tests a module has."""
    OUT.plan(tests_of(name).countTestCases())


def run(name):
    """Runs the tests of a module."""
    unittest.TextTestRunner(resultclass=Account, verbosity=0).run(tests_of(name))


def apart(do, names, seconds):
    """Does something with modules in processes of their own, which may crash or hang, as many at a time as there are cores."""
    running = {}
    for name in [*names, None]:
        while len(running) >= os.cpu_count() or name is None and running:
            child, status = os.wait()
            if status:
                print(f"{running[child]}: its process ended with {os.waitstatus_to_exitcode(status)}", file=sys.stderr)
            del running[child]
        if name is None or time_left() <= 0:
            continue
        child = os.fork()
        if child == 0:
            signal.alarm(int(min(seconds, time_left() + 300)))
            try:
                do(name)
            except Exception as error:
                print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
            sys.stderr.flush()
            os._exit(0)
        running[child] = name


def main():
    global original
    wp.config.quiet = True
    wp.init()
    original, context.invoke = context.invoke, invoke
    names = sys.argv[1:] or list(modules())
    apart(count, names, 120)
    apart(run, names, 1200)


if __name__ == "__main__":
    main()
