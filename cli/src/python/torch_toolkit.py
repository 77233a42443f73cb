"""A toolkit for `torch.utils.cpp_extension` where there is none: the one of `warpsim nvcc`.

PyTorch looks for `CUDA_HOME`, `CUDA_PATH`, and `nvcc` in `PATH`. Where it would find none of them,
`CUDA_HOME` names a toolkit in the user's cache, which is written when it is first needed. NVIDIA's
C++ libraries (Thrust), which PyTorch's headers include, are those beside PyTorch. Whatever compiler
there is, it is asked for PTX.
"""

import hashlib
import os
import shutil
import subprocess
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
RUN = os.path.dirname(FOLDER)

# Where wheels have the C++ libraries, below the packages of Python.
LIBRARIES = (
    "nvidia/cu13/include/cccl",
    "nvidia/cuda_cccl/include/cccl",
    "nvidia/cuda_cccl/include",
    "nvidia/cu13/include",
    "nvidia/cuda_runtime/include",
)


# For which architectures PyTorch's builder compiles, and the one where nothing says it: that of the
# simulated device.
ARCHITECTURES = "TORCH_CUDA_ARCH_LIST"
ARCHITECTURE = "9.0"


def with_ptx():
    """Extensions keep their PTX beside machine code, which alone cannot run here."""
    wanted = os.environ.get(ARCHITECTURES, "").strip() or ARCHITECTURE
    if "PTX" not in wanted:
        os.environ[ARCHITECTURES] = f"{wanted}+PTX"


def offer():
    """Sets what PyTorch looks for."""
    with_ptx()
    if "WARPSIM_CCCL" not in os.environ:
        folders = (os.path.join(path, *name.split("/")) for path in sys.path for name in LIBRARIES)
        has = (f for f in folders if os.path.isfile(os.path.join(f, "cuda", "std", "cstddef")))
        found = next(has, None)
        if found:
            os.environ["WARPSIM_CCCL"] = found
    is_there = any(os.environ.get(name) for name in ("CUDA_HOME", "CUDA_PATH"))
    if is_there or shutil.which("nvcc") or os.path.exists("/usr/local/cuda"):
        return
    folder = toolkit()
    if folder:
        os.environ["CUDA_HOME"] = folder


def command():
    """The command itself, to which the driver's library is a link."""
    link = os.path.join(RUN, "libcuda.so.1")
    return os.path.realpath(link) if os.path.islink(link) else shutil.which("warpsim")


def toolkit():
    """The folder of the toolkit; nothing where it cannot be written."""
    path = command()
    if path is None:
        return None
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    facts = os.stat(path)
    key = f"{path} {facts.st_size} {facts.st_mtime_ns} {os.environ.get('WARPSIM_CCCL')}"
    name = hashlib.sha256(key.encode()).hexdigest()[:16]
    folder = os.path.join(base, "warpsim", "toolkit", name)
    if os.path.exists(os.path.join(folder, "version.json")):
        return folder
    done = subprocess.run([path, "nvcc", "--install", folder], stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if done.returncode != 0:
        sys.stderr.write(done.stderr.decode(errors="replace"))
        return None
    return folder
