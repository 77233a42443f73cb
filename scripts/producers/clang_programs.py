"""The CUDA sources of this repository, compiled by clang, against what a GPU made of NVRTC's PTX of them.

`tests/corpus/launches.txt` has the launches; those that promise one result are run, and compared with
the recording of the same launch (`tests/recordings`): integers bit by bit, floats but for rounding, since
compilers differ in what they contract. Needs clang 17 or later with its NVPTX back end.
"""

import itertools
import json
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from launching import Output, first_line

OUT = Output("clang")
ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "tests" / "corpus"
RECORDED = ROOT / "tests" / "recordings" / "corpus" / "nvrtc13-sm80-O3"
LEVELS = ("-O1", "-O3")


def toolkit(folder):
    """CUDA 12's headers and libdevice, laid out as clang looks for them, from wheels."""
    if not folder.exists():
        wheels = folder.with_suffix(".wheels")
        subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(wheels),
                        "nvidia-cuda-runtime-cu12==12.4.127", "nvidia-cuda-nvcc-cu12==12.4.131",
                        "nvidia-cuda-cccl-cu12==12.9.27", "nvidia-curand-cu12==10.3.5.147"], check=True)
        for part in wheels.glob("nvidia/*/include"):
            shutil.copytree(part, folder / "include", dirs_exist_ok=True)
        shutil.copytree(wheels / "nvidia/cuda_nvcc/nvvm/libdevice", folder / "nvvm/libdevice")
        (folder / "bin").mkdir()
        (folder / "lib64").mkdir()
    return folder


def clang():
    """The newest clang that is installed."""
    found = [name for v in range(30, 16, -1) if (name := shutil.which(f"clang-{v}"))]
    return (found + [shutil.which("clang")])[0]


def compiled(source, level, cuda):
    """The PTX of a source, or `None` where clang refuses it."""
    with tempfile.TemporaryDirectory() as scratch:
        made = Path(scratch) / "made.ptx"
        line = [clang(), "-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_80", "-S", level,
                "-Wno-unknown-cuda-version", f"--cuda-path={cuda}", str(source), "-o", str(made)]
        done = subprocess.run(line, capture_output=True, text=True)
        if done.returncode:
            errors = [l for l in done.stderr.splitlines() if "error:" in l]
            OUT.log(kernel=source.name, ptx="", stage="uncompiled", words=errors[0] if errors else "")
            return None
        return made.read_bytes()


def recorded(name, words):
    """The buffers that a GPU left after a launch, at the driver's own level."""
    path = RECORDED / f"{name}.json"
    if not path.exists():
        return None
    arguments = [words[i + 1] for i, word in enumerate(words) if word == "--arg"]
    for run in json.loads(path.read_text())["runs"]:
        shape = [int(n) for n in option(words, "--grid", "1").split(",")]
        block = [int(n) for n in option(words, "--block", "32").split(",")]
        if (run.get("args") == arguments and run["kernel"] == words[0] and run["grid"][:len(shape)] == shape
                and run["block"][:len(block)] == block and run["outcome"] == "completed"
                and str(run.get("launches", 1)) == option(words, "--launches", "1")):
            return run["buffers"]
    return None


def option(words, name, default):
    return words[words.index(name) + 1] if name in words else default


def cells(buffer):
    """The bits of a recorded buffer's cells; `None` where only digests were kept."""
    if "bits" not in buffer:
        return None
    out = []
    for word in buffer["bits"].split():
        bits, _, count = word.partition("*")
        out += [int(bits, 16)] * int(count or 1)
    return out


def close(kind, a, b):
    """Whether two cells are the same but for rounding."""
    if a == b:
        return True
    if kind not in ("f32", "f64"):
        return False
    number = {"f32": lambda n: struct.unpack("<f", struct.pack("<I", n))[0],
              "f64": lambda n: struct.unpack("<d", struct.pack("<Q", n))[0]}[kind]
    x, y = number(a), number(b)
    return x != x and y != y or abs(x - y) <= (1e-4 if kind == "f32" else 1e-9) * max(1.0, abs(x), abs(y))


def judged(document, buffers):
    """Whether the buffers of a run are those of a recording."""
    mine = {buffer["param"]: buffer for buffer in document["buffers"]}
    for buffer in buffers:
        expected = cells(buffer)
        if expected is None:
            continue
        got = [int(v, 16) for v in mine[buffer["param"]]["values"]]
        if not all(close(buffer["type"], a, b) for a, b in zip(got, expected, strict=True)):
            return False
    return True


def launched(path, level, file, kernel, rest):
    """Runs one line of `launches.txt` and judges what it left."""
    words = [kernel] + shlex.split(rest[0] if rest else "")
    OUT.test = f"{file} {level} {kernel} {' '.join(words[1:])}"
    line = [OUT.command, "run", str(path), "--kernel", kernel, "--format", "json", "--bits",
            "--values", "all", *words[1:]]
    try:
        done = subprocess.run(line, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        OUT.log(kernel=kernel, ptx=path.name, stage="lowered", words="over time")
        OUT.log(verdict="refused", words="over time")
        return
    if done.returncode:
        OUT.log(kernel=kernel, ptx=path.name, stage="parsed" if done.returncode == 3 else "lowered",
                words=first_line(done.stderr))
        OUT.log(verdict="refused", words=first_line(done.stderr))
        return
    OUT.log(kernel=kernel, ptx=path.name, stage="ran", words="")
    buffers = recorded(file, words)
    if buffers is None:
        OUT.log(verdict="unrecorded", words="")
    else:
        right = judged(json.loads(done.stdout), buffers)
        OUT.log(verdict="passed" if right else "failed", words="" if right else "differs")


def main():
    cuda = toolkit(OUT.folder.parent.parent / "cuda12")
    launches = [line.split(None, 3) for line in (CORPUS / "launches.txt").read_text().splitlines()
                if line.strip() and not line.startswith("#")]
    for source, level in OUT.in_time(itertools.product(sorted((CORPUS / "cuda").glob("*.cu")), LEVELS)):
        OUT.begin(f"{source.name} {level}")
        ptx = compiled(source, level, cuda)
        if ptx is None:
            continue
        path = OUT.keep(ptx)
        for file, kernel, promise, *rest in launches:
            if file == source.stem and promise == "same" and f".entry {kernel}(".encode() in ptx:
                launched(path, level, file, kernel, rest)


if __name__ == "__main__":
    main()
