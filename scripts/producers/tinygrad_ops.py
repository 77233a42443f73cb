"""tinygrad's tensor operations on its PTX back end, with warpsim in the place of the GPU.

tinygrad loads a device by the name of a module; this one stands in for `ops_cuda`. Its memory is
that of this process, and its programs are launches of the `warpsim` command. Results are compared
with NumPy, which is what tinygrad's own tests do.
"""

import ctypes
import sys
import types as pytypes

import numpy as np

from launching import LaunchFailed, Output

OUT = Output("tinygrad")
ARCHITECTURE = "sm_80"


def install():
    """Puts the stand-in where tinygrad looks for its CUDA device."""
    from tinygrad.device import Allocator, Compiled, Program
    from tinygrad.renderer.ptx import PTXRenderer

    class HostAllocator(Allocator):
        def _alloc(self, size, options):
            return np.zeros(max(size, 1), dtype=np.uint8)

        def _free(self, opaque, options):
            pass

        def _copyin(self, dest, src):
            dest[:len(src)] = np.frombuffer(src, dtype=np.uint8)

        def _copyout(self, dest, src):
            np.frombuffer(dest, dtype=np.uint8)[:] = src[:len(dest)]

        def _offset(self, buf, size, offset):
            return buf[offset:offset + size]

    class Launches(Program):
        def __init__(self, dev, obj, *rest, **named):
            self.name, self.ptx, self.signature = obj.name, bytes(obj.lib), obj.signature

        def __call__(self, *buffers, global_size=(1, 1, 1), local_size=(1, 1, 1), vals=(),
                     wait=False, **named):
            arguments = list(buffers) + [ctypes.c_int64(v) for v in vals]
            OUT.launch(self.ptx, self.name, global_size, local_size or (1, 1, 1), arguments)
            return 1e-3

    class CUDADevice(Compiled):
        def __init__(self, device):
            super().__init__(device, HostAllocator(self), [PTXRenderer], Launches, None)

    module = pytypes.ModuleType("tinygrad.runtime.ops_cuda")
    module.CUDADevice = CUDADevice
    sys.modules[module.__name__] = module


