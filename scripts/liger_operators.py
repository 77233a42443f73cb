#!/usr/bin/env python3
"""Liger's Triton operators: their own tests under `--check`, and each with a race planted.

    git clone https://github.com/linkedin/Liger-Kernel
    pip install torch pytest pytest-timeout "transformers<5" && pip install --no-deps liger-kernel
    scripts/liger_operators.py --tests Liger-Kernel --python PYTHON [OPERATOR...]

The operators are those of the installed package; their tests, those of the clone. Of a test's forms,
those run whose sizes multiply to at most `--limit` elements, as far as their names tell sizes, at
most `--most` of a test function; those of several GPUs (`dtensor`) do not.
The race: in each kernel, the first program stores one element further on, which is where the next program
stores. It is planted in a copy of the package. It counts as found if a race between two blocks is
reported, and none is without it.
"""

import argparse
import collections
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# Operators by the name of their file, with the file of their tests where it has another name.
OPERATORS = """
softmax layer_norm rms_norm group_norm dyt poly_norm fused_add_rms_norm modulated_rms_norm
relu_squared swiglu geglu rope llama4_rope qwen2vl_mrope cross_entropy fused_linear_cross_entropy
jsd kl_div tvd sparsemax multi_token_attention attn_res mhc grpo_loss fused_linear_jsd
""".split()

# Sums that are fused in lanes of their own differ in the last place (docs/pytorch.md).
ENVIRONMENT = {"TRITON_DEFAULT_FP_FUSION": "0", "WARPSIM_AUTOTUNE": "1"}


def sizes(test):
    """The whole numbers of a form."""
    form = test.partition("[")[2].rstrip("]")
    return [int(part) for part in re.findall(r"(?<![\d.e])\d+(?![\d.e])", form)]


def elements(test):
    return math.prod(size for size in sizes(test) if size > 1)


def of_several_rows(tests):
    """Those of them that two programs share, the smallest first."""
    several = [t for t in tests if min(sizes(t), default=1) > 1 and elements(t) >= 64]
    return sorted(several or tests, key=elements)


class Package:
    """Where the operators are, and how a test is run with them."""

    def __init__(self, arguments):
        self.python, self.tests = arguments.python, pathlib.Path(arguments.tests).resolve()
        self.timeout = arguments.timeout
        where = "import liger_kernel; print(liger_kernel.__path__[0])"
        found = subprocess.run([self.python, "-c", where], check=True, capture_output=True,
                               text=True, cwd="/")
        self.folder = pathlib.Path(found.stdout.strip())

    def pytest(self, arguments, folder, check=True):
        environment = {**os.environ, **ENVIRONMENT}
        command = ["warpsim", "exec", *["--check"] * check, "--", self.python, "-m", "pytest", "-q",
                   "-p", "no:cacheprovider", f"--timeout={self.timeout}",
                   "-o", f"pythonpath=. {folder}", *arguments]
        done = subprocess.run(command, cwd=self.tests, env=environment, capture_output=True,
                              text=True, check=False)
        return done.stdout + done.stderr

    def forms(self, operator, limit, most):
        """The forms of an operator's tests that are small enough, and how many there are."""
        listed = self.pytest(["--collect-only", f"test/transformers/test_{operator}.py"],
                             self.folder.parent, check=False)
        every = [line for line in listed.splitlines() if "::" in line and " " not in line[:80]]
        by_function = collections.defaultdict(list)
        for test in every:
            if elements(test) <= limit and "dtensor" not in test:
                by_function[test.partition("[")[0]].append(test)
        small = [t for forms in by_function.values() for t in sorted(forms, key=elements)[:most]]
        return small, len(every)

    def planted(self, operator, into):
        """A copy of the package with the race in an operator; in how many places."""
        shutil.copytree(self.folder, into / "liger_kernel")
        path = into / "liger_kernel" / "ops" / f"{operator}.py"
        text = path.read_text()
        number = " + ".join(f"tl.program_id({axis})" for axis in range(3))
        further = f"tl.store(({number} == 0).to(tl.int32) + "
        path.write_text(text.replace("tl.store(", further))
        return text.count("tl.store(")


def count(word, printed):
    found = re.search(rf"(\d+) {word}", printed)
    return int(found[1]) if found else 0


def findings(printed):
    """How many findings there are, and how many of them are races between two blocks."""
    reports = re.split(r"^(?=(?:error|warning)\[)", printed, flags=re.M)[1:]
    blocks = [re.findall(r"thread \([\d,]+\) of block (\([\d,]+\))", r) for r in reports]
    between = sum(len(set(of[:2])) == 2 and report.startswith("error[race]")
                  for report, of in zip(reports, blocks))
    return len(reports), between


def tried(package, operator, arguments):
    """Whether an operator is as it should be; prints its row."""
    small, every = package.forms(operator, arguments.limit, arguments.most)
    if not small:
        print(f"| {operator} | no test of at most {arguments.limit} elements | | |", flush=True)
        return False
    printed = package.pytest(small, package.folder.parent)
    passed, failed = count("passed", printed), count("failed", printed) + count("error", printed)
    skipped, (clean, between) = count("skipped", printed), findings(printed)
    with tempfile.TemporaryDirectory() as folder:
        places = package.planted(operator, pathlib.Path(folder))
        racy = package.pytest(of_several_rows(small)[:arguments.planted], pathlib.Path(folder))
    races = findings(racy)[1]
    print(f"| {operator} | {passed} of {len(small) - skipped} ({every} forms) | {clean}, "
          f"{between} between blocks | {races} races in {places} places |", flush=True)
    if arguments.verbose:
        print(printed[-3000:], racy[-3000:], sep="\n-----\n", flush=True)
    return failed == 0 and passed > 0 and races > 0 and between == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("operators", nargs="*", default=OPERATORS)
    parser.add_argument("--tests", required=True)
    parser.add_argument("--python", required=True)
    parser.add_argument("--limit", type=int, default=100_000)
    parser.add_argument("--most", type=int, default=4)
    parser.add_argument("--planted", type=int, default=2)
    parser.add_argument("--timeout", type=int, default=300)
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    package = Package(arguments)
    print("| operator | its own tests | findings | planted |\n|---|---|---|---|", flush=True)
    right = sum(tried(package, operator, arguments) for operator in arguments.operators)
    print(f"{right} of {len(arguments.operators)} as they should be")
    return 0 if right == len(arguments.operators) else 1


if __name__ == "__main__":
    sys.exit(main())
