"""numba-cuda's own tests, with warpsim in the place of the GPU.

A kernel that a test calls is compiled to PTX by numba itself (no GPU is needed for that), run with
the `warpsim` command, and the test then judges what is in its arrays. What stands between the two,
arrays on a device, streams, events, is as little as the tests need: arrays stay where they are.

    python numba_tests.py [PATTERN]
"""

import ctypes
import os
import re
import sys
import warnings
from pathlib import Path

os.environ.setdefault("NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS", "0")
os.environ.setdefault("NUMBA_CUDA_WARN_ON_IMPLICIT_COPY", "0")

import numpy as np
import pytest
from cuda.core._utils.cuda_utils import CUDAError
from numba import cuda
from numba.core import types
from numba.cuda import dispatcher
from numba.cuda.args import ArgHint, In
from numba.cuda.cudadrv import nvrtc
from numba.cuda.cudadrv.linkable_code import LinkableCode
from numba.cuda.memory_management.nrt import rtsys

import cuda_source
from launching import Impossible, LaunchFailed, Output, time_left

CAPABILITY = (9, 0)
OUT = Output("numba")


class DeviceArray(np.ndarray):
    """An array as `cuda.to_device` gives it; its memory is that of this process."""

    def copy_to_host(self, ary=None, stream=0):
        host = np.array(self, copy=True, order="K").view(np.ndarray)
        if ary is None:
            return host
        ary[...] = host
        return ary

    def copy_to_device(self, ary, stream=0):
        self[...] = np.asarray(ary)

    @property
    def gpu_data(self):
        return None

    def is_c_contiguous(self):
        return self.flags.c_contiguous

    def is_f_contiguous(self):
        return self.flags.f_contiguous


def on_device(array):
    return np.array(array, copy=True, order="K").view(DeviceArray)


def plain(value):
    """An argument without what numba wraps it in."""
    if isinstance(value, ArgHint):
        # What a kernel does to an `In` stays on the device.
        value = np.array(value.value) if isinstance(value, In) else value.value
    return np.asarray(value) if isinstance(value, DeviceArray) else value


def texts(kernel):
    """The PTX with a kernel's entry, and that of what is linked to it."""
    if not hasattr(kernel, "warpsim_texts"):
        library = kernel._codelibrary
        made = library.get_asm_strs() + [linkable(code) for code in library._linking_files]
        own = [ptx for ptx in made if re.search(rf"\.entry\s+{re.escape(kernel.entry_name)}\s*\(", ptx)]
        kernel.warpsim_texts = own[0], [ptx for ptx in made if ptx is not own[0]]
    return kernel.warpsim_texts


def text_of(code):
    """PTX as numba hands it on: text or bytes."""
    return code if isinstance(code, str) else bytes(code).rstrip(b"\0").decode()


def nvrtc_compile(src, name, cc, ltoir=False, lineinfo=False, debug=False):
    """CUDA C++ that numba links to kernels, as PTX."""
    root = Path(dispatcher.__file__).parent
    more = [f"-I{root / 'include' / '13'}", f"-I{root / 'memory_management'}",
            "--relocatable-device-code=true"]
    return cuda_source.compiled(src, name or "linked.cu", "compute_%d%d" % cc[:2], more), ""


def linkable(code):
    """The PTX of what is linked to a kernel: a file, an object of numba's, a text."""
    if isinstance(code, (str, bytes)) and len(code) > 500:
        return text_of(code)
    piece = LinkableCode.from_path_or_obj(code)
    if piece.kind == "cu":
        made, _ = nvrtc.compile(piece.data, piece.name, CAPABILITY, ltoir=False)
        return text_of(made)
    if piece.kind == "ptx":
        return text_of(piece.data)
    raise LaunchFailed(f"linked code that is no PTX: {piece.kind}")


