"""Whether a kernel that somebody wrote does what a reference does, and does it safely: one document
for programs that write kernels.

The candidate is compiled and simulated in a process of its own, with limits for its time and its
memory; none of its code runs on the CPU itself. The reference is trusted, and runs here.
"""

import io
import json
import os
import resource
import subprocess
import sys

import numpy

from . import errors

# Of the document; a change that readers have to know of makes it another one.
SCHEMA = 1
# At most so many findings, and bytes of what a kernel printed, for each case.
FINDINGS, PRINTED = 20, 1 << 16


def verify(reference, candidate, inputs, *, cases=5, seed=0, kernel=None, schedules=16, rtol=1e-5,
           atol=1e-8, time_limit=60.0, memory_limit=4 << 30, compile=None):
    """Runs a candidate beside a reference on drawn inputs. A document: a dictionary that is JSON.

    reference: a function of the arguments, whose arrays it changes in place as the kernel should.
    candidate: CUDA C++ or PTX.
    inputs: a function of a `numpy.random.Generator` that gives `(grid, block, arguments)`, drawn
        anew for each case; or a list of such.
    cases: how many are drawn; seed: what from.
    kernel: its name, where the candidate has several.
    schedules: how many are explored for each case, beside those of `check`; 0 for none.
    rtol, atol: as of `numpy.isclose`; whole numbers have to be equal.
    time_limit: seconds for the compilation and all cases; memory_limit: bytes of the process.
    compile: keywords for `Module.from_cuda`.

    `verdict` is `right`; `wrong` (other numbers); `unsafe` (a race, an access outside of memory, a
    value that nobody wrote, a fault, results that depend on the schedule); `refused` (it does not
    compile, or cannot be launched); or `limit` (its time or memory is over). `cases` has for each
    case the numbers, the findings with their lines and what to do, and what it costs.
    """
    drawn = _drawn(inputs, cases, seed)
    document = {"schema": SCHEMA, "verdict": "right", "error": None, "seed": seed, "cases": []}
    request = dict(source=candidate, kernel=kernel, schedules=schedules, compile=compile or {})
    said = _child(request, drawn, time_limit, memory_limit)
    document["error"] = said.get("error")
    for (grid, block, arguments), row, left in zip(drawn, said["cases"], said["arrays"]):
        wanted = [value.copy() if _is_array(value) else value for value in arguments]
        reference(*wanted)
        row = {"grid": grid, "block": block,
               "shapes": [list(v.shape) for v in arguments if _is_array(v)], **row}
        row["numbers"] = _compared(wanted, left, rtol, atol)
        document["cases"].append(row)
    document["verdict"] = said.get("verdict") or _verdict(document["cases"])
    return document


