"""Runs one kernel launch with the `warpsim` command and keeps account of it.

What a producer of PTX (numba, Triton, ...) would give to a GPU comes here: the text, the kernel,
the launch and the arguments, whose arrays live in this process as NumPy arrays. After the launch
they hold what the kernel left there, as they would after copies from a device.

Every launch is one line of `launches.jsonl` in the output folder: producer, kernel, hash of the
text, the test it belongs to, and how far it came. `table.py` counts these lines.
"""

import ctypes
import hashlib
import json
import os
import struct
import subprocess
import tempfile
from pathlib import Path

import numpy as np

STAGES = ("unparsed", "parsed", "lowered", "ran")

#: Exit codes of the command: see the book, "Exit codes".
UNSUPPORTED, BAD_INPUT, BUG = 3, 2, 101


class LaunchFailed(Exception):
    """The simulator did not complete the launch; the message is its own."""


class Refused(LaunchFailed):
    """Something in the module or the launch is not supported."""


class Output:
    """The output folder of one producer, and the command that runs its launches."""

    def __init__(self, producer, folder=None, command=None, timeout=120):
        self.producer = producer
        self.folder = Path(folder or os.environ["PRODUCERS_OUT"]) / producer
        self.folder.mkdir(parents=True, exist_ok=True)
        self.command = command or os.environ["WARPSIM"]
        self.timeout = timeout
        self.test = None

    def keep(self, ptx):
        """Writes a PTX text once, and gives its path."""
        if isinstance(ptx, str):
            ptx = ptx.encode()
        path = self.folder / (hashlib.sha256(ptx).hexdigest()[:16] + ".ptx")
        if not path.exists():
            path.write_bytes(ptx)
        return path

    def log(self, **fields):
        """Adds a line to the account."""
        with open(self.folder / "launches.jsonl", "a", encoding="utf-8") as out:
            out.write(json.dumps({"producer": self.producer, "test": self.test, **fields}) + "\n")

    def launch(self, ptx, kernel, grid, block, arguments, shared=0, linked=()):
        """Runs a launch. `arguments` are one for each parameter: a C-contiguous or strided NumPy
        array (a pointer to its first element), a `ctypes` scalar, `None` for a null pointer,
        `bytes` or a `Struct` for a struct passed by value. `linked` are further PTX texts."""
        path = self.keep(ptx)
        with tempfile.TemporaryDirectory() as scratch:
            placed = Placed(Path(scratch))
            words = [placed.spec(argument) for argument in arguments]
            line = [self.command, "run", str(path), "--kernel", kernel, "--format", "json",
                    "--values", "none", "--grid", ",".join(map(str, grid)),
                    "--block", ",".join(map(str, block)), "--shared", str(shared)]
            line += [word for text in linked for word in ("--link", str(self.keep(text)))]
            line += [word for spec in words for word in ("--arg", spec)]
            line += placed.dumps()
            try:
                done = subprocess.run(line, capture_output=True, text=True, timeout=self.timeout)
            except subprocess.TimeoutExpired:
                self.log(kernel=kernel, ptx=path.name, stage="lowered", words="over time")
                raise LaunchFailed("over time") from None
            self.judge(done, kernel, path)
            placed.take_back()
            document = json.loads(done.stdout)
            return document.get("printed", "")

    def judge(self, done, kernel, path):
        """Says how far a launch came, and raises where it did not complete."""
        words = first_line(done.stderr)
        if done.returncode == 0:
            self.log(kernel=kernel, ptx=path.name, stage="ran", words="")
            return
        stage = {UNSUPPORTED: "parsed", BAD_INPUT: "refused", BUG: "bug"}.get(done.returncode, "lowered")
        if done.returncode not in (0, 1, 2, 3, 4, 101):
            stage = "bug"
        self.log(kernel=kernel, ptx=path.name, stage=stage, words=words)
        raise (Refused if stage in ("parsed", "refused") else LaunchFailed)(words)


def first_line(text):
    """The first line of a message, which says what is wrong."""
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[0].strip() if lines else ""


