"""Records register-operations.json: what a GPU answers for every form of the instruction table.

Usage: python3 register_operations.py FOLDER > register-operations.json

FOLDER holds what the test `a_kernel_of_every_form_is_ptx_that_we_parse` writes, and all.cubin made of
it by ptxas. Needs a GPU and its driver, and no package.
"""

import array
import ctypes
import hashlib
import json
import pathlib
import sys

SETS, SOURCES, SHOWN = 1024, 4, 256
BLOCK = 256
MASK = (1 << 64) - 1

cuda = ctypes.CDLL("libcuda.so.1")


def call(function, *arguments):
    """Calls the driver, whose answer is 0."""
    code = getattr(cuda, function)(*arguments)
    if code != 0:
        sys.exit(f"{function} gave error {code}")


def uploaded(data):
    """Where a copy of the bytes lies on the device."""
    address = ctypes.c_uint64()
    call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(len(data)))
    call("cuMemcpyHtoD_v2", address, data, ctypes.c_size_t(len(data)))
    return address


def digest(words):
    """The sum of all words, each mixed with its place."""
    total = 0
    for place, word in enumerate(words, 1):
        z = word + place * 0x9E3779B97F4A7C15 & MASK
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
        z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
        total += z ^ z >> 31
    return total & MASK


def results_of(module, kernel, operands):
    """The words that a kernel leaves: the first results of all sets, then the second."""
    function = ctypes.c_void_p()
    call("cuModuleGetFunction", ctypes.byref(function), module, kernel.encode())
    size = 2 * SETS * 8
    call("cuMemsetD8_v2", results, ctypes.c_ubyte(0), ctypes.c_size_t(size))
    parameters = (ctypes.c_void_p * 2)(
        ctypes.cast(ctypes.byref(operands), ctypes.c_void_p),
        ctypes.cast(ctypes.byref(results), ctypes.c_void_p),
    )
    grid, block = (SETS // BLOCK, 1, 1), (BLOCK, 1, 1)
    call("cuLaunchKernel", function, *grid, *block, 0, None, parameters, None)
    words = array.array("Q", bytes(size))
    into = (ctypes.c_char * size).from_buffer(words)
    call("cuMemcpyDtoH_v2", into, results, ctypes.c_size_t(size))
    return words.tolist()


folder = pathlib.Path(sys.argv[1])
device, context, module = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p()
driver, name = ctypes.c_int(), ctypes.create_string_buffer(256)
call("cuInit", 0)
call("cuDriverGetVersion", ctypes.byref(driver))
call("cuDeviceGet", ctypes.byref(device), 0)
call("cuDeviceGetName", name, len(name), device)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
call("cuCtxSetCurrent", context)
call("cuModuleLoadData", ctypes.byref(module), (folder / "all.cubin").read_bytes())

data = (folder / "operands.bin").read_bytes()
size = SOURCES * SETS * 8
operands = [uploaded(data[at : at + size]) for at in range(0, len(data), size)]
results = uploaded(bytes(2 * SETS * 8))

forms, approximate = {}, {}
for number, line in enumerate((folder / "index.txt").read_text().splitlines()):
    form, at = line.split()
    words = results_of(module, f"k{number}", operands[int(at)])
    if (".approx" in form or form.startswith("div.full")) and form != "rsqrt.approx.f64":
        approximate["approx " + form] = " ".join(f"{word:x}" for word in words[:SHOWN])
    else:
        forms[form] = f"{digest(words):016x}"

recording = {
    "schema": 1,
    "device": name.value.decode(),
    "driver": driver.value,
    "ptx_sha256": hashlib.sha256((folder / "all.ptx").read_bytes()).hexdigest(),
    "operand_sets": SETS,
    **forms,
    **approximate,
}
json.dump(recording, sys.stdout, indent=0)
print()
