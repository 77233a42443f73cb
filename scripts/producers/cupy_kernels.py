"""CuPy's kernels, which it writes as CUDA C++ for the types at hand, against NumPy, whose functions it has.

A case is a function of the module `xp`, called once with CuPy and once with NumPy. Reductions are run in both forms that CuPy
has: its own and CUB's block-wide one. Sorts are not here: CuPy carries them, compiled, in a library, and writes no
kernel for them.
"""

import os

import numpy as np

import cupy_driver
from launching import LaunchFailed, Output

OUT = Output("cupy")

FLOATS = "sin cos tan arctan sinh cosh tanh arcsinh exp expm1 exp2 cbrt degrees radians ceil floor rint trunc fabs sign isnan " \
         "isinf isfinite signbit negative absolute square reciprocal sinc i0 nan_to_num modf frexp positive".split()
POSITIVE = "log log2 log10 log1p sqrt".split()
WITHIN_ONE = "arcsin arccos arctanh".split()
TWO_FLOATS = "add subtract multiply true_divide floor_divide remainder fmod power arctan2 hypot maximum minimum fmax fmin " \
             "copysign nextafter logaddexp logaddexp2 heaviside less greater_equal equal not_equal logical_and divmod".split()
TWO_INTEGERS = "add subtract multiply floor_divide remainder bitwise_and bitwise_or bitwise_xor left_shift right_shift gcd lcm " \
               "maximum minimum less_equal greater logical_xor".split()
INTEGERS = "invert negative absolute sign logical_not square bitwise_count".split()
REDUCTIONS = "sum prod max min mean var std argmax argmin any all ptp nansum nanmax nanmean count_nonzero".split()
SCANS = "cumsum cumprod".split()


def elementwise(draw):
    """Every function of one or two arrays, with strides and broadcasting among them."""
    x = draw.uniform(-3, 3, (7, 40))
    for kind in ("float32", "float64"):
        a, b = x.astype(kind), draw.uniform(0.5, 4, (40,)).astype(kind)
        for name in FLOATS:
            yield f"{name}.{kind}", lambda xp, name=name, a=a: getattr(xp, name)(xp.asarray(a)[:, ::2])
        for name in POSITIVE:
            yield f"{name}.{kind}", lambda xp, name=name, a=a: getattr(xp, name)(abs(xp.asarray(a)))
        for name in WITHIN_ONE:
            yield f"{name}.{kind}", lambda xp, name=name, a=a: getattr(xp, name)(xp.asarray(a) / 4)
        for name in TWO_FLOATS:
            first = abs(a) if name == "power" else a
            yield f"{name}.{kind}", lambda xp, name=name, a=first, b=b: getattr(xp, name)(xp.asarray(a), xp.asarray(b))
    for kind in ("int8", "int32", "uint64"):
        # No product of two leaves the range of 8 bits: there `lcm` is not the same everywhere.
        a = draw.integers(0 if kind[0] == "u" else -18, 18, (9, 30)).astype(kind)
        b = draw.integers(1, 7, (9, 30)).astype(kind)
        for name in TWO_INTEGERS:
            yield f"{name}.{kind}", lambda xp, name=name, a=a, b=b: getattr(xp, name)(xp.asarray(a).T, xp.asarray(b).T)
        for name in INTEGERS:
            yield f"{name}.{kind}", lambda xp, name=name, a=a: getattr(xp, name)(xp.asarray(a))
    h, c = x.astype("float16"), (x + 1j * x[::-1]).astype("complex64")
    for name in ("add", "multiply", "maximum", "true_divide"):
        yield f"{name}.float16", lambda xp, name=name: getattr(xp, name)(xp.asarray(h), xp.asarray(h)[::-1] + 7)
    for name in ("exp", "sqrt", "sin", "rint", "isnan"):
        yield f"{name}.float16", lambda xp, name=name: getattr(xp, name)(abs(xp.asarray(h)))
    for name in ("exp", "sqrt", "sin", "absolute", "conj", "angle", "real", "log", "tanh"):
        yield f"{name}.complex64", lambda xp, name=name: getattr(xp, name)(xp.asarray(c))
    for name in ("add", "multiply", "true_divide", "power"):
        yield f"{name}.complex64", lambda xp, name=name: getattr(xp, name)(xp.asarray(c), xp.asarray(c)[::-1] + 5)
    for kind in ("float16", "int8", "uint32", "float64", "bool"):
        yield f"astype.{kind}", lambda xp, kind=kind: abs(xp.asarray(x, "float32")).astype(kind)


