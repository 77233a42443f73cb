#!/usr/bin/env python3
"""Runs the conformance files on an NVIDIA GPU and says where it differs from what they expect.

It needs the driver (libcuda) and nothing else. Launches that are to end in a finding or a deadlock, and those that are only
for the lockstep model, are left out. The format of the files is in tests/conformance/README.md.
"""

import ctypes
import glob
import os
import struct
import sys

CUDA = ctypes.CDLL("libcuda.so.1")


def call(function, *arguments):
    """Calls the driver; an error is an exception."""
    result = getattr(CUDA, function)(*arguments)
    if result:
        raise RuntimeError(f"{function}: error {result}")


def cell(ty, text):
    """The bytes of one number."""
    size = int(ty[1:]) // 8
    if text.startswith("0x"):
        value = int(text, 16)
    elif ty[0] == "f":
        value = int.from_bytes(struct.pack("<f" if size == 4 else "<d", float(text)), "little")
    else:
        value = int(text)
    return (value % (1 << 8 * size)).to_bytes(size, "little")


def cells(ty, text):
    """The bytes of a list of numbers, repetitions and ranges."""
    out = b""
    for piece in text.replace(",", " ").split():
        if "*" in piece:
            value, times = piece.split("*")
            out += cell(ty, value) * int(times)
        elif ".." in piece:
            first, last = piece.split("..")
            last, step = (last.split(":") + ["1"])[:2]
            for value in range(int(first), int(last) + 1, int(step)):
                out += cell(ty, str(value))
        else:
            out += cell(ty, piece)
    return out


def cases(text):
    """The launches that a file describes: settings, arguments, expected buffers, outcome."""
    found = []
    for line in text.splitlines():
        if not line.startswith("// ") or ": " not in line:
            continue
        word, rest = line[3:].split(": ", 1)
        if word == "RUN":
            settings = dict(setting.split("=") for setting in rest.split())
            found.append({"settings": settings, "ARG": [], "EXPECT": [], "OUTCOME": "completed"})
        elif word in ("ARG", "EXPECT"):
            found[-1][word].append(rest)
        elif word == "OUTCOME":
            found[-1][word] = rest
    return found


def argument(text):
    """A kernel parameter: a value, or the address of a new buffer."""
    ty, values = (part.strip() for part in text.split("="))
    data = cells(ty.removesuffix("[]"), values)
    if not ty.endswith("[]"):
        return ctypes.create_string_buffer(data, len(data))
    pointer = ctypes.c_uint64()
    call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(len(data)))
    call("cuMemcpyHtoD_v2", pointer, data, ctypes.c_size_t(len(data)))
    return pointer


def launch(text, case):
    """Runs a case and gives the differences."""
    module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
    settings = case["settings"]
    call("cuModuleLoadData", ctypes.byref(module), text.encode())
    name = settings.get("kernel", "k").encode()
    call("cuModuleGetFunction", ctypes.byref(kernel), module, name)
    arguments = [argument(a) for a in case["ARG"]]
    table = (ctypes.c_void_p * len(arguments))(*map(ctypes.addressof, arguments))
    shape = lambda key, default: [int(n) for n in (settings.get(key, default) + ",1,1").split(",")][:3]
    shared = int(settings.get("shared", 0))
    sizes = [*shape("grid", "1"), *shape("block", "32"), shared]
    call("cuLaunchKernel", kernel, *sizes, None, table, None)
    call("cuCtxSynchronize")
    differences = []
    for expected in case["EXPECT"]:
        which, values = expected.split("=")
        number, ty = which.split()
        data, size = cells(ty, values), int(ty[1:]) // 8
        found = ctypes.create_string_buffer(len(data))
        call("cuMemcpyDtoH_v2", found, arguments[int(number)], ctypes.c_size_t(len(data)))
        for at in range(0, len(data), size):
            one, other = found.raw[at : at + size], data[at : at + size]
            if one != other:
                place = f"argument {number} cell {at // size}"
                differences.append(f"{place}: {one[::-1].hex()}, not {other[::-1].hex()}")
    return differences


def main():
    context = ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)
    here = os.path.dirname(os.path.abspath(__file__))
    good = bad = 0
    for path in sorted(glob.glob(os.path.join(here, "../tests/conformance/*.ptx"))):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for case in cases(text):
            if case["OUTCOME"] != "completed" or case["settings"].get("model") == "lockstep":
                continue
            try:
                differences = launch(text, case)
            except RuntimeError as error:
                differences = [str(error)]
            good, bad = (good, bad + 1) if differences else (good + 1, bad)
            for difference in differences[:8]:
                print(f"{os.path.basename(path)} {case['settings']}: {difference}")
    print(f"{good} launches as expected, {bad} not")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
