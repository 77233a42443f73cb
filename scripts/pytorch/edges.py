"""Checks on a GPU's behaviour where PyTorch's CPU kernels behave in another way, or where bytes of
device and host part: outputs that are resized, lazy clones, mixed devices, bounds of random
numbers, half precision that the CPU lacks, and what deterministic algorithms refuse.

    warpsim exec -- python scripts/pytorch/edges.py

Expected values are those of PyTorch's documentation and of the same operation on CPU tensors.
An H100 passes it (PyTorch 2.11).
"""

import sys

import torch
import triton
import triton.language as tl

from counted import check, told


def refused(name, text, function):
    try:
        function()
    except RuntimeError as error:
        check(f"{name}: {error}", text in str(error))
    else:
        check(f"{name}: not refused", False)


def resized_outputs():
    given = torch.randn(12).cuda()[:6]
    values = torch.empty_like(given)[::2]
    places = torch.empty(18, device="cuda", dtype=torch.long)[::3]
    torch.sort(given, out=(values, places))
    expected = given.cpu().sort()
    check("sort into a strided output", torch.equal(values.cpu(), expected.values))
    check("its indices", torch.equal(places.cpu(), expected.indices))
    output = torch.zeros(8, device="cuda")[::4]
    torch.add(given, 1, out=output)
    check("add into a strided output", torch.equal(output.cpu(), given.cpu() + 1))


def lazy_clones():
    first = torch.zeros(3, device="cuda")
    second = torch._lazy_clone(first)
    second.add_(1)
    check("the original", first.tolist() == [0, 0, 0])
    check("the clone", second.tolist() == [1, 1, 1])


def mixed_devices():
    given = torch.ones(6, device="cuda")
    for name, function in {
        "sum": lambda: torch.sum(given, 0, out=torch.empty(())),
        "add": lambda: torch.add(given, 1, out=torch.empty(6)),
        "nonzero": lambda: torch.nonzero(given, out=torch.empty([], dtype=torch.long)),
    }.items():
        refused(f"{name} into a CPU tensor", " device", function)
    check("a number of the CPU", torch.equal((given + torch.tensor(2.0)).cpu(), torch.full((6,), 3.)))


def lists_of_torchscript():
    @torch.jit.script
    def function(x, i, v):
        places = [None, i]
        x.index_put_(places, v, accumulate=True)
        return x
    given = torch.arange(8.0).reshape(4, 2)
    places, value = torch.tensor([1, 0]), torch.tensor(10.0)
    there = function(given.cuda(), places.cuda(), value.cuda()).cpu()
    check("index_put_ in TorchScript", torch.equal(there, function(given, places, value)))


def bounds_of_random_numbers():
    for kind in (torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.float16):
        made = torch.empty(4, dtype=kind, device="cuda")
        refused(f"random_ below {kind}", "out of bounds", lambda: made.random_(-10**12, 5))
        refused(f"random_ above {kind}", "out of bounds", lambda: made.random_(0, 10**12))
    refused("uniform_", "out of bounds",
            lambda: torch.empty(4, dtype=torch.half, device="cuda").uniform_(-1e9, 1))
    refused("rand of whole numbers", "not implemented",
            lambda: torch.rand((0,), dtype=torch.int32, device="cuda"))
    refused("randperm in half precision", "2049",
            lambda: torch.randperm(4000, dtype=torch.half, device="cuda"))
    for kind, first, last in ((torch.int16, 32760, 32767), (torch.float32, 2**24 - 6, 2**24),
                              (torch.bool, 1, 1), (torch.uint8, 250, 255)):
        made = torch.empty(4000, dtype=kind, device="cuda").random_(first, None).double()
        check(f"random_ from {first} of {kind}",
              made.min().item() == first and made.max().item() == last)


def half_precision():
    for length in (8, 64):
        given = torch.randn(3, length).half()
        there = torch.fft.rfft(given.cuda())
        check("kind of rfft", there.dtype == torch.complex32)
        near = torch.fft.rfft(given.float())
        check("rfft", (there.cpu().to(torch.complex64) - near).abs().max() < 0.02)
        back = torch.fft.irfft(there).cpu()
        check("irfft", back.dtype == torch.half and (back - given).abs().max() < 0.01)
    refused("rfft of 6 numbers", "powers of two",
            lambda: torch.fft.rfft(torch.ones(6, device="cuda", dtype=torch.half)))
    given = torch.eye(3, dtype=torch.half).cuda().to_sparse()
    check("sum of sparse tensors", torch.equal((given + given).to_dense().cpu(),
                                               2 * torch.eye(3, dtype=torch.half)))
    for other, kind in ((torch.int64, torch.half), (torch.float64, torch.float64)):
        check(f"its kind with {other}", (given.to(other) + given).dtype == kind)
    there = (given + given).coalesce()
    there.add_(given)
    check("sum in place", there.dtype == torch.half and there.to_dense().sum().item() == 9)


