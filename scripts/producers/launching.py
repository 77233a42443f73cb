"""Runs one kernel launch with the `warpsim` command and keeps account of it.

What a producer of PTX (numba, Triton, ...) would give to a GPU comes here: the text, the kernel,
the launch and the arguments, whose arrays live in this process as NumPy arrays. After the launch
they hold what the kernel left there, as they would after copies from a device.

A producer begins no further test once PRODUCERS_SECONDS have passed since it started. The account has how many
tests there are and how many were begun.

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
import time
from pathlib import Path

import numpy as np

#: Exit codes of the command: see the book, "Exit codes".
STOPPED, BAD_INPUT, UNSUPPORTED = 1, 2, 3

#: When this producer started, and for how many seconds it may begin tests.
STARTED, SECONDS = time.monotonic(), float(os.environ.get("PRODUCERS_SECONDS", "inf"))


class LaunchFailed(Exception):
    """The simulator did not complete the launch; the message is its own."""


class Refused(LaunchFailed):
    """Something in the module or the launch is not supported."""


class Impossible(LaunchFailed):
    """No GPU would take the launch: too many threads, too much shared memory."""


def time_left():
    """Seconds in which tests may still begin; below zero when they are over."""
    return STARTED + SECONDS - time.monotonic()


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
            # Other processes look for it, too, and take it when it is there.
            unfinished = path.with_suffix(f".{os.getpid()}")
            unfinished.write_bytes(ptx)
            unfinished.replace(path)
        return path

    def log(self, **fields):
        """Adds a line to the account."""
        with open(self.folder / "launches.jsonl", "a", encoding="utf-8") as out:
            out.write(json.dumps({"producer": self.producer, "test": self.test, **fields}) + "\n")

    def plan(self, tests):
        """Adds to the account that there are so many tests (more)."""
        self.log(planned=tests)

    def begin(self, test):
        """Adds to the account that a test was begun, to which launches belong from now on."""
        self.test = test
        self.log(begun=1)

    def in_time(self, cases):
        """The cases, one by one, as long as there is time."""
        cases = list(cases)
        self.plan(len(cases))
        for case in cases:
            if time_left() <= 0:
                return
            yield case

    def launch(self, ptx, kernel, grid, block, arguments, shared=0, linked=(), cooperative=False):
        """Runs a launch. `arguments` are one for each parameter: a NumPy array (a pointer to its
        first element), an `Inside`, a `ctypes` scalar, `None` for a null pointer,
        `bytes` or a `Struct` for a struct passed by value. `linked` are further PTX texts."""
        path = self.keep(ptx)
        with tempfile.TemporaryDirectory() as scratch:
            placed = Placed(Path(scratch), arguments)
            words = [placed.word(argument, str(at)) for at, argument in enumerate(arguments)]
            line = [self.command, "run", str(path), "--kernel", kernel, "--format", "json",
                    "--values", "none", "--grid", ",".join(map(str, grid)),
                    "--block", ",".join(map(str, block)), "--shared", str(shared)]
            line += ["--cooperative"] if cooperative else []
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
        # Signals, too, are bugs of ours.
        stage = {UNSUPPORTED: "parsed", BAD_INPUT: "refused", STOPPED: "lowered"}.get(done.returncode, "bug")
        if "impossible launch" in words:
            stage = "impossible"
        self.log(kernel=kernel, ptx=path.name, stage=stage, words=words)
        raise {"impossible": Impossible, "parsed": Refused, "refused": Refused}.get(stage, LaunchFailed)(words)


def first_line(text):
    """The first line of a message, which says what is wrong."""
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[0].strip() if lines else ""


class Struct:
    """A struct passed by value: its size, plain bytes, and arrays whose addresses stand in it."""

    def __init__(self, data, pointers=()):
        self.data = bytes(data)
        self.pointers = dict(pointers)


class Inside:
    """An address so many bytes into an array, all of which the kernel may use."""

    def __init__(self, array, offset):
        self.array, self.offset = array, offset


class Placed:
    """The arrays of one launch: which of them share memory, and the files they travel in."""

    def __init__(self, folder, arguments):
        self.folder = folder
        self.first = {}  # where each range of memory was passed first, by its beginning
        self.ranges = joined(bounds(array) for argument in arguments for array in arrays_of(argument))

    def word(self, argument, place):
        """An argument as `--arg` takes it; `place` is how `@K` names it."""
        if argument is None:
            return "null"
        if isinstance(argument, (bytes, bytearray)):
            return "bytes:" + bytes(argument).hex()
        if isinstance(argument, Struct):
            return self.struct(argument, place)
        if isinstance(argument, (np.ndarray, Inside)):
            return self.array(argument, place)
        return scalar(argument)

    def struct(self, argument, place):
        parts = [f"{at}: {self.word(array, f'{place}.{at}')}" for at, array in argument.pointers.items()]
        for at in range(0, len(argument.data), 4):
            piece = argument.data[at:at + 4]
            if not any(piece) or at in argument.pointers or at - 4 in argument.pointers:
                continue
            parts.append(f"{at}: bytes:{piece.hex()}")
        return "{" + ", ".join(parts) + "}"

    def array(self, array, place):
        low, high = bounds(array)
        if high == low:
            return "null"
        start, end = next(r for r in self.ranges if r[0] <= low and high <= r[1])
        more = first_byte(array) - start
        more = f"+{more}" if more else ""
        if start in self.first:
            return f"@{self.first[start]}{more}"
        self.first[start] = place
        path = self.folder / f"{start}.raw"
        memory(start, end - start).tofile(path)
        return f"u8[{end - start}]{more}=file:{path}"

    def dumps(self):
        return [word for start, place in self.first.items()
                for word in ("--dump", f"{place}={self.folder / str(start)}.npy")]

    def take_back(self):
        """Copies what the launch left into the arrays."""
        for start, end in self.ranges:
            data, left = memory(start, end - start), np.load(self.folder / f"{start}.npy")
            if not np.array_equal(left, data):
                data[...] = left


def arrays_of(argument):
    """The arrays that an argument leads to."""
    if isinstance(argument, Struct):
        return list(argument.pointers.values())
    return [argument] if isinstance(argument, (np.ndarray, Inside)) else []


def joined(ranges):
    """Ranges of memory, with those that overlap made one."""
    out = []
    for low, high in sorted(r for r in ranges if r[0] < r[1]):
        if out and low < out[-1][1]:
            out[-1] = out[-1][0], max(high, out[-1][1])
        else:
            out.append((low, high))
    return out


def bounds(array):
    """The first and the last byte of an array, plus one."""
    if isinstance(array, Inside):
        return bounds(array.array)
    if array.size == 0:
        return 0, 0
    first = first_byte(array)
    low, high = first, first + array.itemsize
    for extent, stride in zip(array.shape, array.strides):
        if stride < 0:
            low += (extent - 1) * stride
        else:
            high += (extent - 1) * stride
    return low, high


def first_byte(array):
    """The address that stands for an array: that of its first element, which need not be the lowest."""
    if isinstance(array, Inside):
        return first_byte(array.array) + array.offset
    return array.__array_interface__["data"][0]


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