def launch(self, args, griddim, blockdim, stream=0, sharedmem=0):
    """What numba does for `kernel[grid, block](*args)`, once it has chosen the kernel."""
    words, back = [], []
    for kind, arg in zip(self.argument_types, args):
        for extension in reversed(self.extensions):
            kind, arg = extension.prepare_args(kind, arg, stream=0, retr=[])
        flatten(kind, plain(arg), words, back)
    ptx, linked = texts(self)
    try:
        OUT.launch(ptx, self.entry_name, three(griddim), three(blockdim), words, sharedmem, linked, self.cooperative)
    except Impossible as error:
        raise CUDAError(f"CUDA_ERROR_INVALID_VALUE: {error}") from None
    for done in back:
        done()


def three(shape):
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return tuple(int(n) for n in shape) + (1,) * (3 - len(shape))


def flatten(kind, value, words, back):
    """Adds the parameters that numba makes of one argument."""
    if isinstance(kind, types.Array):
        array = np.asarray(value)
        words += [ctypes.c_int64(0), ctypes.c_int64(0), ctypes.c_int64(array.size),
                  ctypes.c_int64(array.itemsize), array]
        words += [ctypes.c_int64(n) for n in array.shape + array.strides]
    elif isinstance(kind, types.Record):
        record = np.array(value, copy=True).reshape(1)
        words.append(record)
        back.append(lambda: np.asarray(value).__setitem__((), record[0]))
    elif isinstance(kind, types.BaseTuple):
        for k, v in zip(kind, value):
            flatten(k, v, words, back)
    elif isinstance(kind, types.EnumMember):
        flatten(kind.dtype, value.value, words, back)
    elif isinstance(kind, (types.NPDatetime, types.NPTimedelta)):
        words.append(ctypes.c_int64(int(value.view(np.int64))))
    elif kind == types.float16:
        words.append(ctypes.c_uint16(int(np.float16(value).view(np.uint16))))
    elif kind in (types.complex64, types.complex128):
        number = ctypes.c_float if kind == types.complex64 else ctypes.c_double
        words += [number(value.real), number(value.imag)]
    elif isinstance(kind, types.Float):
        words.append((ctypes.c_float if kind == types.float32 else ctypes.c_double)(value))
    elif isinstance(kind, types.Boolean):
        words.append(ctypes.c_uint8(bool(value)))
    elif isinstance(kind, types.Integer):
        words.append(getattr(ctypes, f"c_{kind}")(int(value)))
    else:
        raise NotImplementedError(f"an argument of {kind}")


class Anything:
    """What tests hand about without looking into: contexts, streams, events."""

    def __init__(self, **fields):
        self.__dict__.update(fields)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *a, **k: None

    def __enter__(self):
        return self

    def __exit__(self, *a):
        return False

    def auto_synchronize(self):
        return self

    def __int__(self):
        return 0


def array_of(shape, dtype=np.float64, strides=None, order="C", stream=0, **_):
    return np.zeros(shape, dtype=dtype, order=order).view(DeviceArray)


def install():
    """Puts the simulator where numba expects a device."""
    device = Anything(compute_capability=CAPABILITY, name=b"warpsim", id=0, MAX_GRID_DIM_X=2**31 - 1,
                      MULTIPROCESSOR_COUNT=132, WARP_SIZE=32, MAX_THREADS_PER_BLOCK=1024)
    context = Anything(device=device, get_max_potential_block_size=lambda **k: (132, 128))
    host = lambda *a, **k: np.asarray(array_of(*a, **k))
    stands = {
        "to_device": lambda obj, stream=0, copy=True, to=None: (
            on_device(obj) if to is None else (to.copy_to_device(obj), to)[1]),
        "device_array": array_of,
        "device_array_like": lambda a, stream=0: np.zeros_like(np.asarray(a)).view(DeviceArray),
        "pinned_array": host, "mapped_array": array_of, "managed_array": array_of,
        "pinned_array_like": lambda a: np.zeros_like(a),
        "mapped_array_like": lambda a, **k: np.zeros_like(a).view(DeviceArray),
        "pinned": lambda *a, **k: Anything(), "mapped": lambda *a, **k: Anything(),
        "as_cuda_array": lambda a, sync=True: a, "is_cuda_array": lambda a: isinstance(a, DeviceArray),
        "stream": lambda *a, **k: Anything(), "default_stream": lambda *a, **k: Anything(),
        "event": lambda *a, **k: Anything(), "synchronize": lambda *a, **k: None,
        "current_context": lambda *a, **k: context, "get_current_device": lambda *a, **k: device,
        "is_available": lambda: True, "defer_cleanup": lambda: Anything(), "close": lambda: None,
        "is_float16_supported": lambda: True, "is_bfloat16_supported": lambda: True,
    }
    from numba.cuda import api
    for name, stand in stands.items():
        for module in (cuda, api):
            if hasattr(module, name):
                setattr(module, name, stand)
    cuda.gpus = [device]
    for name in ("memsys_enable_stats", "memsys_disable_stats", "ensure_allocated", "ensure_initialized"):
        setattr(type(rtsys), name, lambda self, *a, **k: None)
    for module in list(sys.modules.values()):
        if module and module.__name__.startswith("numba.cuda"):
            for name, stand in (("get_context", lambda *a: context),
                                ("get_current_device", lambda *a: device)):
                if hasattr(module, name):
                    setattr(module, name, stand)
    from numba.cuda.cudadrv import driver
    driver._to_core_stream = lambda stream: stream
    nvrtc.compile = nvrtc_compile
    dispatcher._Kernel.launch = launch
    dispatcher._Kernel.bind = lambda self: None