@triton.jit
def one(to):
    tl.store(to, 1.0)


def outputs_that_are_inputs():
    """A kernel runs before and after, so that bytes that were not told to be written are lost."""
    ones, cell = torch.ones(8, 8, device="cuda"), torch.zeros(1, device="cuda")
    sparse = torch.eye(8).cuda().to_sparse()
    clone = torch._lazy_clone
    calls = {
        "add": (lambda to: torch.add(to, ones, out=to), 3),
        "add by names": (lambda to: torch.add(input=to, other=ones, out=to), 3),
        "second input": (lambda to: torch.sub(ones, to, out=to), -1),
        "matrix product": (lambda to: torch.addmm(to, ones, ones, out=to), 10),
        "three times": (lambda to: torch.addcmul(to, to, to, out=to), 6),
        "lazy clone": (lambda to: torch.add(to, ones, out=to), 3),
        "sparse": (lambda to: torch.add(to, sparse, out=to), None),
    }
    for name, (call, expected) in calls.items():
        to = torch.full((8, 8), 2.0, device="cuda")
        kept = to
        if name == "lazy clone":
            to = clone(to)
        if expected is None:
            to, expected = sparse.clone(), 2 * torch.eye(8)
        one[(1,)](cell)
        call(to)
        one[(1,)](cell)
        found = to.to_dense().cpu() if to.is_sparse else to.cpu()
        check(f"output that is an input: {name}: {found[0, 0]}", bool((found == expected).all()))
        check("what was cloned", name != "lazy clone" or bool((kept.cpu() == 2).all()))


def deterministic_algorithms():
    given = torch.rand(4, device="cuda")
    whole = torch.zeros(3, dtype=torch.long, device="cuda")
    image = torch.rand(1, 1, 4, 4, device="cuda", requires_grad=True)
    padded = torch.nn.functional.pad(image, (1, 1, 1, 1), mode="replicate").sum()
    torch.use_deterministic_algorithms(True)
    asked = "does not have a deterministic implementation"
    refused("median with indices", asked, lambda: given.median(0))
    refused("histc", asked, lambda: given.histc(4))
    refused("bincount with weights", asked, lambda: whole.bincount(torch.ones(3, device="cuda")))
    refused("gradient of a replication", asked, padded.backward)
    check("bincount", whole.bincount().tolist() == [3])
    check("median", given.median().item() == given.cpu().median().item())
    torch.use_deterministic_algorithms(False)
    check("histc again", given.histc(4, 0, 1).sum().item() == 4)


def products_of_another_type():
    """Of half precision, with a result in single precision (from PyTorch 2.8 on)."""
    if "dtype_out" not in torch.ops.aten.mm.overloads():
        return
    a, b = torch.randn(3, 4).half().cuda(), torch.randn(4, 5).half().cuda()
    bias = torch.randn(3, 5, device="cuda")
    expected = a.cpu().float() @ b.cpu().float()
    near = {"rtol": 1e-5, "atol": 1e-5}
    result = torch.mm(a, b, out_dtype=torch.float32)
    check("mm in single precision", torch.allclose(result.cpu(), expected, **near))
    output = torch.empty(3, 5, device="cuda")
    torch.mm(a, b, out_dtype=torch.float32, out=output)
    check("its output", torch.allclose(output.cpu(), expected, **near))
    torch.addmm(bias, a, b, out_dtype=torch.float32, beta=2, out=output)
    check("addmm", torch.allclose(output.cpu(), expected + 2 * bias.cpu(), **near))
    batches = torch.baddbmm(bias[None], a[None], b[None], out_dtype=torch.float32)
    check("baddbmm", torch.allclose(batches.cpu(), expected + bias.cpu(), **near))


def main():
    torch.manual_seed(1)
    products_of_another_type()
    resized_outputs()
    lazy_clones()
    mixed_devices()
    lists_of_torchscript()
    bounds_of_random_numbers()
    half_precision()
    outputs_that_are_inputs()
    deterministic_algorithms()
    sys.exit(told(f" (seed 1, PyTorch {torch.__version__})"))


if __name__ == "__main__":
    main()
