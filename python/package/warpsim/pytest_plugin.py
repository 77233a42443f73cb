"""`pytest --warpsim`: the tests run under the simulator, with every launch checked, and a finding
fails the test that launched the kernel.

The process that is called starts another under `warpsim exec --check`. There each test's launches
are waited for when it ends, and what the journal of the run has by then is the test's.
"""

import ctypes
import json
import os
import re
import subprocess
import sys
import tempfile

import pytest

# What says that this process runs under the simulator, and where its journal is.
OPTIONS = "WARPSIM_EXEC"
# Where the process under the simulator leaves pytest's own exit code.
STATUS = "WARPSIM_PYTEST_STATUS"


def pytest_addoption(parser):
    group = parser.getgroup("warpsim")
    group.addoption("--warpsim", action="store_true",
                    help="run under the simulator; findings fail the test that launched the kernel")
    group.addoption("--warpsim-option", action="append", default=[], metavar="OPTION",
                    help="an option for `warpsim exec`, such as --warpsim-option=--budget=all")


def pytest_configure(config):
    config.addinivalue_line(
        "markers", "warpsim(allow=(), schedules=None): findings of these codes are fine for a test")
    if os.environ.get(OPTIONS) and config.getoption("--warpsim"):
        config.pluginmanager.register(Watch(), "warpsim-watch")


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config, args):
    namespace = early_config.known_args_namespace
    # Before anything is imported or captured.
    if getattr(namespace, "warpsim", False) and not os.environ.get(OPTIONS):
        sys.stdout.flush()
        os._exit(_run_again(early_config.invocation_params.args, namespace.warpsim_option))
    yield


def _run_again(arguments, options):
    from .module import command
    program = command()
    if program is None:
        sys.stderr.write("warpsim: there is no `warpsim` command beside this package, or in PATH\n")
        return 4
    with tempfile.TemporaryDirectory() as folder:
        status = os.path.join(folder, "status")
        words = [program, "exec", "--check", "--max-findings", "0", "--error-exitcode", "0",
                 *options, "--", sys.executable, "-m", "pytest", *map(str, arguments)]
        done = subprocess.run(words, env={**os.environ, STATUS: status})
        try:
            with open(status, encoding="ascii") as file:
                return int(file.read())
        except (OSError, ValueError):
            return done.returncode or 3


class Watch:
    """Reads the journal of the run after each test."""

    def __init__(self):
        self.path = json.loads(os.environ[OPTIONS])["journal"]
        self.read = os.path.getsize(self.path)

    def findings(self):
        """What this process has found since the last time."""
        from . import _native
        _wait_for_the_device()
        with open(self.path, encoding="utf-8", errors="replace") as file:
            file.seek(self.read)
            text = file.read()
        whole = text.rfind("\n") + 1
        self.read += len(text[:whole].encode("utf-8", errors="replace"))
        all_found = []
        for line in text[:whole].splitlines():
            entry = next(iter(json.loads(line).values()), {})
            if entry.get("process") == os.getpid():
                all_found.extend(_native.journal(line))
        return all_found

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item):
        # What modules launched when they were imported is no test's.
        self.findings()
        yield

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        outcome = yield
        report = outcome.get_result()
        marker = item.get_closest_marker("warpsim")
        allowed = marker.kwargs.get("allow", ()) if marker else ()
        allowed = (allowed,) if isinstance(allowed, str) else allowed
        found = [one for one in self.findings() if one[0] not in allowed]
        if not found:
            return
        text = "\n".join(_text(one, item.nodeid) for one in found)
        for code, _, kernel, site, _ in found:
            item.user_properties.append(("warpsim", f"{code} in {kernel or 'copies'} at {site}"))
        report.user_properties = list(item.user_properties)
        if report.outcome == "passed":
            report.outcome, report.longrepr = "failed", text
        else:
            report.sections.append(("warpsim", text))

    def pytest_sessionfinish(self, session, exitstatus):
        path = os.environ.get(STATUS)
        # A worker of xdist has another session, whose end is not the end.
        if path and not hasattr(session.config, "workerinput"):
            with open(path, "w", encoding="ascii") as file:
                file.write(str(int(session.exitstatus)))


def _text(found, test):
    _, _, kernel, site, text = found
    text = text.replace("  = replay: ", "  = replay: pytest --warpsim --warpsim-option=--schedule=")
    text = re.sub(r"(?m)^(  = replay: .*)$", lambda line: f"{line[1]} {test}", text)
    notes = [f"  = kernel `{kernel}`"] if kernel else []
    notes += [f"  = launched by {site}"] if site else []
    return "\n".join([text.rstrip(), *notes])


def _wait_for_the_device():
    """What was launched has ended, and is in the journal; where nothing was, nothing happens."""
    try:
        ctypes.CDLL("libcuda.so.1").cuCtxSynchronize()
    except OSError:
        pass
