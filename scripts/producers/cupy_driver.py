"""A stand-in for the CUDA driver under CuPy: memory is that of this process, a launch is one of `warpsim`.

CuPy's modules take the functions of `cupy_backends.cuda.api.runtime` and `driver` from a table that Cython
keeps in each module, when they are imported. `install` puts functions of ours into these tables, so it has
to run before `import cupy`. What it does not put there stays CuPy's own, and fails without a driver.

An exception cannot pass through CuPy's compiled code from here: `failures` keeps them for the caller.
"""

import ctypes
import os
import re

os.environ.update(CUPY_COMPILE_WITH_PTX="1", CUPY_CACHE_IN_MEMORY="1", CUPY_ACCELERATORS="")

import numpy as np
from cupy_backends.cuda.api import driver, runtime

from launching import Inside, Struct, memory

CAPABILITY = (9, 0)
#: By the numbers of `cudaDeviceAttr`: threads in a block, blocks along x, bytes of shared memory, lanes of a warp,
#: multiprocessors, and the compute capability.
ATTRIBUTES = {1: 1024, 5: 2**31 - 1, 8: 49152, 10: 32, 16: 132, 75: CAPABILITY[0], 76: CAPABILITY[1]}
PROPERTIES = {"warpSize": 32, "multiProcessorCount": 132, "name": b"warpsim", "major": CAPABILITY[0], "minor": CAPABILITY[1]}
#: The types of C that Cython's signatures are made of; others are pointers.
C_TYPES = {"PyObject *": ctypes.py_object, "int": ctypes.c_int, "unsigned int": ctypes.c_uint,
           "size_t": ctypes.c_size_t, "intptr_t": ctypes.c_ssize_t}
NUMBERS = {"u8": ctypes.c_uint8, "s8": ctypes.c_int8, "b8": ctypes.c_uint8, "u16": ctypes.c_uint16,
           "s16": ctypes.c_int16, "b16": ctypes.c_uint16, "u32": ctypes.c_uint32, "s32": ctypes.c_int32,
           "b32": ctypes.c_uint32, "f32": ctypes.c_float, "u64": ctypes.c_uint64, "s64": ctypes.c_int64,
           "b64": ctypes.c_uint64, "f64": ctypes.c_double}

capsule_name = ctypes.pythonapi.PyCapsule_GetName
capsule_name.argtypes, capsule_name.restype = [ctypes.py_object], ctypes.c_char_p
new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.argtypes, new_capsule.restype = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p], ctypes.py_object

kept = []          # what CuPy holds addresses of
allocations = {}   # address: array
modules = []       # PTX texts, by handle - 1
functions = []     # (PTX text, kernel), by handle - 1
failures = []      # launches that did not complete, since the caller last looked


def replace(module, name, stand):
    """Puts `stand` in the place of a function of a Cython module, for Python and for compiled code."""
    signature = capsule_name(module.__pyx_capi__[name])
    result, words = re.fullmatch(r"(.*?) ?\((.*)\)", signature.decode()).groups()
    words = [re.sub(r" ?__pyx_skip_dispatch$", "", word) for word in words.split(", ") if word != "void"]

    def called(*given):
        made = stand(*given[:-1])  # the last says how Cython was called
        # ctypes would drop one reference too many of `None`, which nobody looks at.
        return True if made is None else made

    kind = ctypes.PYFUNCTYPE(C_TYPES[result], *(C_TYPES.get(word, ctypes.c_void_p) for word in words))
    entry = kind(called)
    kept.append((entry, signature))
    module.__pyx_capi__[name] = new_capsule(ctypes.cast(entry, ctypes.c_void_p), signature, None)
    setattr(module, name, stand)


def allocate(size):
    """Memory for so many bytes, by its address."""
    array = np.zeros(max(size, 1), np.uint8)
    allocations[array.ctypes.data] = array
    return array.ctypes.data


def copy(to, source, size, *_):
    ctypes.memmove(to, source, size)


def load(ptx):
    modules.append(bytes(ptx).rstrip(b"\0").decode())
    return len(modules)


def function(module, name):
    functions.append((modules[module - 1], name))
    return len(functions)


def at(address):
    """The place in an allocation that an address is, or `None` where nothing is allocated."""
    for start, array in allocations.items():
        if start <= address < start + array.size:
            return Inside(array, address - start)
    return None


def parameters(ptx, kernel):
    """The parameters that a kernel declares: type, and number of elements where it is an array."""
    header = re.search(rf"\.entry\s+{re.escape(kernel)}\s*\((.*?)\)", ptx, re.S).group(1)
    for line in header.split(","):
        kind = re.search(r"\.([usbf]\d+)\b", line).group(1)
        count = re.search(r"\[(\d+)\]", line)
        yield kind, int(count.group(1)) if count else None


def argument(kind, count, address):
    """What a launch passes at an address of this process."""
    if count is not None:
        data = bytearray(memory(address, count))
        found = {}
        for place in range(0, count - 7, 8):
            array = at(int.from_bytes(data[place:place + 8], "little"))
            if array is not None:
                found[place] = array
                data[place:place + 8] = bytes(8)
        return Struct(data, found)
    number = NUMBERS[kind].from_address(address)
    array = at(number.value) if kind in ("u64", "b64") else None
    return number if array is None else array


def launcher(out):
    """What stands in for `cuLaunchKernel`, with launches that go to `out`."""
    def launch(handle, gx, gy, gz, bx, by, bz, shared, stream, params, extra):
        ptx, kernel = functions[handle - 1]
        try:
            given = ctypes.cast(params, ctypes.POINTER(ctypes.c_void_p))
            words = [argument(kind, count, given[i]) for i, (kind, count) in enumerate(parameters(ptx, kernel))]
            out.launch(ptx, kernel, (gx, gy, gz), (bx, by, bz), words, shared)
        except Exception as error:
            failures.append(error)
    return launch


def install(out):
    """Puts the stand-ins in place; launches go to `out`, an `Output`."""
    for name, stand in {
        "getDevice": lambda: 0, "getDeviceCount": lambda: 1, "setDevice": lambda device: None,
        "runtimeGetVersion": lambda: 13000, "driverGetVersion": lambda: 13000, "_getCUDAMajorVersion": lambda: 13,
        "getDeviceProperties": lambda device: PROPERTIES,
        "deviceGetAttribute": lambda name, device: ATTRIBUTES[name],
        "malloc": allocate, "free": lambda address: allocations.pop(address, None) is None,
        "memcpy": copy, "memcpyAsync": copy,
        "memset": lambda to, value, size: copy(to, bytes([value]) * size, size),
        "memsetAsync": lambda to, value, size, stream: copy(to, bytes([value]) * size, size),
        "pointerGetMemoryType": lambda address: 0, "hostAlloc": lambda size, flags: allocate(size),
        "freeHost": lambda address: allocations.pop(address, None) is None,
        "streamIsCapturing": lambda stream: 0, "streamSynchronize": lambda stream: None,
        "_ensure_context": lambda: None, "deviceSynchronize": lambda: None, "eventCreateWithFlags": lambda flags: 1,
        "eventRecord": lambda event, stream: None, "eventDestroy": lambda event: None,
        "eventSynchronize": lambda event: None,
    }.items():
        replace(runtime, name, stand)
    for name, stand in {
        "moduleLoadData": load, "moduleGetFunction": function, "moduleUnload": lambda module: None,
        "launchKernel": launcher(out), "funcGetAttribute": lambda name, function: 0,
        "funcSetAttribute": lambda function, name, value: None,
    }.items():
        replace(driver, name, stand)
    import cupy
    cupy.cuda.set_allocator(None)
