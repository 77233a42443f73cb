"""Kernels in Triton, the kinds that its tutorials teach, compiled by Triton and run by warpsim.

Triton compiles for a named architecture without a GPU. Each case is a kernel, its arguments and what
NumPy says it leaves. `TRITON_ARCHITECTURES` (default "80,90,100,120") names the architectures, each a row of the table.
Tiles are of two sizes: small ones, and those that the tutorials take, for which Triton has other instructions
from sm_90 on (`wgmma`, `tcgen05`).
"""

import ctypes
import os
import warnings

import numpy as np
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.language.extra import libdevice

from launching import LaunchFailed, Output

ARCHITECTURES = [int(a) for a in os.environ.get("TRITON_ARCHITECTURES", "80,90,100,120").split(",")]


@triton.jit
def add(x, y, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    keep = i < n
    tl.store(out + i, tl.load(x + i, keep) + tl.load(y + i, keep), keep)


@triton.jit
def softmax(out, x, stride, columns, B: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, B)
    values = tl.load(x + row * stride + i, mask=i < columns, other=-float("inf"))
    values = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * stride + i, values / tl.sum(values, axis=0), mask=i < columns)


@triton.jit
def softmax_rows(out, x, stride, rows, columns, B: tl.constexpr, STAGES: tl.constexpr):
    # A program takes every so many rows, and loads the next ones ahead.
    i = tl.arange(0, B)
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=STAGES):
        values = tl.load(x + row * stride + i, mask=i < columns, other=-float("inf"))
        values = tl.exp(values - tl.max(values, axis=0))
        tl.store(out + row * stride + i, values / tl.sum(values, axis=0), mask=i < columns)


