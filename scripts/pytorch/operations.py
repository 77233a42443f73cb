"""Each operation of PyTorch's own list, with PyTorch's own samples, forward and backward: on CUDA
tensors, and on the CPU's.

    warpsim exec -- python operations.py [NAME]...

`torch.testing` has the list. What comes back is compared bit for bit, and where it differs, by
PyTorch's tolerance. Operations that draw random numbers, and those that give memory as it was, are
compared by shape and type alone. The last line counts.
"""

import collections
import sys
import warnings

import torch
from torch.testing._internal.common_methods_invocations import op_db

SAMPLES = 12

# What differs by nature: numbers are drawn from a generator of each device.
RANDOM = {
    "bernoulli", "cauchy", "exponential", "geometric", "log_normal", "multinomial", "normal",
    "pca_lowrank", "rand_like", "randint", "randint_like", "randn", "randn_like", "svd_lowrank",
    "uniform", "nn.functional.alpha_dropout", "nn.functional.dropout",
    "nn.functional.dropout2d", "nn.functional.dropout3d",
    "nn.functional.feature_alpha_dropout", "nn.functional.fractional_max_pool2d",
    "nn.functional.fractional_max_pool3d", "nn.functional.multi_head_attention_forward",
    "nn.functional.rrelu", "nn.functional.scaled_dot_product_attention",
}
# Memory that nobody has written.
UNWRITTEN = {"empty", "empty_like", "empty_permuted", "empty_strided", "new_empty",
             "new_empty_strided", "resize_", "resize_as_"}
# No GPU has them, or their samples are of the CPU.
NOT_ON_A_GPU = {"histogram", "histogramdd", "sparse.mm.reduce", "tensor_split",
                "as_strided.partial_views"}


def moved(x, device):
    """A sample with its tensors on a device."""
    if isinstance(x, torch.Tensor):
        return x.detach().to(device).requires_grad_(x.requires_grad)
    if isinstance(x, (list, tuple)):
        made = [moved(item, device) for item in x]
        return type(x)(*made) if hasattr(x, "_fields") else type(x)(made)
    if isinstance(x, dict):
        return {key: moved(value, device) for key, value in x.items()}
    return device if isinstance(x, torch.device) or x in ("cpu", "cuda") else x


def tensors(x):
    if isinstance(x, torch.Tensor):
        yield x
    elif isinstance(x, (list, tuple)):
        for item in x:
            yield from tensors(item)
    elif isinstance(x, dict):
        yield from tensors(list(x.values()))


def run(op, sample, device):
    """The results of an operation, and the gradients of their sum."""
    torch.manual_seed(7)
    inputs = moved([sample.input, sample.args, sample.kwargs], device)
    out = op(inputs[0], *inputs[1], **inputs[2])
    shown = sample.output_process_fn_grad(out) if sample.output_process_fn_grad else out
    leaves = [t for t in tensors(inputs) if t.requires_grad]
    outs = [t for t in tensors(shown) if t.requires_grad]
    grads = []
    if leaves and outs and op.supports_autograd:
        dense = [t if t.layout == torch.strided else t.to_dense() for t in outs]
        total = sum((t.abs() if t.is_complex() else t).sum() for t in dense)
        grads = list(torch.autograd.grad(total, leaves, allow_unused=True))
    return list(tensors(out)) + grads


def plain(t):
    t = (t if t.layout == torch.strided else t.to_dense()).cpu().resolve_conj().resolve_neg()
    t = torch.view_as_real(t) if t.is_complex() else t
    return t.view(torch.uint8) if t.is_floating_point() and t.itemsize == 1 else t


def difference(a, b, by_shape):
    if a is None or b is None:
        return None if a is b else "only one has a result"
    if (a.shape, a.dtype) != (b.shape, b.dtype):
        return f"{tuple(a.shape)} {a.dtype} and {tuple(b.shape)} {b.dtype}"
    if by_shape:
        return None
    p, q = plain(a), plain(b)
    if bool(((p == q) | ((p != p) & (q != q))).all()):
        return None
    try:
        torch.testing.assert_close(p, q, equal_nan=True)
        return "close"
    except AssertionError as error:
        return str(error).splitlines()[0]


def verdicts(op, name):
    """How often what came of the samples of an operation."""
    if torch.float32 in op.dtypes:
        dtype = torch.float32
    elif torch.int64 in op.dtypes:
        dtype = torch.int64
    else:
        dtype = sorted(op.dtypes, key=str)[0]
    has_gradient = op.supports_autograd and dtype.is_floating_point
    torch.manual_seed(3)
    samples = list(op.sample_inputs("cpu", dtype, requires_grad=has_gradient))[:SAMPLES]
    by_shape = op.name in RANDOM or op.name in UNWRITTEN or name in RANDOM
    counts = collections.Counter()
    for sample in samples:
        try:
            want = run(op, sample, "cpu")
        except Exception:
            continue
        try:
            have = run(op, sample, "cuda")
        except Exception as error:
            counts[f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:160]}"] += 1
            continue
        if len(want) != len(have):
            counts["another number of results"] += 1
        counts.update(filter(None, (difference(*pair, by_shape) for pair in zip(want, have))))
        counts["samples"] += 1
    return counts


def main(names):
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    total = collections.Counter()
    for op in op_db:
        name = op.name + (f".{op.variant_test_name}" if op.variant_test_name else "")
        is_asked = not names or op.name in names or name in names
        if not is_asked or not op.dtypes or name in NOT_ON_A_GPU:
            continue
        counts = verdicts(op, name)
        samples = counts.pop("samples", 0)
        kind = "equal" if not counts else "close" if set(counts) == {"close"} else "wrong"
        kind = "by shape" if kind == "equal" and op.name in RANDOM | UNWRITTEN else kind
        if samples == 0 and not counts:
            kind = "without samples"
        total[kind] += 1
        total["samples"] += samples
        if kind in ("close", "wrong"):
            said = "; ".join(f"{text} ({count})" for text, count in counts.most_common(2))
            print(f"{name}: {kind}: {said}", flush=True)
    parts = ", ".join(f"{total[kind]} {kind}" for kind in
                      ("equal", "by shape", "close", "wrong", "without samples"))
    print(f"operations: {parts}; {total['samples']} samples")
    return int(total["wrong"] > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
