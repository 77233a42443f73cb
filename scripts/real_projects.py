#!/usr/bin/env python3
"""Builds and runs collections of CUDA programs that others wrote, unchanged, with `warpsim nvcc`.

    scripts/real_projects.py samples FOLDER [--only NAME]...    a clone of NVIDIA/cuda-samples
    scripts/real_projects.py rodinia FOLDER [--only NAME]...    a clone of yuhc/gpu-rodinia, which
        brings no data: scripts/rodinia_inputs.py FOLDER writes small ones
    scripts/real_projects.py hecbench FOLDER [--only NAME]...   a clone of zjin-lcf/HeCBench
    scripts/real_projects.py projects FOLDER [--only NAME]...   a folder with clones of the
        projects of PROJECTS, each under its name

Each program is configured and built by its own CMake or Makefile with the toolkit that
`warpsim nvcc --install` writes, and run under `warpsim exec`. A program is right when it ends
with 0 and does not say that it failed. The table says for each what came of it; --out keeps it,
and the logs beside it. Needed: warpsim and cmake in PATH, ninja or make, clang, g++.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

# What a program is run with where its own sizes take too long on a CPU.
ARGUMENTS = {
    "nbody": ["-benchmark", "-numbodies=256", "-i=1"],
    "matrixMul": ["-wA=64", "-hA=64", "-wB=64", "-hB=64"],
    "FDTD3d": ["-dimx=96", "-dimy=96", "-dimz=96", "-timesteps=1"],
    "SobolQRNG": ["-vectors=2000", "-dimensions=20"],
    "eigenvalues": ["-iters-timing=1"],
    "globalToShmemAsyncCopy": ["-wA=64", "-hA=64", "-wB=64", "-hB=64"],
    "matrixMulCUBLAS": ["-sizemult=1"],
    "radixSortThrust": ["-n=65536", "-iterations=2"],
    "reduction": ["--n=65536"],
    "reductionMultiBlockCG": ["--n=65536", "--maxblocks=4"],
    "threadFenceReduction": ["--n=65536"],
    "transpose": ["-dimX=128", "-dimY=128"],
}
# Sizes that only the source says, where its own take longer than five minutes: what is replaced in a
# copy. Their checks by the host are off at their own sizes, and on here.
TILES = [(r"(#define [MNK]_TILES) +\d+", r"\1 16"), (r"(#define CPU_DEBUG) +0", r"\1 1")]
SMALLER = {
    "bf16TensorCoreGemm": TILES,
    "cudaTensorCoreGemm": TILES,
    "dmmaTensorCoreGemm": TILES,
    "immaTensorCoreGemm": TILES,
    "tf32TensorCoreGemm": TILES,
    "NV12toBGRandResize": [(r"(#define TEST_LOOP) +20", r"\1 1"),
                           (r"(g_ctx.batch +=) 24;", r"\1 2;")],
    "graphMemoryFootprint": [(r"(kernelTime *=) 5;", r"\1 1;"),
                             (r"(#define NUM_GRAPHS) +8", r"\1 2")],
    "scan": [(r"(iCycles =) 100;", r"\1 2;")],
    "convolutionTexture": [(r"(imageW +=) 3072;", r"\1 384;"), (r"(imageH +=) 3072", r"\1 384")],
}
# What programs of Rodinia are run with where their script `run` is no script, or asks for more than
# they can (backprop: a grid of 131072 blocks in y) or than a CPU does in time.
COMMANDS = {
    "backprop": ["./backprop 65536"],
    "cfd": [f"./{program} ../../data/cfd/fvcorr.domn.097K" for program in
            ("euler3d", "euler3d_double", "pre_euler3d", "pre_euler3d_double")],
    "heartwall": ["./heartwall ../../data/heartwall/test.avi 2"],
    "hotspot3D": ["./3D 512 8 4 ../../data/hotspot3D/power_512x8 ../../data/hotspot3D/temp_512x8 "
                  "output.out"],
    "streamcluster": ["./sc_gpu 10 20 64 2048 2048 200 none output.txt 1"],
    "mummergpu": ["bin/mummergpu ../../data/mummergpu/NC_003997.fna "
                  "../../data/mummergpu/NC_003997_q100bp.fna > NC_00399.out"],
}
# Projects with a CMakeLists.txt: what theirs is given, and the commands that test them in the build
# folder. A pattern stands for each program that it matches; {source} is the project's folder. What
# a project downloads while it is configured is named here as a folder instead, where it has to be.
SM_80 = "-DCMAKE_CUDA_ARCHITECTURES=80"
GOOGLETEST = "-DFETCHCONTENT_SOURCE_DIR_GOOGLETEST=/usr/src/googletest"  # Debian's libgtest-dev
PROJECTS = {
    # LLNL/camp, with LLNL/blt in extern/blt: resources of several programming models.
    "camp": (["-DENABLE_CUDA=ON", "-DENABLE_TESTS=ON", SM_80], ["ctest --output-on-failure"]),
    # acts-project/vecmem: containers and memory resources.
    "vecmem": (["-DVECMEM_BUILD_CUDA_LIBRARY=ON", "-DVECMEM_BUILD_BENCHMARKING=OFF",
                "-DBUILD_TESTING=ON", GOOGLETEST, SM_80], ["bin/vecmem_test_*"]),
    # UoB-HPC/TeaLeaf: heat conduction by conjugate gradients, checked against known results.
    "TeaLeaf": (["-DMODEL=cuda", "-DCUDA_ARCH=sm_80", "-DCMAKE_BUILD_TYPE=Release"],
                ["sed -e 's/=512/=64/' -e 's/end_step=20/end_step=1/' {source}/tea.in > tea.in;"
                 " cp {source}/tea.problems .; ./cuda-tealeaf | tee tea.out; grep PASSED tea.out"]),
    # UoB-HPC/miniBUDE: energies of molecules, checked against known results.
    "miniBUDE": (["-DMODEL=cuda", "-DCUDA_ARCH=sm_80", "-DCMAKE_BUILD_TYPE=Release"],
                 ["./cuda-bude --deck {source}/data/bm1 -n 64 -i 1 --ppwi 1 --wgsize 64 > bude.out;"
                  " cat bude.out; grep 'valid: true' bude.out"]),
    # UoB-HPC/BabelStream: speed of memory, whose results it validates; it asks NVML of the device.
    "BabelStream": (["-DMODEL=cuda", "-DCUDA_ARCH=sm_80"],
                    ["./cuda-stream -s 65536 -n 2 > stream.out 2>&1; cat stream.out;"
                     " ! grep 'Validation failed' stream.out"]),
    # stotko/stdgpu: containers. Those of hash tables take longer than five minutes.
    "stdgpu": ([GOOGLETEST, "-DSTDGPU_BUILD_BENCHMARKS=OFF", SM_80],
               ["bin/teststdgpu --gtest_filter=-stdgpu_unordered*"]),
    # moderngpu/moderngpu: sorts, scans, joins.
    "moderngpu": ([], ["bin/test_*", "bin/tut_*"]),
}
# What programs say of themselves where they found their results wrong.
FAILED = re.compile(r"\b(FAILED|FAIL|Test failed|Result = FAIL|does not match|mismatch)\b")
# Programs that make a launch fail on purpose: what they say where they saw it. The command tells
# the fault as its own, and ends with the code for that.
PROVOKED = {
    "simpleAssert": "Device assert failed as expected",
    "simpleAssert_nvrtc": "Device assert failed as expected",
}
FOUND = 1
# What samples link that stays out, by the words of their CMakeLists.txt.
OUTSIDE = {
    "graphics": r"find_package\((OpenGL|GLUT|OpenGLES|EGL|Vulkan|X11)|OPENGL|GLUT|EGL|vulkan|D3D1\d|d3d1\d",
    "a library": r"cusolver|npp|nvjpeg|NvSci|nvsci|cudla|cuDLA|MPI::",
}
# The code by which NVIDIA's samples say that the device lacks what they show.
WAIVED = 2
WAIVED_FOR = re.compile(r"waiv|GPUs are required|No CUDA devices support IPC", re.IGNORECASE)


def run(command, cwd, log, timeout, environment=None):
    """Runs a command with its output in a file; its code, or None where it took too long."""
    with open(log, "ab") as out:
        out.write(f"$ {' '.join(map(str, command))}\n".encode())
        out.flush()
        process = subprocess.Popen(
            command, cwd=cwd, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            env=environment, start_new_session=True)
        try:
            return process.wait(timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return None


def verdict(name, code, log):
    """What came of a run."""
    text = log.read_text(errors="replace")
    if code is None:
        return "too long"
    if code == WAIVED and WAIVED_FOR.search(text):
        return "waived"
    if code == FOUND and name in PROVOKED and PROVOKED[name] in text:
        return "right"
    if code != 0:
        return f"wrong: exit code {code}"
    said = FAILED.search(text)
    return f"wrong: says {said.group(0)}" if said else "right"


def why(log):
    """The first line of a log that names an error."""
    for line in log.read_text(errors="replace").splitlines():
        if re.search(r"\b(error|Error)\b|undefined reference|CMake Error", line):
            return line.strip()[:160]
    return ""


class Collection:
    """Programs of one kind, and how each is built and run."""

    def __init__(self, options):
        self.folder = options.folder.resolve()
        self.out = options.out.resolve()
        self.timeout = options.timeout
        self.build_only = options.build_only
        self.warpsim = shutil.which("warpsim") or sys.exit("no warpsim in PATH")
        self.toolkit = self.out / "toolkit"
        subprocess.run([self.warpsim, "nvcc", "--install", self.toolkit], check=True,
                       stdout=subprocess.DEVNULL)
        self.environment = dict(os.environ, PATH=f"{self.toolkit}/bin:{os.environ['PATH']}",
                                CUDA_HOME=str(self.toolkit), CUDA_PATH=str(self.toolkit),
                                LIBRARY_PATH=f"{self.toolkit}/lib64")

    def launch(self, name, program, arguments, cwd):
        if self.build_only:
            return "right", 0.0
        log = self.out / f"{name}.run.log"
        log.unlink(missing_ok=True)
        start = time.time()
        command = [self.warpsim, "exec", "--", program, *arguments]
        code = run(command, cwd, log, self.timeout, self.environment)
        return verdict(name, code, log), time.time() - start


class Samples(Collection):
    """NVIDIA/cuda-samples: a folder and a CMakeLists.txt each."""

    def names(self):
        files = sorted((self.folder / "Samples").glob("*/*/CMakeLists.txt"))
        return {file.parent.name: file.parent for file in files
                if "project(" in file.read_text() and "7_libNVVM" not in str(file)}

    def outside(self, folder):
        """What a sample needs that stays out; nothing for most."""
        text = (folder / "CMakeLists.txt").read_text()
        wanted = [what for what, words in OUTSIDE.items() if re.search(words, text)]
        return f"left out: needs {wanted[0]}" if wanted else ""

    def smaller(self, name, folder):
        """A copy of a sample with smaller sizes, beside the helpers that samples include."""
        copy = self.out / "smaller" / "Samples" / folder.parent.name / name
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(folder, copy)
        common = self.out / "smaller" / "Common"
        if not common.exists():
            common.symlink_to(self.folder / "Common")
        for file in [*copy.glob("*.cu"), *copy.glob("*.cpp")]:
            text = file.read_text()
            for old, new in SMALLER[name]:
                text = re.sub(old, new, text)
            file.write_text(text)
        return copy

    def build(self, name, folder):
        log = self.out / f"{name}.build.log"
        log.unlink(missing_ok=True)
        if name in SMALLER:
            folder = self.smaller(name, folder)
        build = self.out / "build" / name
        nvcc = f"-DCMAKE_CUDA_COMPILER={self.toolkit}/bin/nvcc"
        command = ["cmake", "-G", "Ninja", "-S", folder, "-B", build, nvcc]
        if run(command, self.folder, log, 300, self.environment) != 0:
            return None, "not configured: " + why(log)
        if run(["ninja", "-C", build, "-k", "0"], self.folder, log, 900, self.environment) != 0:
            return None, "not built: " + why(log)
        programs = [file for file in build.rglob("*") if file.is_file() and file.name == name
                    and os.access(file, os.X_OK)]
        if not programs:
            return None, "left out: by its own CMake"
        return programs[0], ""

    def run(self, name, folder):
        outside = self.outside(folder)
        if outside:
            return outside, 0.0
        program, reason = self.build(name, folder)
        if program is None:
            return reason, 0.0
        return self.launch(name, program, ARGUMENTS.get(name, []), program.parent)


class Rodinia(Collection):
    """yuhc/gpu-rodinia: a folder, a Makefile and a script `run` each."""

    def __init__(self, options):
        super().__init__(options)
        # One of the Makefiles includes ~/rodinia_3.0/common/make.config.
        home = self.out / "home"
        home.mkdir(exist_ok=True)
        links = {home / "rodinia_3.0": self.folder}
        # And some include the helpers of NVIDIA's samples, from common/inc in older toolkits.
        if options.samples:
            (home / "sdk/common").mkdir(parents=True, exist_ok=True)
            links[home / "sdk/common/inc"] = options.samples.resolve() / "Common"
        for link, target in links.items():
            link.unlink(missing_ok=True)
            link.symlink_to(target)
        self.environment["HOME"] = str(home)
        self.settings = [f"CUDA_DIR={self.toolkit}", f"SDK_DIR={home / 'sdk'}"]

    def names(self):
        files = sorted((self.folder / "cuda").rglob("run"))
        return {str(file.parent.relative_to(self.folder / "cuda")): file.parent for file in files
                if file.is_file()}

    def missing(self, folder, commands):
        """The first of the files that a program is to read, where it is not there."""
        words = " ".join([commands] + [file.read_text() for file in folder.glob("filelist*")])
        paths = re.findall(r"\.\./\S*data/\S+", words)
        return next((path for path in paths if not (folder / path).exists()), None)

    def run(self, name, folder):
        flat = name.replace("/", "_")
        log = self.out / f"{flat}.build.log"
        log.unlink(missing_ok=True)
        run(["make", "clean"], folder, self.out / f"{flat}.clean.log", 60, self.environment)
        if run(["make", *self.settings], folder, log, 600, self.environment) != 0:
            return "not built: " + why(log), 0.0
        commands = "\n".join(COMMANDS.get(name, [(folder / "run").read_text()]))
        missing = self.missing(folder, commands)
        if missing:
            return f"left out: needs {missing}, which the repository does not bring", 0.0
        return self.launch(flat, "sh", ["-ec", commands], folder)


class HeCBench(Collection):
    """zjin-lcf/HeCBench: a folder NAME-cuda and a Makefile with a goal `run` each."""

    def names(self):
        files = sorted((self.folder / "src").glob("*-cuda/Makefile"))
        return {file.parent.name.removesuffix("-cuda"): file.parent for file in files}

    def run(self, name, folder):
        log = self.out / f"{name}.build.log"
        log.unlink(missing_ok=True)
        run(["make", "clean"], folder, self.out / f"{name}.clean.log", 60, self.environment)
        start = time.time()
        if run(["make"], folder, log, 600, self.environment) != 0:
            return "not built: " + why(log), time.time() - start
        return self.launch(name, "make", ["run"], folder)


class Projects(Collection):
    """Projects with a CMakeLists.txt each, and tests."""

    def names(self):
        return {name: self.folder / name for name in PROJECTS if (self.folder / name).is_dir()}

    def run(self, name, folder):
        settings, patterns = PROJECTS[name]
        log = self.out / f"{name}.build.log"
        log.unlink(missing_ok=True)
        build = self.out / "build" / name
        nvcc = f"-DCMAKE_CUDA_COMPILER={self.toolkit}/bin/nvcc"
        command = ["cmake", "-G", "Ninja", "-S", folder, "-B", build, nvcc, *settings]
        start = time.time()
        if run(command, self.folder, log, 300, self.environment) != 0:
            return "not configured: " + why(log), time.time() - start
        if run(["ninja", "-C", build, "-k", "0"], self.folder, log, 5400, self.environment) != 0:
            return "not built: " + why(log), time.time() - start
        results = {}
        for command in self.commands(patterns, folder, build):
            short = pathlib.Path(command.split()[0]).name
            results[short] = self.launch(f"{name}-{short}", "sh", ["-c", command], build)[0]
        wrong = [f"{file}: {what}" for file, what in results.items() if what != "right"]
        count = f"{len(results) - len(wrong)} of {len(results)} programs right"
        what = "; ".join([count, *wrong]) if wrong or not results else "right"
        return what, time.time() - start

    def commands(self, patterns, folder, build):
        """The commands that test a project, each in the words of a shell."""
        for pattern in patterns:
            if " " in pattern:
                yield pattern.format(source=folder)
                continue
            for file in sorted(build.glob(pattern)):
                if file.is_file() and os.access(file, os.X_OK):
                    yield str(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collection", choices=["samples", "rodinia", "hecbench", "projects"])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("real-projects"))
    parser.add_argument("--samples", type=pathlib.Path,
                        help="for rodinia, a clone of NVIDIA/cuda-samples: it includes its helpers")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--build-only", action="store_true", help="build, and run nothing")
    parser.add_argument("--timeout", type=float, default=300)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    collection = {"samples": Samples, "rodinia": Rodinia,
                  "hecbench": HeCBench, "projects": Projects}[options.collection](options)
    names = collection.names()
    chosen = {name: folder for name, folder in names.items()
              if not options.only or name in options.only}
    results = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        waiting = {pool.submit(collection.run, name, folder): name
                   for name, folder in chosen.items()}
        for done in concurrent.futures.as_completed(waiting):
            name = waiting[done]
            results[name] = done.result()
            print(f"{name:40} {results[name][1]:7.1f} s  {results[name][0]}", flush=True)
    table = [f"| {name} | {seconds:.1f} | {what} |"
             for name, (what, seconds) in sorted(results.items())]
    text = "| program | seconds | result |\n|---|---|---|\n" + "\n".join(table) + "\n"
    (options.out / f"{options.collection}.md").write_text(text)
    right = sum(what in ("right", "waived") for what, _ in results.values())
    left_out = sum(what.startswith("left out") for what, _ in results.values())
    print(f"{right} of {len(results) - left_out} right; {left_out} left out")


if __name__ == "__main__":
    main()