def named(test):
    """The name of a test with its module."""
    parent = getattr(test.parent, "name", "")
    module = test.module.__name__.removeprefix("numba.cuda.tests.")
    return f"{module}::{parent}::{test.name}"


class Account:
    """A pytest plugin: sets the simulator in place, and logs how each test ended."""

    @pytest.fixture
    def initialize_from_pytest_config(self, request):
        request.cls.skip_low_occupancy = True

    def pytest_collection_finish(self, session):
        OUT.plan(len(session.items))

    def pytest_runtest_setup(self, item):
        OUT.begin(named(item))

    def pytest_runtest_teardown(self, item):
        if time_left() <= 0:
            item.session.shouldstop = "the time is over"

    def pytest_runtest_makereport(self, item, call):
        if call.when != "call" and call.excinfo is None:
            return
        error = call.excinfo
        if error is None:
            verdict, words = "passed", ""
        else:
            words = f"{error.typename}: {error.value}"[:400].replace("\n", " ")
            if error.errisinstance(pytest.skip.Exception) or error.typename == "SkipTest":
                verdict = "skipped"
            elif error.errisinstance(LaunchFailed):
                verdict = "refused"
            elif error.errisinstance(AssertionError):
                # numba reads from a variable of the module whether to raise something, which is not done here.
                verdict = "error" if "Error not raised" in words else "failed"
            else:
                verdict = "error"
        OUT.log(verdict=verdict, words=words)


#: Tests of other processes, threads, devices and caches on disk, which launch nothing of their own.
ELSEWHERE = ("test_caching", "test_multiprocessing", "test_multithreads", "test_ipc", "test_multigpu",
             "test_serialize", "test_cuda_array_interface")


def modules(pattern):
    import numba.cuda.tests as tests
    root = Path(tests.__path__[0])
    for folder in ("cudapy", "doc_examples", "core"):
        for path in sorted((root / folder).rglob("test_*.py")):
            if pattern in str(path) and path.stem not in ELSEWHERE:
                yield "numba.cuda.tests." + ".".join(path.relative_to(root).with_suffix("").parts)


def main():
    """Runs the tests in as many processes as there are cores, each with its share of the modules."""
    warnings.simplefilter("ignore")
    found = list(modules(sys.argv[1] if len(sys.argv) > 1 else ""))
    workers = min(os.cpu_count(), len(found))
    children = []
    for worker in range(workers):
        child = os.fork()
        if child == 0:
            install()
            pytest.main(["-q", "--pyargs", "--import-mode=importlib", "-p", "no:cacheprovider", "--no-header",
                         "--tb=" + os.environ.get("TB", "line"), "-W", "ignore", "--continue-on-collection-errors",
                         *found[worker::workers]], plugins=[Account()])
            sys.stdout.flush()
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)


if __name__ == "__main__":
    main()
