"""Records register-operations.json: what a GPU answers for every form of the instruction table.

Usage: python3 register_operations.py FOLDER > register-operations.json

FOLDER holds what the test `a_kernel_of_every_form_is_ptx_that_we_parse` writes, and all.cubin made of
it by ptxas. Needs CuPy and a GPU.
"""

import hashlib
import json
import pathlib
import sys

import cupy
import numpy

SETS, SOURCES, SHOWN = 1024, 4, 256
folder = pathlib.Path(sys.argv[1])
module = cupy.RawModule(path=str(folder / "all.cubin"))
operands = numpy.fromfile(folder / "operands.bin", dtype=numpy.uint64).reshape(-1, SOURCES * SETS)
operands = [cupy.asarray(words) for words in operands]


def digest(words):
    """The sum of all words, each mixed with its place."""
    with numpy.errstate(over="ignore"):
        u = numpy.uint64
        places = numpy.arange(1, len(words) + 1, dtype=u)
        z = words + places * u(0x9E3779B97F4A7C15)
        z = (z ^ (z >> u(30))) * u(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> u(27))) * u(0x94D049BB133111EB)
        return int((z ^ (z >> u(31))).sum(dtype=u))


forms, approximate = {}, {}
for number, line in enumerate((folder / "index.txt").read_text().splitlines()):
    form, at = line.split()
    results = cupy.zeros(2 * SETS, dtype=cupy.uint64)
    kernel = module.get_function(f"k{number}")
    kernel((SETS // 256,), (256,), (operands[int(at)], results))
    words = results.get()
    if (".approx" in form or form.startswith("div.full")) and form != "rsqrt.approx.f64":
        approximate["approx " + form] = " ".join(f"{int(w):x}" for w in words[:SHOWN])
    else:
        forms[form] = f"{digest(words):016x}"

device = cupy.cuda.runtime.getDeviceProperties(0)
recording = {
    "schema": 1,
    "device": device["name"].decode(),
    "driver": cupy.cuda.runtime.driverGetVersion(),
    "ptx_sha256": hashlib.sha256((folder / "all.ptx").read_bytes()).hexdigest(),
    "operand_sets": SETS,
    **forms,
    **approximate,
}
json.dump(recording, sys.stdout, indent=0)
print()
