"""`warpsim.verify`: right, wrong, unsafe, refused and endless candidates."""

import json
import subprocess
import sys

import numpy
import pytest

import warpsim

from test_module import DOUBLE, HEAD, REVERSE, SPIN


def verified(*arguments, **named):
    """The document, which has the published form where a library for that is installed."""
    document = warpsim.verify(*arguments, **named)
    try:
        import jsonschema
    except ImportError:
        return document
    jsonschema.validate(json.loads(json.dumps(document)), warpsim.verify_schema())
    return document


def reference(x, n):
    x[:n] *= 2


def inputs(rng):
    cells = int(rng.integers(1, 200))
    x = rng.integers(0, 1 << 31, cells, dtype=numpy.uint32)
    return (cells + 31) // 32, 32, (x, int(rng.integers(0, cells + 1)))


def reverse_inputs(rng):
    return 1, 64, (rng.integers(0, 100, 64, dtype=numpy.uint32),)


def reversed_in_place(x):
    x[:] = x[::-1].copy()


def test_a_right_candidate_is_right_and_its_cost_is_said():
    document = verified(reference, DOUBLE, inputs, cases=4)
    assert document["verdict"] == "right" and len(document["cases"]) == 4, document
    assert all(row["cost"]["warp_instructions"] > 0 for row in document["cases"])
    assert len({tuple(map(tuple, row["shapes"])) for row in document["cases"]}) > 1
    json.dumps(document)


def test_a_wrong_candidate_is_wrong_at_its_cell():
    document = verified(reference, DOUBLE.replace("add.u32 %v, %v, %v", "add.u32 %v, %v, 3"),
                              inputs)
    assert document["verdict"] == "wrong"
    first = next(row["numbers"]["first_wrong"] for row in document["cases"]
                 if row["numbers"]["first_wrong"])
    assert int(first["want"]) != int(first["have"]) and first["argument"] == 0


@pytest.mark.parametrize("barrier, verdict", [("", "unsafe"), ("bar.sync 0;", "right")])
def test_a_racy_candidate_is_unsafe_and_its_twin_right(barrier, verdict):
    document = verified(reversed_in_place, REVERSE.replace("BARRIER", barrier),
                              reverse_inputs, cases=2)
    assert document["verdict"] == verdict, document
    codes = {finding["code"] for row in document["cases"] for finding in row["findings"]}
    assert ("race" in codes) == (verdict == "unsafe")


def test_an_access_outside_of_memory_is_unsafe():
    text = DOUBLE.replace("setp.ge.u32 %q, %t, %n; @%q ret;", "")
    document = verified(reference, text, inputs)
    assert document["verdict"] == "unsafe"
    assert document["cases"][0]["findings"][0]["code"] == "out-of-bounds"


def test_what_does_not_parse_is_refused_with_its_line():
    document = verified(reference, HEAD + ".visible .entry k( {", inputs)
    assert document["verdict"] == "refused" and "line 4" in document["error"], document


def test_an_endless_candidate_is_ended():
    def endless(rng):
        return 1, 1, (numpy.zeros(1, numpy.uint64),)
    document = verified(lambda x: None, SPIN, endless, cases=1, time_limit=3)
    assert document["verdict"] == "limit" and "3 s" in document["error"]


def test_the_command_prints_the_document(tmp_path):
    (tmp_path / "double.ptx").write_text(DOUBLE)
    (tmp_path / "ref.py").write_text(
        "import numpy\n"
        "def reference(x, n): x[:n] *= 2\n"
        "def inputs(rng): return 1, 32, (rng.integers(0, 9, 32, dtype=numpy.uint32), 20)\n")
    words = [sys.executable, "-m", "warpsim", "verify", "--reference", str(tmp_path / "ref.py"),
             "--candidate"]
    done = subprocess.run([*words, str(tmp_path / "double.ptx")], capture_output=True, text=True)
    assert done.returncode == 0 and json.loads(done.stdout)["verdict"] == "right", done
    done = subprocess.run([*words, "none.ptx"], capture_output=True, text=True)
    assert done.returncode == 2 and "cannot read none.ptx" in done.stderr


def test_the_schema_is_printed_and_refuses_another_document():
    done = subprocess.run([sys.executable, "-m", "warpsim", "schema"], capture_output=True,
                          text=True)
    assert json.loads(done.stdout) == warpsim.verify_schema()
    jsonschema = pytest.importorskip("jsonschema")
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"schema": 1, "verdict": "good"}, warpsim.verify_schema())
