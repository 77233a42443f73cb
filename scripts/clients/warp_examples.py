"""A slice of NVIDIA Warp's own tests on its CUDA device: its kernels are compiled by Warp, and launched by its own library.

    CLIENTS_LOG=FILE WARP_CACHE_PATH=FOLDER warpsim exec -- python warp_examples.py [MODULE]...
"""

import importlib
import json
import os
import sys
import unittest

import warp as wp

MODULES = "test_arithmetic test_array test_atomic test_conditional test_func test_launch test_vec test_mat".split()


def write(**row):
    with open(os.environ["CLIENTS_LOG"], "a") as log:
        log.write(json.dumps(row) + "\n")


class Account(unittest.TextTestResult):
    def startTest(self, test):
        write(test=test.id(), verdict="begun", words="")
        super().startTest(test)

    def addSuccess(self, test):
        write(test=test.id(), verdict="passed", words="")
        super().addSuccess(test)

    def addSkip(self, test, reason):
        write(test=test.id(), verdict="skipped", words=reason)
        super().addSkip(test, reason)

    def told(self, test, error):
        write(test=test.id(), verdict="failed", words=f"{error[0].__name__}: {error[1]}"[:300].replace("\n", " "))

    def addError(self, test, error):
        self.told(test, error)
        super().addError(test, error)

    def addFailure(self, test, error):
        self.told(test, error)
        super().addFailure(test, error)


def cuda_alone(suite):
    """Tests of a module come once for each device; those of the CPU say nothing here."""
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from cuda_alone(test)
        elif not test.id().endswith("_cpu"):
            yield test


def main():
    wp.config.quiet = True
    wp.init()
    for name in sys.argv[1:] or MODULES:
        try:
            tests = unittest.TestLoader().loadTestsFromModule(importlib.import_module(f"warp.tests.{name}"))
        except Exception as error:
            write(test=name, verdict="failed", words=f"{type(error).__name__}: {error}"[:300])
            continue
        unittest.TextTestRunner(resultclass=Account, verbosity=0).run(unittest.TestSuite(cuda_alone(tests)))
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
