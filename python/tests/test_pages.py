"""The pages for users of numba, Triton and PyTorch show what `warpsim exec` says of their programs.

A page has `<!-- python: PACKAGE: ARGUMENTS -->` before a block of text. What the command prints with
these arguments, from the root of the repository, has that text in it. Numbers that go by the version
of a package do not count: lines of PTX, steps, registers, addresses, and the instruction itself.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MARK = re.compile(r"<!-- python: (\w+): (.*?) -->\n```text\n(.*?)```\n<!-- end -->", re.S)
SHOWN = [(page.name, *found) for page in sorted((ROOT / "docs").glob("*.md"))
         for found in MARK.findall(page.read_text())]


def masked(text):
    """The text without what another version of a package may change."""
    text = re.sub(r"module \d+:\d+|PTX line \d+", "PTX", text)
    text = re.sub(r"(?m)^ +\d+ (block .*? \w+\.py:\d+) .*", r"\1", text)  # a step
    return re.sub(r"(\w+\.(?:py|cu):\d+) +\w+\..*?(?= +\(PTX\))", r"\1", text)  # an instruction


@pytest.mark.parametrize("page, package, arguments, shown", SHOWN)
def test_a_page_shows_what_the_command_says(page, package, arguments, shown):
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"no {package}")
    if package == "torch" and not (shutil.which("ninja") and shutil.which("c++")):
        pytest.skip("no ninja, or no C++ compiler")
    from warpsim.module import command
    words = arguments.replace(" python ", f" {sys.executable} ").split()
    done = subprocess.run([command(), *words], cwd=ROOT, env={**os.environ, "NO_COLOR": "1"},
                          stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT,
                          stdout=subprocess.PIPE, text=True, timeout=600)
    said = done.stdout.replace(sys.executable, "python").replace(f"{ROOT}/", "")
    assert masked(shown) in masked(said), said
    assert done.returncode == int("error[" in shown), said


def test_there_are_such_pages():
    assert {page for page, *_ in SHOWN} == {"for-numba.md", "for-triton.md", "pytorch.md"}
