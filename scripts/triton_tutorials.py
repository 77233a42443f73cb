#!/usr/bin/env python3
"""Runs Triton's tutorials by their own checks, without their benchmarks, and prints a table.

    scripts/triton_tutorials.py PYTHON FOLDER     FOLDER: Triton's python/tutorials

Needed: warpsim in PATH; PYTHON with PyTorch's CUDA build, Triton, pytest and tabulate. A tutorial
is right when it ends with code 0, which its assertions decide; of 06, which is a file of tests, the
small ones are run. A second run of each, under `--check`, says what is found.
"""

import argparse
import pathlib
import subprocess
import sys
import time

TUTORIALS = (
    "01-vector-add", "02-fused-softmax", "03-matrix-multiplication", "04-low-memory-dropout",
    "05-layer-norm", "06-fused-attention", "08-grouped-gemm",
)
# One head of two, 128 numbers: the others take hours.
SMALL = "128-2-1]"
LIMIT = 1200
WITHOUT_BENCHMARKS = """
import runpy, sys, triton.testing
triton.testing.Mark.run = lambda *arguments, **named: None
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def run(python, path, is_checked):
    """Code, text and seconds of a tutorial."""
    what = ["-c", WITHOUT_BENCHMARKS, str(path)]
    if path.name.startswith("06"):
        what = ["-m", "pytest", "-q", "-k", SMALL, str(path)]
    words = ["warpsim", "exec", *(["--check"] if is_checked else []), "--", python, *what]
    start = time.monotonic()
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return 124, "", time.monotonic() - start
    return done.returncode, done.stdout, time.monotonic() - start


def summary(text):
    lines = [line for line in text.splitlines() if line.startswith("warpsim exec: ")]
    return lines[-1].partition(": ")[2] if lines else "no summary"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("python")
    parser.add_argument("folder", type=pathlib.Path)
    given = parser.parse_args()
    print("| tutorial | its own checks | seconds | under `--check` |\n|---|---|---|---|")
    all_right = True
    for name in TUTORIALS:
        path = given.folder / f"{name}.py"
        code, text, seconds = run(given.python, path, False)
        all_right &= code == 0
        said = "right" if code == 0 else f"stopped with {code}"
        if code != 0:
            print(text[-2000:], file=sys.stderr)
        checked, found, _ = run(given.python, path, True)
        found = "longer than the limit" if checked == 124 else summary(found)
        print(f"| {name} | {said} | {seconds:.0f} | {found} |", flush=True)
    return int(not all_right)


if __name__ == "__main__":
    sys.exit(main())