def reductions(draw):
    """Along all axes, one, and one that is not the last; by groups of threads and by whole blocks."""
    x = draw.standard_normal((33, 130)).astype(np.float32)
    i = draw.integers(-50, 50, (33, 130)).astype(np.int32)
    for name in REDUCTIONS:
        for axis in (None, 0, 1):
            yield f"{name}.float32.{axis}", lambda xp, name=name, axis=axis: getattr(xp, name)(xp.asarray(x), axis=axis)
        yield f"{name}.int32", lambda xp, name=name: getattr(xp, name)(xp.asarray(i), axis=1)
    for name in ("sum", "max", "mean"):
        yield f"{name}.float16", lambda xp, name=name: getattr(xp, name)(xp.asarray(x, "float16"), axis=1)
        yield f"{name}.complex128", lambda xp, name=name: getattr(xp, name)(xp.asarray(x + 2j * x), axis=0)
    yield "sum.bool", lambda xp: (xp.asarray(i) > 3).sum()
    for name in SCANS:
        yield f"{name}.float64", lambda xp, name=name: getattr(xp, name)(xp.asarray(x[:, :40] / 3 + 1, "float64"))
        yield f"{name}.int64", lambda xp, name=name: getattr(xp, name)(xp.asarray(i[:, :20] % 3 + 1, "int64"), axis=1)
    yield "linalg_norm", lambda xp: xp.linalg.norm(xp.asarray(x), axis=1)
    yield "trace", lambda xp: xp.asarray(x).trace()


def others(draw):
    """Indexing, gathering, histograms, and what else CuPy writes kernels for."""
    x = draw.standard_normal((20, 30)).astype(np.float32)
    i = draw.integers(0, 20, 50)
    yield "take", lambda xp: xp.take(xp.asarray(x), xp.asarray(i), axis=0)
    yield "take_along_axis", lambda xp: xp.take_along_axis(xp.asarray(x), xp.asarray(i.reshape(1, 50) % 20)[:, :30], axis=0)
    yield "advanced_index", lambda xp: xp.asarray(x)[xp.asarray(i), xp.asarray(i)]
    yield "mask", lambda xp: xp.asarray(x)[xp.asarray(x) > 0.5]
    yield "nonzero", lambda xp: xp.nonzero(xp.asarray(x) > 1)[1]
    yield "where", lambda xp: xp.where(xp.asarray(x) > 0, xp.asarray(x), -1)
    yield "choose", lambda xp: xp.choose(xp.asarray(i[:30] % 3), xp.asarray(x[:3]))
    yield "clip", lambda xp: xp.clip(xp.asarray(x), -0.5, 0.5)
    yield "roll", lambda xp: xp.roll(xp.asarray(x), 3, axis=1)
    yield "concatenate", lambda xp: xp.concatenate([xp.asarray(x), xp.asarray(x) * 2], axis=1)
    yield "tril", lambda xp: xp.tril(xp.asarray(x))
    yield "eye", lambda xp: xp.eye(17, 19, 2)
    yield "arange", lambda xp: xp.arange(3, 90, 4)
    yield "linspace", lambda xp: xp.linspace(0, 1, 77)
    yield "diff", lambda xp: xp.diff(xp.asarray(x), axis=0)
    yield "bincount", lambda xp: xp.bincount(xp.asarray(i), minlength=20)
    yield "histogram", lambda xp: xp.histogram(xp.asarray(x), bins=9, range=(-3, 3))[0]
    yield "digitize", lambda xp: xp.digitize(xp.asarray(x), xp.asarray([-1.0, 0.0, 1.0]))
    yield "searchsorted", lambda xp: xp.searchsorted(xp.arange(20), xp.asarray(i))
    yield "interp", lambda xp: xp.interp(xp.asarray(x[0]), xp.linspace(-3, 3, 20), xp.arange(20.0))
    yield "polyval", lambda xp: xp.polyval(xp.asarray([1.0, -2.0, 3.0]), xp.asarray(x))
    yield "outer", lambda xp: xp.outer(xp.asarray(x[0]), xp.asarray(x[1]))
    yield "convolve", lambda xp: xp.convolve(xp.asarray(i), xp.asarray(i[:5]))
    yield "packbits", lambda xp: xp.packbits(xp.asarray(x[:, 0] > 0))
    yield "unpackbits", lambda xp: xp.unpackbits(xp.asarray(i.astype(np.uint8)))
    yield "isin", lambda xp: xp.isclose(xp.asarray(x), xp.asarray(x) * (1 + 1e-7))


