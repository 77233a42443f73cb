"""Sums of half precision: a GPU adds them in single precision, which not every CPU kernel does.

    warpsim exec -- python half_precision.py

Results and gradients of each operation are compared with the same operation in double precision.
The limit is what rounding the inputs of a sum once, and its result once, can amount to. An H100
(PyTorch 2.11.0+cu130) keeps to it in all of these; not in `cumsum`, which is left out therefore.
"""

import sys

import torch
from torch.nn import functional as F

N = 4096
# Units of the last place, of the result or of the mean of all results, whichever is larger.
LIMIT = 6


def operations():
    index = torch.randint(0, 8, (N,), device="cuda")
    yield "sum", lambda x: x.sum(0), [(N, 16)]
    yield "mean", lambda x: x.mean(0), [(N, 16)]
    yield "variance", lambda x: x.var(0), [(N, 16)]
    yield "norm", lambda x: x.norm(dim=0), [(N, 16)]
    yield "softmax", lambda x: x.softmax(1), [(16, N)]
    yield "log_softmax", lambda x: x.log_softmax(1), [(16, 256)]
    yield "matrices", lambda a, b: a @ b, [(32, N), (N, 8)]
    yield "batched matrices", lambda a, b: a @ b, [(3, 32, N), (3, N, 8)]
    yield "linear", F.linear, [(N, 32), (8, 32), (8,)]
    yield "layer_norm", lambda x, w, b: F.layer_norm(x, (64,), w, b), [(N, 64), (64,), (64,)]
    yield "layer_norm, few rows", lambda x, w, b: F.layer_norm(x, (N,), w, b), [
        (16, N), (N,), (N,)]
    yield "group_norm", lambda x, w, b: F.group_norm(x, 4, w, b), [(64, 8, 64), (8,), (8,)]
    yield "batch_norm", lambda x, w, b: F.batch_norm(x, None, None, w, b, True), [
        (256, 8, 16), (8,), (8,)]
    yield "rms_norm", lambda x, w: F.rms_norm(x, (64,), w), [(N, 64), (64,)]
    yield "convolution", F.conv2d, [(8, 32, 16, 16), (8, 32, 3, 3), (8,)]
    yield "embedding", lambda w: F.embedding(index, w), [(8, 16)]
    yield "embedding_bag", lambda w: F.embedding_bag(index.view(4, -1), w, mode="sum"), [(8, 16)]
    yield "mean square", F.mse_loss, [(N,), (N,)]
    yield "average", lambda x: F.avg_pool2d(x, 32), [(2, 2, 64, 64)]


def away(have, want, epsilon):
    scale = want.abs() + want.abs().mean()
    return ((have.double() - want).abs() / scale).max().item() / epsilon


def main():
    torch.manual_seed(0)
    compared, wrong = 0, 0
    for name, operation, shapes in operations():
        for dtype in (torch.float16, torch.bfloat16):
            narrow = [(torch.rand(shape, device="cuda") * 2 - 0.7).to(dtype).requires_grad_()
                      for shape in shapes]
            wide = [x.detach().double().requires_grad_() for x in narrow]
            have, want = operation(*narrow), operation(*wide)
            upstream = (torch.rand(want.shape, device="cuda") * 2 - 0.7).to(dtype)
            have.backward(upstream)
            want.backward(upstream.double())
            results = [(have, want), *((a.grad, b.grad) for a, b in zip(narrow, wide))]
            for place, (a, b) in enumerate(results):
                compared += 1
                units = away(a.detach(), b.detach(), torch.finfo(dtype).eps)
                if not units <= LIMIT or a.dtype != dtype:
                    wrong += 1
                    what = "result" if place == 0 else f"gradient of argument {place - 1}"
                    print(f"half precision: {name}, {dtype}, {what}: {units:.1f} units")
    print(f"half precision: {compared} compared, {wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
