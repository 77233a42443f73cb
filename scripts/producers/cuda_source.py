"""CUDA C++ to PTX with NVRTC, from Python and without a driver."""

from pathlib import Path

import nvidia
from cuda.bindings import nvrtc


def include_folders():
    """CUDA's headers, and those of CUB, Thrust and libcu++, from the wheels."""
    roots = [Path(root) for root in nvidia.__path__]
    found = [root / part for root in roots for part in ("cu13/include", "cu13/include/cccl")]
    return [str(folder) for folder in found if folder.is_dir()]


def compiled(source, name="source.cu", architecture="compute_90", options=()):
    """The PTX of a source text, or `RuntimeError` with the compiler's messages."""
    text = source if isinstance(source, bytes) else source.encode()
    error, program = nvrtc.nvrtcCreateProgram(text, name.encode(), 0, [], [])
    said = [f"--gpu-architecture={architecture}", "--std=c++17",
            *(f"-I{folder}" for folder in include_folders()), *options]
    done = nvrtc.nvrtcCompileProgram(program, len(said), [word.encode() for word in said])
    if done[0] != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        _, size = nvrtc.nvrtcGetProgramLogSize(program)
        log = b" " * size
        nvrtc.nvrtcGetProgramLog(program, log)
        raise RuntimeError(log.decode(errors="replace"))
    _, size = nvrtc.nvrtcGetPTXSize(program)
    ptx = b" " * size
    nvrtc.nvrtcGetPTX(program, ptx)
    nvrtc.nvrtcDestroyProgram(program)
    return ptx.rstrip(b"\0").decode()
