"""Runs PyTorch's own test files on CUDA tensors under `warpsim exec`, and says what passes.

Each test of these files exists once for each device. A test counts where its CPU form passes and
its CUDA form is not skipped by PyTorch itself. The rate is the part of those that pass on CUDA.

    python scripts/pytorch_own_tests.py --tests PYTORCH/test --python VENV/bin/python FILE...

`PYTORCH/test` is the folder of a PyTorch source tree of the version that the environment holds.
The environment needs pytest, pytest-timeout, expecttest, hypothesis and numpy beside torch.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tests", type=Path, required=True, help="folder of PyTorch's tests")
    parser.add_argument("--python", required=True, help="interpreter that has torch")
    parser.add_argument("--warpsim", default="warpsim", help="the command")
    parser.add_argument("--limit", type=int, default=3000, help="seconds for a file and device")
    parser.add_argument("--each", type=int, default=60, help="seconds for one test")
    parser.add_argument("--keep", type=Path, help="folder for the results (JUnit) and logs")
    parser.add_argument("files", nargs="+", help="names such as test_view_ops.py")
    return parser.parse_args()


def run(given, name, device, folder):
    """Runs one file for one device; gives its outcomes by test, and whether it ended by itself."""
    results = folder / f"{name}.{device}.xml"
    # A class per test keeps its device in its name: `TestViewOpsCUDA`.
    # PyTorch's conftest.py is made for the pytest of its own CI.
    command = [given.python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--noconftest", "--tb=short",
               f"--timeout={given.each}", f"--junitxml={results}",
               # Those of 64-bit indexing take more memory than a small machine has.
               "-k", f"{device.upper()} and not 64bit_indexing", name]
    if device == "cuda":
        command = [given.warpsim, "exec", "--"] + command
    variables = dict(os.environ, PYTORCH_TESTING_DEVICE_ONLY_FOR=device, OMP_NUM_THREADS="1")
    with open(folder / f"{name}.{device}.log", "w") as log:
        try:
            subprocess.run(command, cwd=given.tests, env=variables, stdout=log,
                           stderr=subprocess.STDOUT, timeout=given.limit, check=False)
            ended = True
        except subprocess.TimeoutExpired:
            ended = False
    return (outcomes(results, device) if results.exists() else {}), ended and results.exists()


def outcomes(results, device):
    """The outcome of each test, by its name without the device."""
    found = {}
    for case in ElementTree.parse(results).iter("testcase"):
        # `tests.TestViewOpsCUDA`, `test_view_cuda_float32`.
        place = case.get("classname").split(".")[-1]
        if not place.endswith(device.upper()):
            continue
        name = f"{place[:-len(device)]}.{case.get('name').replace('_' + device, '', 1)}"
        kinds = {child.tag for child in case} & {"failure", "error", "skipped"}
        found[name] = kinds.pop() if kinds else "passed"
    return found


def main():
    given = arguments()
    folder = given.keep or Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    total = Counter()
    for name in given.files:
        cpu, whole_cpu = run(given, name, "cpu", folder)
        cuda, whole_cuda = run(given, name, "cuda", folder)
        asked = [test for test, outcome in cpu.items()
                 if outcome == "passed" and cuda.get(test, "skipped") != "skipped"]
        right = [test for test in asked if cuda[test] == "passed"]
        total.update(asked=len(asked), right=len(right))
        note = "" if whole_cpu and whole_cuda else " (did not end: not a whole result)"
        print(f"{name}: {len(right)} of {len(asked)}; tests on CUDA: "
              f"{dict(Counter(cuda.values()))}, on the CPU: {dict(Counter(cpu.values()))}{note}",
              flush=True)
        for test in asked:
            if cuda[test] != "passed":
                print(f"    {cuda[test]}: {test}", flush=True)
    if not total["asked"]:
        sys.exit("no test ran on both devices; the logs are in " + str(folder))
    print(f"all: {total['right']} of {total['asked']} "
          f"({100 * total['right'] / total['asked']:.1f} %); logs in {folder}")


if __name__ == "__main__":
    main()
