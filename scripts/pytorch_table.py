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


def row(python):
    """The cells of a version."""
    said = subprocess.run([python, "-c", "import torch; print(torch.__version__)"],
                          stdout=subprocess.PIPE, text=True, check=True)
    cells, is_right = [said.stdout.strip()], True
    code, text = run(python, "operations.py")
    is_right &= code == 0
    lines = [line for line in text.splitlines() if line.startswith("operations:")]
    cells.append(lines[-1].partition(": ")[2] if lines else f"stopped with {code}")
    print(text, file=sys.stderr)
    code, text = run(python, "random_numbers.py")
    is_right &= code == 0
    lines = [line for line in text.splitlines() if line.startswith("random numbers:")]
    cells.append(lines[-1].partition(": ")[2] if lines else f"stopped with {code}")
    code, text = run(python, "half_precision.py")
    is_right &= code == 0
    lines = [line for line in text.splitlines() if line.startswith("half precision:")]
    cells.append(lines[-1].partition(": ")[2] if lines else f"stopped with {code}")
    code, text = run(python, "training.py")
    is_right &= code == 0
    cells.append("equal to the CPU's" if code == 0 else f"not equal: {text[-300:]}")
    code, text = run(python, "compiled.py", check=True)
    is_right &= code == 0
    cells.append(f"{text.count('right, forward and backward')} of 3 right")
    clean, _ = run(python, "extension.py", check=True)
    racy, text = run(python, "extension.py", "racy", check=True)
    is_found = racy == 1 and "error[race]" in text
    is_right &= clean == 0 and is_found
    cells.append(f"clean: {'no finding' if clean == 0 else f'code {clean}'}; "
                 f"racy: {'found' if is_found else f'code {racy}'}")
    return cells, is_right


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("python", nargs="+")
    all_right = True
    print("| PyTorch | operations | random numbers | half precision | training "
          "| `torch.compile` | extension |\n|---|---|---|---|---|---|---|")
    for python in parser.parse_args().python:
        cells, is_right = row(python)
        all_right &= is_right
        print(f"| {' | '.join(cells)} |", flush=True)
    return int(not all_right)


if __name__ == "__main__":
    sys.exit(main())
