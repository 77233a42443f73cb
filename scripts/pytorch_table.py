#!/usr/bin/env python3
"""Runs the programs of scripts/pytorch with each Python that is named, and prints a table.

    scripts/pytorch_table.py PYTHON...      each one with PyTorch's CUDA build, and expecttest

Needed: warpsim in PATH, a C++ compiler, clang and ninja for the extension.
"""

import argparse
import pathlib
import subprocess
import sys

PROGRAMS = pathlib.Path(__file__).resolve().parent / "pytorch"
LIMIT = 1800


def run(python, name, *arguments, check=False):
    """The exit code of a program under `warpsim exec`, and what it wrote."""
    words = ["warpsim", "exec", *(["--check"] if check else []), "--", python,
             str(PROGRAMS / name), *arguments]
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return 124, f"longer than {LIMIT} s"
    return done.returncode, done.stdout


def said(python, name, prefix, *arguments):
    """What the last line of a program says that begins so, and whether the program ended with 0."""
    code, text = run(python, name, *arguments)
    lines = [line for line in text.splitlines() if line.startswith(prefix)]
    print(text, file=sys.stderr)
    return lines[-1].removeprefix(prefix) if lines else f"stopped with {code}", code == 0


def checked(python, name, *arguments):
    """The same of a program whose last line counts its checks."""
    code, text = run(python, name, *arguments)
    last = (text.strip().splitlines() or [""])[-1]
    return last.partition(" (")[0] if "wrong" in last else f"stopped with {code}", code == 0


def trained(python):
    code, text = run(python, "training.py")
    return "equal to the CPU's" if code == 0 else f"not equal: {text[-300:]}", code == 0


def compiled(python):
    code, text = run(python, "compiled.py", check=True)
    return f"{text.count('right, forward and backward')} of 3 right", code == 0


def extension(python):
    clean, _ = run(python, "extension.py", check=True)
    racy, text = run(python, "extension.py", "racy", check=True)
    is_found = racy == 1 and "error[race]" in text
    words = (f"clean: {'no finding' if clean == 0 else f'code {clean}'}; "
             f"racy: {'found' if is_found else f'code {racy}'}")
    return words, clean == 0 and is_found


COLUMNS = {
    "operations": lambda python: said(python, "operations.py", "operations: "),
    "random numbers": lambda python: said(python, "random_numbers.py", "random numbers: "),
    "half precision": lambda python: said(python, "half_precision.py", "half precision: "),
    "nested tensors": lambda python: checked(python, "nested.py"),
    "edges": lambda python: checked(python, "edges.py"),
    "CUDA graphs": lambda python: checked(python, "graphs.py", "--compile"),
    "training": trained,
    "`torch.compile`": compiled,
    "extension": extension,
}


def row(python):
    """The cells of a version, and whether all is as it should be."""
    version = subprocess.run([python, "-c", "import torch; print(torch.__version__)"],
                             stdout=subprocess.PIPE, text=True, check=True)
    cells = [column(python) for column in COLUMNS.values()]
    return [version.stdout.strip(), *(words for words, _ in cells)], all(ok for _, ok in cells)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("python", nargs="+")
    all_right = True
    print(f"| PyTorch | {' | '.join(COLUMNS)} |\n|{'---|' * (len(COLUMNS) + 1)}")
    for python in parser.parse_args().python:
        cells, is_right = row(python)
        all_right &= is_right
        print(f"| {' | '.join(cells)} |", flush=True)
    return int(not all_right)


if __name__ == "__main__":
    sys.exit(main())
