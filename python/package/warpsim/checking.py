"""One call that checks: a kernel in PTX or CUDA C++, or a Python function that launches kernels."""

import json
import os
import subprocess
import sys
import tempfile

from . import errors
from .module import Kernel, Module, command
from .report import Report, _finding


def _kernel(source, name, options):
    if isinstance(source, Kernel):
        return source
    if isinstance(source, Module):
        return source.kernel(name)
    path = os.fspath(source)
    file = "kernel.cu"
    if "\n" not in path and os.path.exists(path):
        file = path
        with open(path, encoding="utf-8") as opened:
            path = opened.read()
    is_ptx = file.endswith(".ptx") or ".address_size" in path or ".visible .entry" in path
    if is_ptx:
        return Module.from_ptx(path, "kernel.ptx" if file == "kernel.cu" else file).kernel(name)
    return Module.from_cuda(path, file, **options).kernel(name)


def check(source, kernel=None, grid=1, block=32, args=(), *, compile=None, time_limit=None,
          **settings):
    """Checks a kernel, or what a Python function launches. A Report.

    source: PTX, CUDA C++, the path of either, a Module, a Kernel; or a function of a module that
        can be imported, which takes no arguments and launches kernels by PyTorch, Triton, numba,
        CuPy, ...: it runs in a process of its own, under `warpsim exec --check`.
    kernel: its name, where there are several.
    grid, block, args: as of `Kernel.check`, with its other keywords.
    compile: keywords for `Module.from_cuda`.
    time_limit: seconds, after which TimeLimitError is raised.
    """
    if callable(source) and not isinstance(source, Kernel):
        return _of_function(source, time_limit)
    chosen = _kernel(source, kernel, compile or {})
    return chosen.check(grid, block, *args, time_limit=time_limit, **settings)


def _of_function(function, time_limit):
    program = command()
    if program is None:
        raise errors.SettingError("there is no `warpsim` command beside this package, or in PATH")
    where, name = function.__module__, function.__qualname__
    if "<" in name:
        raise errors.SettingError(f"{name} cannot be imported by another process: give a function "
                                  "of a module")
    file = getattr(sys.modules.get(where), "__file__", None)
    if where == "__main__":
        load = (f"import runpy; m = runpy.run_path({file!r}, run_name='__warpsim__'); "
                f"m[{name!r}]()")
    else:
        load = f"import importlib; m = importlib.import_module({where!r}); m.{name}()"
    code = f"import sys; sys.path[:0] = {sys.path!r}; {load}"
    with tempfile.TemporaryDirectory() as folder:
        found = os.path.join(folder, "found.json")
        words = [program, "exec", "--check", "--error-exitcode", "0", "--report", found, "--",
                 sys.executable, "-c", code]
        try:
            done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  timeout=time_limit)
        except subprocess.TimeoutExpired:
            raise errors.TimeLimitError(f"ended after {time_limit} s, the time that was given") \
                from None
        if not os.path.exists(found):
            raise errors.WarpsimError(done.stderr.strip())
        with open(found, encoding="utf-8") as file:
            document = json.load(file)
    if done.returncode != 0 and not document.get("findings"):
        raise errors.WarpsimError(f"{name} ended with {done.returncode}:\n{done.stderr.strip()}")
    report = Report({"outcome": "finding" if document.get("findings") else "completed",
                     "stats": {}, "printed": done.stdout, **document, "findings": []}, [], ())
    rows = document.get("findings", [])
    report.findings = tuple(_finding(row, row["message"]) for row in rows)
    report.document = document
    return report
