#!/usr/bin/env python3
"""Compile CUDA sources to PTX with NVRTC, through ctypes.

Run it through compile-programs.sh, which installs the compiler. For every .cu given, it writes two texts beside it:

    NAME.ptx         naive: -Ofc=max -lineinfo, which keeps nearly every memory access of the source
    NAME.o3.ptx      optimised: what NVRTC does by default, with -lineinfo

Under tests/twins the naive text is called NAME.naive.ptx: there neither form is the usual one.
With --check nothing is written, and the exit status is 1 when a text on disk differs.
"""

import ctypes
import difflib
import pathlib
import sys

NAIVE, OPTIMISED = ["-Ofc=max"], []
NAIVE_ONLY, OPTIMISED_ONLY = {"scan8"}, {"sines", "statistics"}
COMMON = ["-arch=compute_80", "-lineinfo", "-default-device"]


def load(folder):
    """The NVRTC library of the newest wheel in a virtual environment."""
    found = sorted(pathlib.Path(folder).glob("lib/python*/site-packages/nvidia/*/lib/libnvrtc.so.*"))
    if not found:
        sys.exit(f"no libnvrtc under {folder}: run scripts/compile-programs.sh")
    for builtins in found[-1].parent.glob("libnvrtc-builtins.so.*"):
        ctypes.CDLL(str(builtins), mode=ctypes.RTLD_GLOBAL)  # NVRTC looks for it by name only
    return ctypes.CDLL(str(found[-1]))


class Compiler:
    def __init__(self, library):
        self.library = library
        library.nvrtcGetErrorString.restype = ctypes.c_char_p

    def check(self, status):
        if status:
            raise RuntimeError(self.library.nvrtcGetErrorString(status).decode())

    def text(self, program, what):
        """Fetches the PTX or the log of a program: NVRTC has a pair of functions for each."""
        size = ctypes.c_size_t()
        self.check(getattr(self.library, f"nvrtcGet{what}Size")(program, ctypes.byref(size)))
        buffer = ctypes.create_string_buffer(size.value)
        self.check(getattr(self.library, f"nvrtcGet{what}")(program, buffer))
        return buffer.value.decode()

    def ptx(self, path, options):
        program = ctypes.c_void_p()
        source, name = path.read_bytes(), path.name.encode()
        self.check(self.library.nvrtcCreateProgram(
            ctypes.byref(program), source, name, 0, None, None))
        arguments = (ctypes.c_char_p * len(options))(*[o.encode() for o in options])
        status = self.library.nvrtcCompileProgram(program, len(options), arguments)
        log = self.text(program, "ProgramLog").strip()
        if log:
            print(log, file=sys.stderr)
        if status:
            sys.exit(f"{path}: {self.library.nvrtcGetErrorString(status).decode()}")
        ptx = self.text(program, "PTX")
        self.check(self.library.nvrtcDestroyProgram(ctypes.byref(program)))
        ptx = ptx.replace(f'"{pathlib.Path.cwd()}/', '"')  # what .file says must not depend on the checkout
        return "\n".join(line.rstrip() for line in ptx.splitlines()).rstrip() + "\n"


def forms(source):
    """The texts made from a source: what their names end in, and the compiler's options."""
    if "twins" in source.parts:
        return [(".naive.ptx", NAIVE), (".o3.ptx", OPTIMISED)]
    if source.stem in NAIVE_ONLY:
        return [(".ptx", NAIVE)]
    if source.stem in OPTIMISED_ONLY:
        return [(".o3.ptx", OPTIMISED)]
    return [(".ptx", NAIVE), (".o3.ptx", OPTIMISED)]


def main():
    arguments = sys.argv[1:]
    check = "--check" in arguments
    venv, *sources = [a for a in arguments if a != "--check"]
    compiler = Compiler(load(venv))
    different = 0
    for source in map(pathlib.Path, sources):
        for suffix, options in forms(source):
            target = source.with_suffix(suffix)
            text = compiler.ptx(source, COMMON + options)
            old = target.read_text() if target.exists() else ""
            if text == old:
                continue
            different += 1
            if check:
                sys.stdout.writelines(difflib.unified_diff(
                    old.splitlines(True), text.splitlines(True), str(target), "compiled now"))
            else:
                target.write_text(text)
                print(f"wrote {target}")
    sys.exit(1 if check and different else 0)


main()