def verify_schema():
    """The JSON Schema (2020-12) of the documents of `verify`: a dictionary."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "verify.schema.json")
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def _is_array(value):
    return isinstance(value, numpy.ndarray)


def _drawn(inputs, cases, seed):
    if not callable(inputs):
        return list(inputs)
    return [inputs(numpy.random.default_rng([seed, number])) for number in range(cases)]


def _verdict(cases):
    if any(row["findings"] or row["outcome"] != "completed" for row in cases):
        return "unsafe"
    return "right" if all(row["numbers"]["wrong_cells"] == 0 for row in cases) else "wrong"


def _compared(wanted, left, rtol, atol):
    """How far what the kernel left is from what it should have."""
    largest, wrong, first = 0.0, 0, None
    arrays = [(number, value) for number, value in enumerate(wanted) if _is_array(value)]
    for (number, want), have in zip(arrays, left):
        if want.dtype.kind in "fc":
            is_right = numpy.isclose(have, want, rtol=rtol, atol=atol, equal_nan=True)
            with numpy.errstate(all="ignore"):
                away = numpy.abs(have.astype(numpy.complex128) - want)
            away = away[numpy.isfinite(away)]
            largest = max(largest, float(away.max()) if away.size else 0.0)
        else:
            is_right = have == want
        wrong += int(is_right.size - is_right.sum())
        if first is None and not is_right.all():
            at = numpy.argwhere(~is_right)[0]
            first = {"argument": number, "index": [int(i) for i in at],
                     "have": str(have[tuple(at)]), "want": str(want[tuple(at)])}
    return {"largest_error": largest, "wrong_cells": wrong, "first_wrong": first}


def _child(request, drawn, time_limit, memory_limit):
    """What the process of the candidate says: rows, arrays, and a verdict where it was ended."""
    stored, shapes = {}, []
    for case, (grid, block, arguments) in enumerate(drawn):
        words = []
        for number, value in enumerate(arguments):
            if _is_array(value):
                stored[f"{case}.{number}"] = value
                words.append(None)
            else:
                words.append(value.item() if isinstance(value, numpy.generic) else value)
        shapes.append((grid, block, words))
    packed = io.BytesIO()
    numpy.savez(packed, **stored)
    head = json.dumps({**request, "cases": shapes}).encode()
    sent = len(head).to_bytes(8, "little") + head + packed.getvalue()

    def limits():
        resource.setrlimit(resource.RLIMIT_AS, (memory_limit, memory_limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    code = "from warpsim.verifying import serve; serve()"
    # Its own folder of modules, and nothing else of this process.
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    environment = {**os.environ, "PYTHONPATH": folder}
    nothing = {"cases": [], "arrays": []}
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
                               preexec_fn=limits, start_new_session=True)
    try:
        out, wrong = process.communicate(sent, timeout=time_limit)
    except subprocess.TimeoutExpired:
        # Its compiler, too.
        os.killpg(process.pid, 9)
        process.communicate()
        return {**nothing, "verdict": "limit", "error": f"not ended after {time_limit} s"}
    if process.returncode != 0:
        last = wrong.decode(errors="replace").strip().splitlines()[-1:]
        said = f"the process ended with {process.returncode}: {''.join(last)[:500]}"
        return {**nothing, "verdict": "limit", "error": said}
    size = int.from_bytes(out[:8], "little")
    answer = json.loads(out[8:8 + size])
    with numpy.load(io.BytesIO(out[8 + size:]), allow_pickle=False) as left:
        answer["arrays"] = [[left[f"{case}.{number}"] for number, word in enumerate(words)
                             if word is None]
                            for case, (_, _, words) in enumerate(shapes[:len(answer["cases"])])]
    return answer


def serve():
    """The process of a candidate: a request on standard input, an answer on standard output."""
    from .checking import _kernel
    sent = sys.stdin.buffer.read()
    size = int.from_bytes(sent[:8], "little")
    request = json.loads(sent[8:8 + size])
    left, rows, answer = {}, [], {"error": None}
    try:
        chosen = _kernel(request["source"], request["kernel"], request["compile"])
        with numpy.load(io.BytesIO(sent[8 + size:]), allow_pickle=False) as stored:
            for case, (grid, block, words) in enumerate(request["cases"]):
                arguments = [stored[f"{case}.{number}"] if word is None else word
                             for number, word in enumerate(words)]
                rows.append(_case(chosen, grid, block, arguments, request["schedules"]))
                left.update({f"{case}.{number}": value for number, value in enumerate(arguments)
                             if _is_array(value)})
    except errors.WarpsimError as error:
        answer.update(error=f"{type(error).__name__}: {error}"[:4000], verdict="refused")
    answer["cases"] = rows
    packed = io.BytesIO()
    numpy.savez(packed, **left)
    head = json.dumps(answer).encode()
    sys.stdout.buffer.write(len(head).to_bytes(8, "little") + head + packed.getvalue())


def _case(kernel, grid, block, arguments, schedules):
    """The row of a case; the arrays are as the kernel left them."""
    grid = grid if isinstance(grid, int) else tuple(grid)
    block = block if isinstance(block, int) else tuple(block)
    found = []
    if schedules:
        copies = [value.copy() if _is_array(value) else value for value in arguments]
        found += kernel.explore(grid, block, *copies, schedules=schedules).findings
    report = kernel.check(grid, block, *arguments)
    found += [one for one in report.findings if not any(one.row == other.row for other in found)]
    by_place = {(one.code, tuple((a.op, a.ptx_line) for a in one.accesses)): one for one in found}
    shown = [one for one in by_place.values() if one.severity == "error"][:FINDINGS]
    return {"outcome": report.outcome if report.outcome != "finding" or shown else "completed",
            "findings": [{**one.row, "text": one.text} for one in shown],
            "printed": report.printed[:PRINTED], "cost": report.stats,
            "schedules": len(report.schedules) + schedules}
