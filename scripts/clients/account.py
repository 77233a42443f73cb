"""A pytest plugin: writes down how each test ended, as it ends, so that a process that dies leaves what it had.

    CLIENTS_LOG=FILE python -m pytest -p account ...
"""

import json
import os

import pytest

LOG = os.environ["CLIENTS_LOG"]


def write(**row):
    with open(LOG, "a") as log:
        log.write(json.dumps(row) + "\n")


@pytest.fixture(scope="class")
def initialize_from_pytest_config(request):
    """What numba-cuda's repository has in a file that its package has not."""
    request.cls._dump_failed_filechecks = False


def pytest_runtest_setup(item):
    write(test=item.nodeid, verdict="begun", words="")


def pytest_runtest_makereport(item, call):
    error = call.excinfo
    if error is None:
        if call.when == "call":
            write(test=item.nodeid, verdict="passed", words="")
        return
    words = f"{error.typename}: {error.value}"[:500].replace("\n", " ")
    skipped = error.errisinstance(pytest.skip.Exception) or error.typename == "SkipTest"
    expected = item.get_closest_marker("xfail") or getattr(item.obj, "__unittest_expecting_failure__", False)
    verdict = "skipped" if skipped else "expected" if expected else "failed"
    write(test=item.nodeid, verdict=verdict, words=words)


def pytest_collectreport(report):
    if report.failed:
        write(test=report.nodeid, verdict="failed", words=f"cannot be collected: {str(report.longrepr)[-300:]}")