def of_users(cupy):
    """Kernels that CuPy's users write: (name, what CuPy leaves, what is right)."""
    x = np.linspace(-1, 1, 300, dtype=np.float32)
    y = np.arange(300, dtype=np.float32)
    a, b = cupy.asarray(x), cupy.asarray(y)

    def raw():
        kernel = cupy.RawKernel('extern "C" __global__ void axpy(float k, const float *x, const float *y, float *out, int n) {'
                                " int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = k * x[i] + y[i]; }", "axpy")
        out = cupy.zeros(300, "float32")
        kernel((3,), (128,), (np.float32(1.5), a, b, out, np.int32(300)))
        return out

    def templates():
        module = cupy.RawModule(code="template <typename T> __global__ void twice(T *x, int n) { int i = blockIdx.x * blockDim.x +"
                                " threadIdx.x; if (i < n) x[i] *= 2; }", options=("-std=c++17",),
                                name_expressions=("twice<float>", "twice<double>"))
        single, double = a.copy(), a.astype("float64")
        module.get_function("twice<float>")((3,), (128,), (single, 300))
        module.get_function("twice<double>")((3,), (128,), (double, 300))
        return single + double

    @cupy.fuse()
    def fused(x, y):
        return cupy.sqrt(x * x + y * y) / (y + 1)

    yield "RawKernel", raw, 1.5 * x + y
    yield "RawModule", templates, 4 * x
    yield "ElementwiseKernel", lambda: cupy.ElementwiseKernel(
        "float32 x, raw float32 y", "float32 z", "z = x * y[i] + y[_ind.size() - 1 - i]", "paired")(a, b), x * y + y[::-1]
    yield "ReductionKernel", lambda: cupy.ReductionKernel(
        "T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "length")(a), np.sqrt((x.astype(np.float64)**2).sum())
    yield "fuse", lambda: fused(a, b), np.sqrt(x * x + y * y) / (y + 1)


def judged(name, compute, expected):
    """Runs a case and logs whether CuPy's numbers are NumPy's."""
    OUT.begin(name)
    cupy_driver.failures.clear()
    try:
        made = compute()
        if cupy_driver.failures:
            raise cupy_driver.failures[0]
        pairs = zip(made, expected()) if isinstance(made, tuple) else [(made, expected())]
        right = all(same(got.get(), np.asarray(want)) for got, want in pairs)
        OUT.log(verdict="passed" if right else "failed", words="" if right else "differs")
    except LaunchFailed as error:
        OUT.log(verdict="refused", words=str(error))
    except Exception as error:
        OUT.log(verdict="error", words=f"{type(error).__name__}: {error}"[:300].replace("\n", " "))


def same(got, want):
    if got.shape != want.shape:
        return False
    if want.dtype.kind not in "fc":
        return np.array_equal(got, want)
    close = 1e-10 if got.dtype.itemsize // (2 if got.dtype.kind == "c" else 1) == 8 else 2e-3 if got.dtype == np.float16 else 1e-5
    return np.allclose(got, want, rtol=close, atol=close, equal_nan=True)


def main():
    cupy_driver.install(OUT)
    import cupy
    from cupy import _core
    np.seterr(all="ignore")
    draw = np.random.default_rng(4)
    against = lambda case: (lambda: case(cupy), lambda: case(np))
    tests = [(name, [], *against(case)) for name, case in [*elementwise(draw), *others(draw)]]
    for form, accelerators in (("own", []), ("cub", ["cub"])):
        tests += [(f"{name}.{form}", accelerators, *against(case)) for name, case in reductions(np.random.default_rng(5))]
    tests += [(name, [], compute, lambda expected=expected: expected) for name, compute, expected in of_users(cupy)]
    for name, accelerators, compute, expected in OUT.in_time(tests):
        _core.set_reduction_accelerators(accelerators)
        judged(name, compute, expected)
    # What CuPy keeps it frees while Python ends, when no function of Python can be called any more.
    os._exit(0)


if __name__ == "__main__":
    main()