class Struct:
    """A struct passed by value: its size, plain bytes, and arrays whose addresses stand in it."""

    def __init__(self, data, pointers=()):
        self.data = bytes(data)
        self.pointers = dict(pointers)


class Placed:
    """The arrays of one launch: which of them share memory, and the files they travel in."""

    def __init__(self, folder):
        self.folder = folder
        self.ranges = []
        self.count = 0

    def spec(self, argument):
        """An argument as `--arg` takes it."""
        at = self.count
        self.count += 1
        return self.word(argument, str(at))

    def word(self, argument, place):
        if argument is None:
            return "null"
        if isinstance(argument, (bytes, bytearray)):
            return "bytes:" + bytes(argument).hex()
        if isinstance(argument, Struct):
            return self.struct(argument, place)
        if isinstance(argument, np.ndarray):
            return self.array(argument, place)
        return scalar(argument)

    def struct(self, argument, place):
        parts = []
        data = bytearray(argument.data)
        for at, array in argument.pointers.items():
            parts.append(f"{at}: {self.word(array, f'{place}.{at}')}")
        for at in range(0, len(data), 8):
            piece = bytes(data[at:at + 8])
            if any(piece) and at not in argument.pointers:
                for step in range(0, len(piece), 4):
                    four = piece[step:step + 4]
                    if len(four) == 4:
                        parts.append(f"{at + step}: u32:{struct.unpack('<I', four)[0]}")
                    else:
                        parts += [f"{at + step + i}: u8:{b}" for i, b in enumerate(four)]
        return "{" + ", ".join(parts) + "}"

    def array(self, array, place):
        low, high = bounds(array)
        if high == low:
            return "null"
        first = array.__array_interface__["data"][0]
        for start, end, where, _, _ in self.ranges:
            if start <= low and high <= end:
                more = first - start
                return f"@{where}+{more}" if more else f"@{where}"
            if start < high and low < end:
                raise LaunchFailed("arrays of two arguments overlap in part")
        if first != low:
            raise LaunchFailed("an array with a negative stride comes first")
        data = memory(low, high - low)
        path = self.folder / f"{len(self.ranges)}.raw"
        data.tofile(path)
        self.ranges.append((low, high, place, data, self.folder / f"{len(self.ranges)}.npy"))
        return f"u8[{high - low}]=file:{path}"

    def dumps(self):
        return [word for *_, where, _, path in self.ranges for word in ("--dump", f"{where}={path}")]

    def take_back(self):
        """Copies what the launch left into the arrays."""
        for *_, data, path in self.ranges:
            left = np.load(path)
            if not np.array_equal(left, data):
                data[...] = left


def bounds(array):
    """The first and the last byte of an array, plus one."""
    if array.size == 0:
        return 0, 0
    first = array.__array_interface__["data"][0]
    low, high = first, first + array.itemsize
    for extent, stride in zip(array.shape, array.strides):
        if stride < 0:
            low += (extent - 1) * stride
        else:
            high += (extent - 1) * stride
    return low, high


def memory(address, size):
    """Bytes of this process as an array, not a copy."""
    return np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(address))


def scalar(value):
    """A `ctypes` or NumPy scalar as `--arg` takes it, exact."""
    if isinstance(value, ctypes.c_float):
        return "f32:0f%08x" % struct.unpack("<I", struct.pack("<f", value.value))
    if isinstance(value, ctypes.c_double):
        return "f64:0d%016x" % struct.unpack("<Q", struct.pack("<d", value.value))
    if isinstance(value, np.floating):
        bits = value.tobytes()
        kind = {2: "f16", 4: "f32", 8: "f64"}[len(bits)]
        mark = {2: "0x", 4: "0f", 8: "0d"}[len(bits)]
        return f"{kind}:{mark}{int.from_bytes(bits, 'little'):0{2 * len(bits)}x}"
    if isinstance(value, (bool, np.bool_)):
        return str(int(value))
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    return str(int(value.value))
