"""Modules and kernels."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile

from . import _native, arguments, errors
from .report import Report


def command():
    """The path of the `warpsim` command of this package; that in PATH where it has none."""
    names = [os.path.join(sysconfig.get_path("scripts"), "warpsim"),
             os.path.join(os.path.dirname(sys.executable), "warpsim")]
    return next((name for name in names if os.access(name, os.X_OK)), None) or \
        shutil.which("warpsim")


def _native_call(function, *values):
    try:
        return function(*values)
    except _native.NativeError as error:
        raise errors.of_native(error) from None


def _extent(value, what):
    """One number, or up to three, as three."""
    values = (value,) if isinstance(value, int) else tuple(value)
    if not 1 <= len(values) <= 3 or any(int(v) < 1 or int(v) >= 1 << 32 for v in values):
        raise errors.LaunchError(f"{what} is {value}: give one to three numbers from 1 on")
    return [int(v) for v in values] + [1] * (3 - len(values))


class Module:
    """A PTX module.

    >>> module = warpsim.Module.from_ptx(text)
    >>> module.kernels()
    ['reverse']
    """

    def __init__(self, native, name):
        self._native = native
        self.name = name

    @classmethod
    def from_ptx(cls, source, name="module.ptx"):
        """A module from PTX.

        source: the text.
        name: what findings call its file.
        Raises SyntaxError.
        """
        return cls(_native_call(_native.Module.from_ptx, name, source), name)

    @classmethod
    def from_cuda(cls, source, name="kernel.cu", *, arch=None, include=(), options=(),
                  naive=False):
        """A module from CUDA C++.

        source: the text.
        name: what findings call its file.
        arch: `compute_80`, ...
        include: folders for `#include`.
        options: further options of the compiler.
        naive: the compiler keeps every access, as without optimisation.
        NVRTC compiles it where that is installed (`pip install nvidia-cuda-nvrtc`); else clang
        does, by `warpsim nvcc`. Raises CompileError.
        """
        folders = [os.fspath(folder) for folder in include]
        try:
            native = _native.Module.from_cuda(name, source, arch, folders, list(options), naive)
        except _native.NativeError as error:
            if "NVRTC" not in error.args[1]:
                raise errors.of_native(error) from None
            native = _by_clang(source, name, arch, folders, options, error)
        return cls(native, name)

    def kernels(self):
        """The names of its kernels in the PTX."""
        return self._native.kernels()

    def kernel(self, name=None):
        """A kernel by its name in the PTX or in its source; the only one where there is one.

        Raises LaunchError.
        """
        if name is None:
            names = self.kernels()
            if len(names) != 1:
                raise errors.LaunchError(f"name a kernel; there are {', '.join(names) or 'none'}")
            name = names[0]
        return Kernel(self, _native_call(self._native.kernel_named, name))

    @property
    def ptx(self):
        """The module as PTX."""
        return self._native.ptx()

    def __repr__(self):
        return f"<warpsim.Module {self.name}: {', '.join(self.kernels())}>"


def _by_clang(source, name, arch, folders, options, without):
    program = command()
    if program is None:
        raise errors.of_native(without) from None
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, os.path.basename(name) or "kernel.cu")
        made = os.path.join(folder, "made.ptx")
        with open(path, "w", encoding="utf-8") as file:
            file.write(source)
        words = [program, "nvcc", "-ptx", "-lineinfo", path, "-o", made]
        words += [f"-arch={arch}"] if arch else []
        words += [word for one in folders for word in ("-I", one)] + list(options)
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode != 0:
            raise errors.CompileError(done.stderr.strip() or without.args[1])
        with open(made, encoding="utf-8") as file:
            return _native_call(_native.Module.from_ptx, name, file.read())


class Kernel:
    """A kernel of a module, to be launched.

    The arguments are numpy arrays for pointers, numbers, and bytes for structs. Arrays go to the
    device before the launch and come back after it, in place. Keywords of every launch:

    shared: bytes of dynamic shared memory.
    cooperative: all blocks are there at once (`grid.sync()`).
    schedule: which warp goes next: `in-order`, `random:SEED`, `adversarial`, ...
    model: `independent` or `lockstep`.
    shared_init: what shared memory holds at first: `zero`, `poison`, `random:SEED`, `leftover`.
    max_steps: a limit for the instructions of a launch.
    time_limit: seconds after which it is ended, with TimeLimitError.
    threads: how many threads of the CPU work.
    """

    def __init__(self, module, name):
        self.module = module
        self.name = name
        self._parameters = _native_call(module._native.parameters, name)

    @property
    def parameters(self):
        """The type in PTX, the bytes, and whether it is a struct, of each parameter."""
        return list(self._parameters)

    def run(self, grid, block, *args, **settings):
        """Runs a launch once. A Report; raises LaunchError, TimeLimitError."""
        return self._launched(_native.run, grid, block, args, settings, False)

    def check(self, grid, block, *args, uninitialized=True, **settings):
        """Runs a launch under several schedules, and looks for races, accesses outside of memory,
        values that nobody wrote, barriers that not all threads reach, and the like. A Report."""
        settings["uninitialized"] = uninitialized
        return self._launched(_native.run, grid, block, args, settings, True)

    def explore(self, grid, block, *args, strategy="all", schedules=64, seed=0, **settings):
        """Runs a launch under many schedules, and compares what they come to. A Report.

        strategy: `all`, `random`, `pct`, `exhaustive`, `exhaustive-warps`.
        """
        chosen = (strategy, schedules, seed)
        return self._launched(_native.explore, grid, block, args, settings, chosen)

    def trace(self, grid, block, *args, **settings):
        """The steps of a launch, one after the other, as they happen: dictionaries with `block`,
        `warp`, `active`, `text`, `reads`, `writes`, `memory`, ... Arrays stay as they were."""
        shape, options = _shape_and_settings(grid, block, settings)
        given, _ = arguments.given(self._parameters, args)
        native = self.module._native
        steps = _native_call(_native.trace, native, self.name, shape, given, options)
        return Trace(steps)

    def _launched(self, function, grid, block, args, settings, *more):
        shape, options = _shape_and_settings(grid, block, settings)
        given, arrays = arguments.given(self._parameters, args)
        document, texts, left = _native_call(
            function, self.module._native, self.name, shape, given, options, *more)
        return Report(json.loads(document), texts, arguments.take_back(arrays, left))

    def __repr__(self):
        return f"<warpsim.Kernel {self.name} of {self.module.name}>"


def _shape_and_settings(grid, block, settings):
    known = dict(shared=0, cooperative=False, schedule=None, model="independent",
                 shared_init="zero", max_steps=None, threads=None, time_limit=None,
                 uninitialized=True)
    unknown = sorted(set(settings) - set(known))
    if unknown:
        raise TypeError(f"no setting `{unknown[0]}`; there are {', '.join(sorted(known))}")
    s = {**known, **settings}
    options = _native_call(_native.Settings, s["schedule"], s["model"], s["shared_init"],
                           s["max_steps"], s["threads"], s["time_limit"], s["uninitialized"])
    shape = (_extent(grid, "the grid"), _extent(block, "the block"), int(s["shared"]),
             bool(s["cooperative"]))
    return shape, options


class Trace:
    """The steps of a launch. It ends where nobody asks for more."""

    def __init__(self, native):
        self._steps = native

    def __iter__(self):
        return self

    def __next__(self):
        try:
            return json.loads(next(self._steps))
        except _native.NativeError as error:
            raise errors.of_native(error) from None

    @property
    def outcome(self):
        """How the launch ended; None before it has."""
        return self._steps.outcome
