"""Compares what `torch.use_deterministic_algorithms(True)` refuses on CUDA tensors with a GPU.

    python scripts/pytorch/deterministic.py > scripts/pytorch/h100_deterministic.txt   # on a GPU
    warpsim exec -- python scripts/pytorch/deterministic.py scripts/pytorch/h100_deterministic.txt

The file there is of PyTorch 2.11 on an H100. What is refused depends on the version. `FORWARD`
operations are called with the mode on. Of `BACKWARD` ones the gradient is asked for, once with the
mode switched on after the forward pass, and once before.
"""

import sys

import torch
from torch.nn import functional as F

LINE, IMAGE, VOLUME = (2, 2, 8), (2, 2, 8, 8), (2, 2, 8, 8, 8)


def zeros(*shape, kind=torch.long):
    return torch.zeros(*shape, dtype=kind, device="cuda")


def ctc(x):
    lengths = torch.tensor([6, 6], device="cuda"), torch.tensor([3, 3], device="cuda")
    return F.ctc_loss(x.log_softmax(2), zeros(2, 3) + 1, *lengths)


BACKWARD = {
    **{f"{mode}{n}": (shape, lambda x, m=mode, n=n: F.pad(x, (1,) * 2 * n, mode=m))
       for mode in ("reflect", "replicate")
       for n, shape in ((1, LINE), (2, IMAGE), (3, VOLUME))},
    **{mode: (shape, lambda x, m=mode: F.interpolate(x, scale_factor=2, mode=m))
       for mode, shape in (("linear", LINE), ("bilinear", IMAGE), ("bicubic", IMAGE),
                           ("trilinear", VOLUME))},
    "avg_pool3d": (VOLUME, lambda x: F.avg_pool3d(x, 2)),
    "max_pool3d": (VOLUME, lambda x: F.max_pool3d(x, 2)),
    "adaptive_avg_pool2d": (IMAGE, lambda x: F.adaptive_avg_pool2d(x, 3)),
    "adaptive_avg_pool3d": (VOLUME, lambda x: F.adaptive_avg_pool3d(x, 3)),
    "adaptive_max_pool2d": (IMAGE, lambda x: F.adaptive_max_pool2d(x, 3)),
    "adaptive_max_pool3d": (VOLUME, lambda x: F.adaptive_max_pool3d(x, 3)),
    "fractional2d": (IMAGE, lambda x: F.fractional_max_pool2d(x, 2, output_ratio=(0.5,) * 2)),
    "fractional3d": (VOLUME, lambda x: F.fractional_max_pool3d(x, 2, output_ratio=(0.5,) * 3)),
    "grid2d": (IMAGE, lambda x: F.grid_sample(x, zeros(2, 3, 3, 2, kind=torch.float))),
    "grid3d": (VOLUME, lambda x: F.grid_sample(x, zeros(2, 3, 3, 3, 3, kind=torch.float))),
    "embedding_bag max": ((3, 2), lambda x: F.embedding_bag(zeros(1, 2), x, mode="max")),
    "embedding_bag sum": ((3, 2), lambda x: F.embedding_bag(zeros(1, 2), x, mode="sum")),
    "ctc_loss": ((6, 2, 4), ctc),
    "nll_loss2d": ((2, 3, 4, 4), lambda x: F.nll_loss(x, zeros(2, 4, 4))),
}

FORWARD = {
    "put_": lambda g, i: g.put_(i, g[:1].clone()),
    "put_ accumulate": lambda g, i: g.put_(i, g[:1].clone(), accumulate=True),
    "histc": lambda g, i: g.histc(3),
    "histc of whole numbers": lambda g, i: i.histc(3),
    "bincount": lambda g, i: i.bincount(),
    "bincount with weights": lambda g, i: i.bincount(g[:1]),
    "kthvalue": lambda g, i: g.kthvalue(2),
    "median": lambda g, i: g.median(),
    "median with indices": lambda g, i: g.median(0),
    "nanmedian with indices": lambda g, i: g.nanmedian(0),
    "scatter_reduce prod": lambda g, i: g.scatter_reduce(0, i, g[:1], "prod"),
    "index_reduce prod": lambda g, i: g.index_reduce(0, i, g[:1], "prod"),
    "scatter_reduce amax": lambda g, i: g.scatter_reduce(0, i, g[:1], "amax"),
    "scatter_reduce sum": lambda g, i: g.scatter_reduce(0, i, g[:1], "sum"),
    "index_reduce amax": lambda g, i: g.index_reduce(0, i, g[:1], "amax"),
    "scatter multiply": lambda g, i: g.scatter(0, i, g[:1], reduce="multiply"),
    "scatter": lambda g, i: g.scatter(0, i, g[:1]),
    "put": lambda g, i: g.put(i, g[:1].clone()),
    "index_put accumulate": lambda g, i: g.index_put((i,), g[:1], accumulate=True),
    "index_copy": lambda g, i: g.index_copy(0, i, g[:1]),
    "index_add": lambda g, i: g.index_add(0, i, g[:1]),
    "cumsum": lambda g, i: g.cumsum(0),
    "max_unpool1d": lambda g, i: F.max_unpool1d(g.view(1, 1, 9), zeros(1, 1, 9), 1),
}


def outcome(function):
    try:
        function()
    except RuntimeError as error:
        text = str(error)
        known = " does not have a deterministic implementation"
        return "refused: " + (text[:text.index(known)] if known in text else text[:70])
    return "fine"


def lines():
    yield torch.__version__
    for name, function in FORWARD.items():
        torch.use_deterministic_algorithms(True)
        given = torch.rand(9, device="cuda"), torch.ones(1, dtype=torch.long, device="cuda")
        yield f"{name}: {outcome(lambda: function(*given))}"
    for name, (shape, function) in BACKWARD.items():
        for when in ("after", "before"):
            def gradient():
                torch.use_deterministic_algorithms(when == "before")
                made = function(torch.rand(*shape, device="cuda", requires_grad=True)).sum()
                torch.use_deterministic_algorithms(True)
                made.backward()
            yield f"{name}, {when}: {outcome(gradient)}"


def main():
    if len(sys.argv) == 1:
        for line in lines():
            print(line, flush=True)
        return
    with open(sys.argv[1]) as file:
        expected = file.read().splitlines()
    got = list(lines())
    differing = [(theirs, ours) for theirs, ours in zip(expected, got, strict=True)
                 if theirs != ours and (theirs, ours) != (expected[0], got[0])]
    for theirs, ours in differing:
        print(f"wrong: {ours}; on the GPU: {theirs}")
    print(f"{len(got) - 1} compared, {len(differing)} wrong (PyTorch {got[0]}; "
          f"on the GPU {expected[0]})")
    sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()