def cases():
    """Operations by name: what tinygrad computes, and what NumPy does."""
    from tinygrad import Tensor, dtypes
    draw = np.random.default_rng(1)
    a = draw.standard_normal((37, 65)).astype(np.float32)
    b = draw.standard_normal((65, 29)).astype(np.float32)
    p = np.abs(a) + np.float32(0.1)
    i = draw.integers(-1000, 1000, (41, 33)).astype(np.int32)
    j = draw.integers(1, 100, (41, 33)).astype(np.int32)
    image = draw.standard_normal((2, 3, 13, 11)).astype(np.float32)
    filters = draw.standard_normal((4, 3, 3, 3)).astype(np.float32)
    T = lambda array: Tensor(array, device="CUDA").contiguous()
    yield "add", lambda: T(a) + T(a), a + a
    yield "mul_add", lambda: T(a) * 3.5 + 1, a * np.float32(3.5) + 1
    yield "divide", lambda: T(a) / T(p), a / p
    yield "exp", lambda: T(a).exp(), np.exp(a)
    yield "log", lambda: T(p).log(), np.log(p)
    yield "sin", lambda: T(a * 10).sin(), np.sin(a * 10)
    yield "sqrt", lambda: T(p).sqrt(), np.sqrt(p)
    yield "tanh", lambda: T(a).tanh(), np.tanh(a)
    yield "sigmoid", lambda: T(a).sigmoid(), 1 / (1 + np.exp(-a))
    yield "relu", lambda: T(a).relu(), np.maximum(a, 0)
    yield "where", lambda: (T(a) > 0).where(T(a), T(a) * 2), np.where(a > 0, a, a * 2)
    yield "maximum", lambda: T(a).maximum(T(a * -1)), np.maximum(a, -a)
    yield "sum", lambda: T(a).sum(), a.sum(dtype=np.float64)
    yield "sum_rows", lambda: T(a).sum(axis=0), a.sum(axis=0)
    yield "sum_columns", lambda: T(a).sum(axis=1), a.sum(axis=1)
    yield "max_columns", lambda: T(a).max(axis=1), a.max(axis=1)
    yield "argmax", lambda: T(a).argmax(axis=1), a.argmax(axis=1)
    yield "mean", lambda: T(a).mean(axis=0), a.mean(axis=0)
    yield "var", lambda: T(a).var(axis=1), a.var(axis=1, ddof=1)
    e = np.exp(a - a.max(axis=1, keepdims=True))
    yield "softmax", lambda: T(a).softmax(axis=1), e / e.sum(axis=1, keepdims=True)
    yield "cumsum", lambda: T(a).cumsum(axis=1), a.cumsum(axis=1)
    yield "cumsum_long", lambda: T(a.reshape(-1)).cumsum(), a.reshape(-1).cumsum()
    yield "sort", lambda: T(a).sort(dim=1)[0], np.sort(a, axis=1)
    yield "topk", lambda: T(a).topk(5, dim=1)[0], -np.sort(-a, axis=1)[:, :5]
    yield "matmul", lambda: T(a) @ T(b), a @ b
    # tinygrad rounds each product to a half, and adds them as floats.
    halves = a.astype(np.float16)[:, :, None] * b.astype(np.float16)[None, :, :]
    yield "matmul_f16", lambda: T(a).half().matmul(T(b).half(), dtype=dtypes.float), \
        halves.astype(np.float32).sum(axis=1)
    yield "matmul_square", lambda: T(image[0, 0, :11, :11]) @ T(image[0, 1, :11, :11]), \
        image[0, 0, :11, :11] @ image[0, 1, :11, :11]
    big = draw.standard_normal((64, 64)).astype(np.float16)
    yield "matmul_cores", lambda: (T(big).matmul(T(big), dtype=dtypes.float)), \
        big.astype(np.float32) @ big.astype(np.float32)
    yield "transpose", lambda: T(a).T.contiguous(), a.T
    yield "pad", lambda: T(a).pad(((1, 2), (3, 4))).contiguous(), np.pad(a, ((1, 2), (3, 4)))
    yield "cat", lambda: T(a).cat(T(a * 2), dim=0).contiguous(), np.concatenate([a, a * 2])
    yield "gather", lambda: T(a)[:, T(np.arange(0, 60, 7).astype(np.int32))], a[:, ::7][:, :9]
    yield "one_hot", lambda: T(j[0] % 7).one_hot(7), np.eye(7)[j[0] % 7]
    windows = np.lib.stride_tricks.sliding_window_view(image, (3, 3), axis=(2, 3))
    yield "conv2d", lambda: T(image).conv2d(T(filters)), np.einsum("bchwij,ocij->bohw", windows, filters)
    pooled = np.lib.stride_tricks.sliding_window_view(image, (2, 2), axis=(2, 3))[:, :, ::2, ::2]
    yield "max_pool", lambda: T(image).max_pool2d((2, 2)), pooled.max(axis=(-1, -2))
    yield "int_add", lambda: T(i) + T(j), i + j
    yield "int_mul", lambda: T(i) * T(j), i * j
    yield "int_div", lambda: T(i).idiv(T(j)) if hasattr(Tensor, "idiv") else T(i) // T(j), \
        np.trunc(i / j).astype(np.int32) if hasattr(Tensor, "idiv") else i // j
    yield "int_mod", lambda: T(i) % T(j), i % j
    yield "bits", lambda: (T(i) & 255) ^ (T(j) << 3), (i & 255) ^ (j << 3)
    yield "shift", lambda: T(j.astype(np.uint32)) >> 2, j.astype(np.uint32) >> 2
    yield "compare", lambda: (T(i) < T(j)) | (T(i) == 0), (i < j) | (i == 0)
    yield "int8", lambda: T(i.astype(np.int8)) + T(j.astype(np.int8)), i.astype(np.int8) + j.astype(np.int8)
    yield "int64", lambda: T(i.astype(np.int64) * 10**12) + 7, i.astype(np.int64) * 10**12 + 7
    # Not `sqrt` or `exp`: tinygrad writes `sqrt.approx.f64`, which PTX has not.
    yield "f64", lambda: (T(p.astype(np.float64)) * 1.25 + 3).sum(axis=1), \
        (p.astype(np.float64) * 1.25 + 3).sum(axis=1)
    yield "half", lambda: T(a.astype(np.float16)) * 2 + 1, a.astype(np.float16) * np.float16(2) + np.float16(1)
    yield "cast_int", lambda: T(a * 100).cast(dtypes.int32), (a * 100).astype(np.int32)
    yield "cast_half", lambda: T(a).half().float(), a.astype(np.float16).astype(np.float32)
    yield "bool_any", lambda: (T(i) > 900).any(axis=1), (i > 900).any(axis=1)
    yield "layernorm", lambda: T(a).layernorm(), \
        (a - a.mean(1, keepdims=True)) / np.sqrt(a.var(1, keepdims=True) + 1e-5)
    q = draw.standard_normal((2, 4, 16, 8)).astype(np.float32)
    s = q @ q.swapaxes(-1, -2) / np.sqrt(8)
    s = np.exp(s - s.max(-1, keepdims=True))
    yield "attention", lambda: T(q).scaled_dot_product_attention(T(q), T(q)), \
        (s / s.sum(-1, keepdims=True)) @ q
    yield "random", lambda: Tensor.rand(100, device="CUDA") < 1, np.ones(100, dtype=bool)


def main():
    install()
    for name, compute, expected in OUT.in_time(cases()):
        OUT.begin(name)
        try:
            got = compute().numpy()
            close = np.allclose(got.astype(np.float64), np.asarray(expected, dtype=np.float64),
                                rtol=2e-3 if "16" in name or "cores" in name else 2e-4, atol=2e-3)
            shapes = got.shape == np.shape(expected)
            OUT.log(verdict="passed" if close and shapes else "failed", words="" if close else "differs")
        except LaunchFailed as error:
            OUT.log(verdict="refused", words=str(error))
        except Exception as error:
            OUT.log(verdict="error", words=f"{type(error).__name__}: {error}"[:300])


if __name__ == "__main__":
    main()