@triton.jit
def dropout(x, out, n, p, seed, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    keep = i < n
    values = tl.load(x + i, mask=keep)
    random = tl.rand(seed, i)
    tl.store(out + i, tl.where(random > p, values / (1 - p), 0.0), mask=keep)


@triton.jit
def layer_norm(x, y, w, b, mean, rstd, stride, n, eps, B: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, B)
    keep = i < n
    values = tl.load(x + row * stride + i, mask=keep, other=0.0).to(tl.float32)
    average = tl.sum(values, axis=0) / n
    centred = tl.where(keep, values - average, 0.0)
    scale = 1 / tl.sqrt(tl.sum(centred * centred, axis=0) / n + eps)
    tl.store(mean + row, average)
    tl.store(rstd + row, scale)
    weight, bias = tl.load(w + i, mask=keep), tl.load(b + i, mask=keep)
    tl.store(y + row * stride + i, centred * scale * weight + bias, mask=keep)


@triton.jit
def layer_norm_weights(dy, x, mean, rstd, dw, db, locks, stride, n, B: tl.constexpr):
    # Rows of a group add into one row of partial sums, under a lock: the tutorial's backward pass.
    row = tl.program_id(0)
    group = row % 2
    i = tl.arange(0, B)
    keep = i < n
    xs = tl.load(x + row * stride + i, mask=keep, other=0.0)
    dys = tl.load(dy + row * stride + i, mask=keep, other=0.0)
    xhat = (xs - tl.load(mean + row)) * tl.load(rstd + row)
    while tl.atomic_cas(locks + group, 0, 1) == 1:
        pass
    at = group * stride + i
    tl.store(dw + at, tl.load(dw + at, mask=keep) + dys * xhat, mask=keep)
    tl.store(db + at, tl.load(db + at, mask=keep) + dys, mask=keep)
    tl.debug_barrier()
    tl.atomic_xchg(locks + group, 0)


@triton.jit
def matmul(a, b, c, M, N, K, am, bk, cm, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
           ACC: tl.constexpr):
    pm, pn = tl.program_id(0), tl.program_id(1)
    rows, columns, inner = pm * BM + tl.arange(0, BM), pn * BN + tl.arange(0, BN), tl.arange(0, BK)
    left = a + rows[:, None] * am + inner[None, :]
    right = b + inner[:, None] * bk + columns[None, :]
    total = tl.zeros((BM, BN), dtype=ACC)
    for k in range(0, tl.cdiv(K, BK)):
        x = tl.load(left, mask=(rows[:, None] < M) & (inner[None, :] < K - k * BK), other=0.0)
        y = tl.load(right, mask=(inner[:, None] < K - k * BK) & (columns[None, :] < N), other=0.0)
        total = tl.dot(x, y, total)
        left += BK
        right += BK * bk
    keep = (rows[:, None] < M) & (columns[None, :] < N)
    tl.store(c + rows[:, None] * cm + columns[None, :], total, mask=keep)


@triton.jit
def persistent_matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    # A program takes every so many tiles, in an order that keeps rows of tiles together by groups.
    down, across = tl.cdiv(M, BM), tl.cdiv(N, BN)
    inner = tl.arange(0, BK)
    for tile in range(tl.program_id(0), down * across, tl.num_programs(0)):
        first = tile // (GROUP * across) * GROUP
        height = min(down - first, GROUP)
        within = tile % (GROUP * across)
        rows = (first + within % height) * BM + tl.arange(0, BM)
        columns = within // height * BN + tl.arange(0, BN)
        total = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(0, K, BK):
            x = tl.load(a + rows[:, None] * K + (k + inner)[None, :], mask=rows[:, None] < M, other=0.0)
            y = tl.load(b + (k + inner)[:, None] * N + columns[None, :], mask=columns[None, :] < N, other=0.0)
            total = tl.dot(x, y, total)
        tl.store(c + rows[:, None] * N + columns[None, :], total.to(tl.float16),
                 mask=(rows[:, None] < M) & (columns[None, :] < N))


@triton.jit
def matmul_int8(a, b, c, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows, columns, inner = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    x = tl.load(a + rows[:, None] * BK + inner[None, :])
    y = tl.load(b + inner[:, None] * BN + columns[None, :])
    tl.store(c + rows[:, None] * BN + columns[None, :], tl.dot(x, y))


@triton.jit
def grouped_matmul(a, b, c, sizes, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    # Each program takes one problem of a group; its offsets and sizes are data.
    g = tl.program_id(0)
    M, N, K = tl.load(sizes + g * 6), tl.load(sizes + g * 6 + 1), tl.load(sizes + g * 6 + 2)
    a0, b0, c0 = tl.load(sizes + g * 6 + 3), tl.load(sizes + g * 6 + 4), tl.load(sizes + g * 6 + 5)
    for m in range(0, tl.cdiv(M, BM)):
        for n in range(0, tl.cdiv(N, BN)):
            rows, columns, inner = m * BM + tl.arange(0, BM), n * BN + tl.arange(0, BN), tl.arange(0, BK)
            total = tl.zeros((BM, BN), dtype=tl.float32)
            for k in range(0, tl.cdiv(K, BK)):
                at = k * BK + inner
                x = tl.load(a + a0 + rows[:, None] * K + at[None, :],
                            mask=(rows[:, None] < M) & (at[None, :] < K), other=0.0)
                y = tl.load(b + b0 + at[:, None] * N + columns[None, :],
                            mask=(at[:, None] < K) & (columns[None, :] < N), other=0.0)
                total = tl.dot(x, y, total)
            keep = (rows[:, None] < M) & (columns[None, :] < N)
            tl.store(c + c0 + rows[:, None] * N + columns[None, :], total, mask=keep)


@triton.jit
def attention(q, k, v, out, scale, N, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
              CAUSAL: tl.constexpr):
    start, head = tl.program_id(0), tl.program_id(1)
    rows, inner, dims = start * BM + tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, D)
    base = head * N * D
    query = tl.load(q + base + rows[:, None] * D + dims[None, :])
    most = tl.full((BM,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((BM,), dtype=tl.float32)
    acc = tl.zeros((BM, D), dtype=tl.float32)
    for n in range(0, N, BN):
        keys = tl.load(k + base + (n + inner)[None, :] * D + dims[:, None])
        scores = tl.dot(query, keys) * scale
        if CAUSAL:
            scores = tl.where(rows[:, None] >= (n + inner)[None, :], scores, -1.0e6)
        now = tl.maximum(most, tl.max(scores, 1))
        weights = tl.exp(scores - now[:, None])
        alpha = tl.exp(most - now)
        total = total * alpha + tl.sum(weights, 1)
        values = tl.load(v + base + (n + inner)[:, None] * D + dims[None, :])
        acc = tl.dot(weights.to(tl.float16), values, acc * alpha[:, None])
        most = now
    tl.store(out + base + rows[:, None] * D + dims[None, :], acc / total[:, None])


@triton.jit
def arcsine(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, libdevice.asin(tl.load(x + i, mask=i < n)), mask=i < n)


@triton.jit
def scan(x, out, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.cumsum(tl.load(x + i), axis=0))


@triton.jit
def sort(x, out, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.sort(tl.load(x + i)))


@triton.jit
def histogram(x, out, B: tl.constexpr, BINS: tl.constexpr):
    tl.store(out + tl.arange(0, BINS), tl.histogram(tl.load(x + tl.arange(0, B)), BINS))


@triton.jit
def argmax(x, out, stride, B: tl.constexpr):
    row = tl.program_id(0)
    tl.store(out + row, tl.argmax(tl.load(x + row * stride + tl.arange(0, B)), axis=0))


@triton.jit
def atomic_sums(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    values = tl.load(x + i, mask=i < n, other=0.0)
    tl.atomic_add(out + i % 7, values, mask=i < n)


@triton.jit
def transpose(x, out, M: tl.constexpr, N: tl.constexpr):
    m, n = tl.arange(0, M), tl.arange(0, N)
    values = tl.load(x + m[:, None] * N + n[None, :])
    tl.store(out + n[:, None] * M + m[None, :], tl.trans(values))


@triton.jit
def convert(x, half, brain, narrow, B: tl.constexpr):
    i = tl.arange(0, B)
    values = tl.load(x + i)
    tl.store(half + i, values.to(tl.float16))
    tl.store(brain + i, values.to(tl.bfloat16).to(tl.float32))
    tl.store(narrow + i, values.to(tl.float8e5).to(tl.float32))


@triton.jit
def printing(x, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.device_print("x ", tl.load(x + i))


@triton.jit
def gather(x, at, out, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.gather(tl.load(x + i), tl.load(at + i), 0))


TYPES = {"float32": "fp32", "float16": "fp16", "int32": "i32", "int8": "i8", "int64": "i64"}


def kind(value):
    """A value's type as Triton spells it in a signature."""
    if isinstance(value, np.ndarray):
        return "*" + TYPES[str(value.dtype)]
    return "fp32" if isinstance(value, float) else "i32"


class Case:
    """A launch: kernel, grid, named arguments, and what should be where afterwards."""

    def __init__(self, name, kernel, grid, values, expected, warps=4, stages=3, close=1e-3):
        self.name, self.kernel, self.grid, self.values = name, kernel, grid, values
        self.expected, self.warps, self.stages, self.close = expected, warps, stages, close

    def run(self, out, architecture):
        constants = {p.name: self.values[p.name] for p in self.kernel.params if p.is_constexpr}
        signature = {p.name: "constexpr" if p.is_constexpr else kind(self.values[p.name])
                     for p in self.kernel.params}
        aligned = {(i,): [["tt.divisibility", 16]] for i, p in enumerate(self.kernel.params)
                   if isinstance(self.values[p.name], np.ndarray)
                   or not p.is_constexpr and self.values[p.name] % 16 == 0}
        source = ASTSource(fn=self.kernel, signature=signature, constexprs=constants, attrs=aligned)
        made = triton.compile(source, target=GPUTarget("cuda", architecture, 32),
                              options={"num_warps": self.warps, "num_stages": self.stages})
        arguments = [ctypes.c_float(v) if isinstance(v, float) else v if isinstance(v, np.ndarray)
                     else ctypes.c_int32(v)
                     for p in self.kernel.params if not p.is_constexpr
                     for v in [self.values[p.name]]]
        ptx = made.asm["ptx"]
        more = ptx.split(".entry", 1)[1].split(")", 1)[0].count(".param") - len(arguments)
        out.launch(ptx, made.metadata.name, self.grid, (32 * self.warps, 1, 1),
                   arguments + [None] * more, made.metadata.shared)

    def is_right(self):
        for name, expected in self.expected.items():
            got = self.values[name].astype(np.float64)
            if not np.allclose(got.reshape(-1), np.asarray(expected, np.float64).reshape(-1),
                               rtol=self.close, atol=self.close):
                return False
        return True


def uniform(seed, count):
    """The numbers of `tl.rand(seed, 0..count)`: Philox 4x32 of ten rounds (Salmon et al. 2011), its first word as a float."""
    words = np.zeros((4, count), np.uint64)
    words[0] = np.arange(count)
    key, low = np.array([seed, 0], np.uint64), np.uint64(0xFFFFFFFF)
    for _ in range(10):
        first, second = words[0] * np.uint64(0xD2511F53), words[2] * np.uint64(0xCD9E8D57)
        words = np.array([(second >> np.uint64(32)) ^ words[1] ^ key[0], second & low,
                          (first >> np.uint64(32)) ^ words[3] ^ key[1], first & low])
        key = key + np.array([0x9E3779B9, 0xBB67AE85], np.uint64) & low
    signed = words[0].astype(np.uint32).view(np.int32).astype(np.int64)
    return np.where(signed < 0, -signed - 1, signed).astype(np.float32) * np.float32(4.6566127342e-10)


def attended(q, k, v, scale, causal):
    """Attention in double precision."""
    scores = q.astype(np.float64) @ k.astype(np.float64).swapaxes(1, 2) * scale
    if causal:
        scores = np.where(np.tri(q.shape[1], dtype=bool), scores, -1e6)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v


def tutorial_sizes():
    """The kernels again with the tiles and rows that the tutorials take."""
    draw = np.random.default_rng(6)
    f = lambda *shape: draw.standard_normal(shape).astype(np.float32)
    h = lambda *shape: draw.standard_normal(shape).astype(np.float16)
    x, y = f(98432), f(98432)
    yield Case("add_98432", add, (97,), dict(x=x, y=y, out=np.zeros(98432, np.float32), n=98432, B=1024), dict(out=x + y))
    m = f(183, 781)
    e = np.exp(m - m.max(1, keepdims=True))
    yield Case("softmax_781", softmax_rows, (16,),
               dict(out=np.zeros_like(m), x=m, stride=781, rows=183, columns=781, B=1024, STAGES=4),
               dict(out=e / e.sum(1, keepdims=True)), warps=8)
    d = f(5000)
    kept = uniform(123, 5000) > 0.5
    yield Case("dropout_half", dropout, (5,), dict(x=d, out=np.zeros_like(d), n=5000, p=0.5, seed=123, B=1024),
               dict(out=np.where(kept, d / 0.5, 0)))
    m, w, b = f(32, 1152), f(1152), f(1152)
    mean, var = m.mean(1), m.var(1)
    yield Case("layer_norm_1152", layer_norm, (32,),
               dict(x=m, y=np.zeros_like(m), w=w, b=b, mean=np.zeros(32, np.float32), rstd=np.zeros(32, np.float32),
                    stride=1152, n=1152, eps=1e-5, B=2048),
               dict(y=(m - mean[:, None]) / np.sqrt(var + 1e-5)[:, None] * w + b, mean=mean), warps=8)
    a, c = h(256, 192), h(192, 384)
    right = a.astype(np.float32) @ c.astype(np.float32)
    for bm, bn, bk, warps in ((128, 256, 64, 8), (128, 128, 32, 4), (64, 128, 32, 4), (64, 32, 32, 2)):
        yield Case(f"matmul_{bm}x{bn}x{bk}", matmul, (-(-256 // bm), -(-384 // bn)),
                   dict(a=a, b=c, c=np.zeros((256, 384), np.float32), M=256, N=384, K=192, am=192, bk=384, cm=384,
                        BM=bm, BN=bn, BK=bk, ACC=tl.float32), dict(c=right), warps=warps, close=2e-2)
    yield Case("persistent_matmul", persistent_matmul, (3,),
               dict(a=a, b=c, c=np.zeros((256, 384), np.float16), M=256, N=384, K=192, BM=128, BN=128, BK=64, GROUP=8),
               dict(c=right), warps=8, close=2e-2)
    q, k, v = h(2, 256, 64), h(2, 256, 64), h(2, 256, 64)
    for causal in (False, True):
        yield Case("attention_causal_128x64" if causal else "attention_128x64", attention, (2, 2),
                   dict(q=q, k=k, v=v, out=np.zeros((2, 256, 64), np.float32), scale=0.125, N=256, D=64, BM=128, BN=64, CAUSAL=causal),
                   dict(out=attended(q, k, v, 0.125, causal)), close=1e-2)


def cases():
    draw = np.random.default_rng(2)
    f = lambda *shape: draw.standard_normal(shape).astype(np.float32)
    h = lambda *shape: draw.standard_normal(shape).astype(np.float16)
    z = lambda *shape, t=np.float32: np.zeros(shape, t)
    x, y = f(1000), f(1000)
    yield Case("add", add, (8,), dict(x=x, y=y, out=z(1000), n=1000, B=128), dict(out=x + y))
    m = f(5, 100)
    e = np.exp(m - m.max(1, keepdims=True))
    yield Case("softmax", softmax, (5,), dict(out=z(5, 100), x=m, stride=100, columns=100, B=128),
               dict(out=e / e.sum(1, keepdims=True)))
    yield Case("dropout_none", dropout, (8,), dict(x=x, out=z(1000), n=1000, p=0.0, seed=7, B=128),
               dict(out=x))
    w, b = f(100), f(100)
    mean, var = m.mean(1), m.var(1)
    hat = (m - mean[:, None]) / np.sqrt(var + 1e-5)[:, None]
    yield Case("layer_norm", layer_norm, (5,),
               dict(x=m, y=z(5, 100), w=w, b=b, mean=z(5), rstd=z(5), stride=100, n=100, eps=1e-5, B=128),
               dict(y=hat * w + b, mean=mean, rstd=1 / np.sqrt(var + 1e-5)))
    dy = f(5, 100)
    groups = np.arange(5) % 2
    yield Case("layer_norm_weights", layer_norm_weights, (5,),
               dict(dy=dy, x=m, mean=mean.astype(np.float32), rstd=(1 / np.sqrt(var + 1e-5)).astype(np.float32),
                    dw=z(2, 100), db=z(2, 100), locks=z(2, t=np.int32), stride=100, n=100, B=128),
               dict(dw=np.stack([(dy * hat)[groups == g].sum(0) for g in (0, 1)]),
                    db=np.stack([dy[groups == g].sum(0) for g in (0, 1)])))
    for name, a, c in (("matmul_f16", h(64, 64), h(64, 32)), ("matmul_f16_edges", h(50, 70), h(70, 30))):
        M, K, N = a.shape[0], a.shape[1], c.shape[1]
        yield Case(name, matmul, (-(-M // 32), -(-N // 32)),
                   dict(a=a, b=c, c=z(M, N), M=M, N=N, K=K, am=K, bk=N, cm=N, BM=32, BN=32, BK=32, ACC=tl.float32),
                   dict(c=a.astype(np.float32) @ c.astype(np.float32)), close=1e-2)
    a, c = f(32, 64), f(64, 32)
    yield Case("matmul_tf32", matmul, (1, 1),
               dict(a=a, b=c, c=z(32, 32), M=32, N=32, K=64, am=64, bk=32, cm=32, BM=32, BN=32, BK=32, ACC=tl.float32),
               dict(c=a @ c), close=5e-2)
    i8 = lambda *shape: draw.integers(-128, 128, shape).astype(np.int8)
    a, c = i8(32, 64), i8(64, 32)
    yield Case("matmul_int8", matmul_int8, (1,), dict(a=a, b=c, c=z(32, 32, t=np.int32), BM=32, BN=32, BK=64),
               dict(c=a.astype(np.int64) @ c.astype(np.int64)), close=0)
    shapes = [(40, 24, 16), (16, 33, 50), (64, 64, 64)]
    sizes, pa, pb, pc, want = [], [], [], [], []
    for M, N, K in shapes:
        left, right = h(M, K), h(K, N)
        sizes += [M, N, K, sum(t.size for t in pa), sum(t.size for t in pb), sum(t.size for t in pc)]
        pa.append(left); pb.append(right); pc.append(np.zeros((M, N)))
        want.append(left.astype(np.float32) @ right.astype(np.float32))
    flat = lambda parts: np.concatenate([t.reshape(-1) for t in parts])
    yield Case("grouped_matmul", grouped_matmul, (3,),
               dict(a=flat(pa), b=flat(pb), c=flat(pc).astype(np.float32), sizes=np.array(sizes, np.int32),
                    BM=32, BN=32, BK=32), dict(c=flat(want)), close=1e-2)
    q, k, v = h(2, 64, 32), h(2, 64, 32), h(2, 64, 32)
    for causal in (False, True):
        yield Case("attention_causal" if causal else "attention", attention, (2, 2),
                   dict(q=q, k=k, v=v, out=z(2, 64, 32), scale=0.2, N=64, D=32, BM=32, BN=32, CAUSAL=causal),
                   dict(out=attended(q, k, v, 0.2, causal)), close=1e-2)
    u = draw.uniform(-1, 1, 1000).astype(np.float32)
    yield Case("libdevice_asin", arcsine, (8,), dict(x=u, out=z(1000), n=1000, B=128), dict(out=np.arcsin(u)))
    yield Case("scan", scan, (1,), dict(x=f(512), out=z(512), B=512), None)
    yield Case("sort", sort, (1,), dict(x=f(256), out=z(256), B=256), None)
    bins = draw.integers(0, 16, 512).astype(np.int32)
    yield Case("histogram", histogram, (1,), dict(x=bins, out=z(16, t=np.int32), B=512, BINS=16),
               dict(out=np.bincount(bins, minlength=16)))
    r = f(6, 128)
    yield Case("argmax", argmax, (6,), dict(x=r, out=z(6, t=np.int32), stride=128, B=128), dict(out=r.argmax(1)))
    yield Case("atomic_sums", atomic_sums, (8,), dict(x=x, out=z(7), n=1000, B=128),
               dict(out=[x[np.arange(1000) % 7 == g].sum() for g in range(7)]))
    t = f(32, 64)
    yield Case("transpose", transpose, (1,), dict(x=t, out=z(64, 32), M=32, N=64), dict(out=t.T))
    small = np.arange(-32, 32, 0.5, dtype=np.float32)
    yield Case("convert", convert, (1,), dict(x=small, half=z(128, t=np.float16), brain=z(128), narrow=z(128), B=128),
               dict(half=small, brain=small), close=1e-2)
    yield Case("printing", printing, (1,), dict(x=f(128), B=128), {})
    at = draw.permutation(128).astype(np.int32)
    g = f(128)
    yield Case("gather", gather, (1,), dict(x=g, at=at, out=z(128), B=128), dict(out=g[at]))


def expected_of(case):
    """What follows from the inputs of cases that name nothing themselves."""
    if case.expected is None:
        made = {"scan": np.cumsum, "sort": np.sort}[case.name](case.values["x"].astype(np.float64))
        case.expected = dict(out=made)


def main():
    warnings.simplefilter("ignore")
    for architecture in ARCHITECTURES:
        out = Output(f"triton-sm_{architecture}")
        for case in out.in_time([*cases(), *tutorial_sizes()]):
            out.begin(case.name)
            expected_of(case)
            try:
                case.run(out, architecture)
                right = case.is_right()
                out.log(verdict="passed" if right else "failed", words="" if right else "differs")
            except LaunchFailed as error:
                out.log(verdict="refused", words=str(error))
            except Exception as error:
                out.log(verdict="error", words=f"{type(error).__name__}: {error}"[:300].replace("\n", " "))


if __name__ == "__main__":
    main()
