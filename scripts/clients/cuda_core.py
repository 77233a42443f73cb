"""What cuda.core and cuda.bindings are shown with in their guides: compile, load, launch, streams, events, memory, linking.

    CLIENTS_LOG=FILE warpsim exec -- python cuda_core.py

Each function is a test; its values come from NumPy or from the text.
"""

import ctypes
import json
import os
import sys

import numpy as np
from cuda.bindings import driver, nvrtc
from cuda.core import Device, LaunchConfig, Linker, LinkerOptions, Program, ProgramOptions, launch

SAXPY = """
template <typename T> __global__ void saxpy(T a, const T *x, const T *y, T *out, size_t n) {
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = a * x[i] + y[i];
}
"""


def arch(device):
    major, minor = device.compute_capability
    return f"sm_{major}{minor}"


def device():
    device = Device()
    device.set_current()
    return device


def view(buffer, dtype, count):
    """A buffer that the host sees."""
    memory = (ctypes.c_char * (count * np.dtype(dtype).itemsize)).from_address(int(buffer.handle))
    return np.frombuffer(memory, dtype=dtype)


def properties():
    found = device()
    return found.name.startswith("warpsim") and found.properties.warp_size == 32 and found.properties.multiprocessor_count == 132


def saxpy(kind):
    """The kernel of the guide, as PTX or as machine code, with a template's name."""
    found = device()
    stream = found.create_stream()
    program = Program(SAXPY, code_type="c++", options=ProgramOptions(std="c++17", arch=arch(found)))
    module = program.compile(kind, name_expressions=("saxpy<float>",))
    kernel = module.get_kernel("saxpy<float>")
    n = 1000
    bytes_ = 4 * n
    host = [managed(bytes_) for _ in range(3)]
    x, y, out = (np.frombuffer((ctypes.c_char * bytes_).from_address(p), dtype=np.float32) for p in host)
    x[:], y[:] = np.arange(n), 1
    launch(stream, LaunchConfig(grid=8, block=128), kernel, np.float32(2.5), host[0], host[1], host[2], np.uint64(n))
    stream.sync()
    return np.array_equal(out, np.float32(2.5) * x + y)


def managed(bytes_):
    result, pointer = driver.cuMemAllocManaged(bytes_, driver.CUmemAttach_flags.CU_MEM_ATTACH_GLOBAL)
    assert result == 0, result
    return int(pointer)


def buffers():
    """Memory of the device, copies between buffers, and a fill."""
    found = device()
    stream = found.create_stream()
    first, second = found.allocate(4096, stream=stream), found.allocate(4096, stream=stream)
    first.fill(7, stream=stream)
    first.copy_to(second, stream=stream)
    host = np.zeros(4096, np.uint8)
    result, = driver.cuMemcpyDtoHAsync(host.ctypes.data, int(second.handle), 4096, int(stream.handle))
    stream.sync()
    first.close(stream)
    second.close(stream)
    return result == 0 and (host == 7).all()


def events():
    """Two streams, one of which waits for the other, and the time between two events."""
    found = device()
    first, second = found.create_stream(), found.create_stream()
    from cuda.core import EventOptions
    start = first.record(options=EventOptions(timing_enabled=True))
    end = first.record(options=EventOptions(timing_enabled=True))
    second.wait(end)
    second.sync()
    first.sync()
    return end.is_done and end - start >= 0


def linked():
    """Two programs, of which one calls the other, linked; as PTX and as LTO-IR."""
    found = device()
    for kind, options in (("ptx", {}), ("ltoir", dict(link_time_optimization=True))):
        pieces = []
        for text in ('extern __device__ int twice(int); extern "C" __global__ void k(int *p) { *p = twice(*p); }',
                     "__device__ int twice(int x) { return 2 * x; }"):
            program = Program(text, "c++", ProgramOptions(arch=arch(found), relocatable_device_code=True, **options))
            pieces.append(program.compile(kind))
        linker = Linker(*pieces, options=LinkerOptions(arch=arch(found), **options))
        kernel = linker.link("cubin").get_kernel("k")
        stream, memory = found.create_stream(), managed(4)
        value = np.frombuffer((ctypes.c_char * 4).from_address(memory), dtype=np.int32)
        value[0] = 21
        launch(stream, LaunchConfig(grid=1, block=1), kernel, memory)
        stream.sync()
        if value[0] != 42:
            return False
    return True


def bindings():
    """The same by cuda.bindings alone: NVRTC, the driver, and an argument list made by hand."""
    def checked(answer):
        error, *rest = answer
        assert int(error) == 0, error
        return rest[0] if len(rest) == 1 else rest
    checked(driver.cuInit(0))
    context = checked(driver.cuDevicePrimaryCtxRetain(0))
    checked(driver.cuCtxSetCurrent(context))
    program = checked(nvrtc.nvrtcCreateProgram(b'extern "C" __global__ void k(int *p, int n) { p[threadIdx.x] += n; }',
                                               b"k.cu", 0, [], []))
    checked(nvrtc.nvrtcCompileProgram(program, 1, [b"--gpu-architecture=sm_90"]))
    cubin = b" " * checked(nvrtc.nvrtcGetCUBINSize(program))
    checked(nvrtc.nvrtcGetCUBIN(program, cubin))
    module = checked(driver.cuModuleLoadData(np.char.array(cubin)))
    kernel = checked(driver.cuModuleGetFunction(module, b"k"))
    values = np.arange(32, dtype=np.int32)
    memory = checked(driver.cuMemAlloc(values.nbytes))
    checked(driver.cuMemcpyHtoD(memory, values.ctypes.data, values.nbytes))
    checked(driver.cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, 0, ((memory, 5), (None, ctypes.c_int)), 0))
    checked(driver.cuMemcpyDtoH(values.ctypes.data, memory, values.nbytes))
    checked(driver.cuMemFree(memory))
    return (values == np.arange(32) + 5).all()


def graphs():
    """A graph that a stream's work is recorded into."""
    found = device()
    stream = found.create_stream()
    builder = stream.create_graph_builder()
    builder.begin_building()
    builder.end_building()
    builder.complete().launch(stream)
    stream.sync()
    return True


def main():
    tests = {"properties": properties, "saxpy_ptx": lambda: saxpy("ptx"), "saxpy_cubin": lambda: saxpy("cubin"),
             "buffers": buffers, "events": events, "linked": linked, "bindings": bindings, "graphs": graphs}
    for name, test in tests.items():
        try:
            verdict, words = ("passed", "") if test() else ("failed", "differs")
        except Exception as error:
            verdict, words = "failed", f"{type(error).__name__}: {error}"[:300]
        with open(os.environ["CLIENTS_LOG"], "a") as log:
            log.write(json.dumps(dict(test=name, verdict=verdict, words=words)) + "\n")
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
