#!/usr/bin/env python3
"""Nested tensors on CUDA against the same on the CPU, bit for bit, under `warpsim exec`; attention
of them against that of each sequence in double precision; and a kernel that is not there, which the
next operation has to name.

    warpsim exec -- python scripts/pytorch/nested.py
"""

import ctypes
import random
import sys
import warnings

import torch

warnings.filterwarnings("ignore")

SEED = 20261127


def ragged(draw, dims, layout, device):
    parts = [torch.randn(draw.randint(1, 6), *dims, generator=torch.Generator().manual_seed(i))
             for i in range(draw.randint(1, 5))]
    return torch.nested.nested_tensor(parts, device=device, layout=layout)


def results(draw, layout, device):
    """The results of each operation, by its name, on tensors that the draw decides."""
    nested = ragged(draw, (4,), layout, device)
    weight = torch.arange(12.0, device=device).reshape(3, 4)
    yield "unbind", nested.unbind()
    yield "padded", [torch.nested.to_padded_tensor(nested, -1.0)]
    yield "times", (nested * 2).unbind()
    yield "linear", torch.nn.functional.linear(nested, weight).unbind()
    yield "softmax", torch.softmax(nested, -1).unbind()
    if layout is torch.strided:
        other = torch.nested.nested_tensor([part.t() for part in nested.unbind()], device=device)
        yield "bmm", torch.matmul(nested, other).unbind()
        mask = torch.tensor([[1, 1, 0], [1, 1, 1]], dtype=torch.bool, device=device)
        dense = torch.arange(24.0, device=device).reshape(2, 3, 4)
        yield "from_mask", torch._nested_tensor_from_mask(dense, mask).unbind()
        leaf = nested.detach().requires_grad_()
        leaf.to_padded_tensor(0.0).square().sum().backward()
        yield "backward", leaf.grad.unbind()


def compare(rounds):
    compared = wrong = 0
    for number in range(rounds):
        for layout in (torch.strided, torch.jagged):
            both = [results(random.Random(SEED + number), layout, device)
                    for device in ("cpu", "cuda")]
            for (name, expected), (_, found) in zip(*both, strict=True):
                for a, b in zip(expected, found, strict=True):
                    compared += 1
                    if not torch.equal(a.detach(), b.detach().cpu()):
                        wrong += 1
                        print(f"wrong: {name} of {layout}: {a} and {b}")
    return compared, wrong


# By how much results and gradients may differ, of sums of some dozens of products.
LIMITS = {torch.float32: 1e-5, torch.float16: 1e-2, torch.bfloat16: 1e-1}


def attended(sequences, is_causal, layout=None, kind=torch.double):
    """The results of attention and the gradients of its inputs, sequence by sequence: of a nested
    tensor on CUDA if there is a layout, else of each sequence on the CPU."""
    trains = layout is not torch.strided
    leaves = [[one.to(kind).requires_grad_(layout is None) for one in group]
              for group in sequences]
    if layout is None:
        outs = [torch.nn.functional.scaled_dot_product_attention(
            *(one.transpose(0, 1).unsqueeze(0) for one in three), is_causal=is_causal).squeeze(0)
            for three in zip(*leaves, strict=True)]
    else:
        leaves = [torch.nested.nested_tensor([one.detach() for one in group], device="cuda",
                                             layout=layout, requires_grad=trains)
                  for group in leaves]
        outs = torch.nn.functional.scaled_dot_product_attention(
            *(group.transpose(1, 2) for group in leaves), is_causal=is_causal).unbind()
    if not trains:
        return list(outs)
    weights = [torch.arange(out.numel(), device=out.device).view(out.shape).sin() for out in outs]
    sum((out.double() * weight).sum() for out, weight in zip(outs, weights)).backward()
    grads = [group.grad.unbind() if layout else [one.grad for one in group] for group in leaves]
    return [*(out.detach() for out in outs), *(one for group in grads for one in group)]


def compare_attention():
    compared = wrong = 0
    shapes = [((3, 5, 2), (3, 5, 2)), ((7,), (7,)), ((3, 5, 2), (4, 1, 6)), ((1, 40), (33, 2))]
    generator = torch.Generator().manual_seed(SEED)
    for of_query, of_key in shapes:
        sequences = [[torch.randn(length, 2, 8, generator=generator) for length in lengths]
                     for lengths in (of_query, of_key, of_key)]
        for is_causal in (False, True)[:1 + (of_query == of_key)]:
            for layout in (torch.jagged, torch.strided)[:1 if is_causal else 2]:
                for kind, limit in LIMITS.items():
                    found = attended(sequences, is_causal, layout, kind)
                    rounded = [[one.to(kind) for one in group] for group in sequences]
                    for a, b in zip(attended(rounded, is_causal), found):
                        compared += 1
                        if not (a.detach() - b.cpu().double()).abs().max() <= limit:
                            wrong += 1
                            print(f"wrong: attention of {layout}, {kind}, {of_query}: {a} and {b}")
    return compared, wrong


def a_lost_kernel_is_told():
    """A launch of a function that no module has."""
    number = ctypes.CDLL(None).cudaLaunchKernel(
        ctypes.c_void_p(1), ctypes.c_uint64(1 << 32 | 1), 1, ctypes.c_uint64(1 << 32 | 1), 1,
        None, ctypes.c_size_t(0), None)
    try:
        torch.ones(2, device="cuda")
    except NotImplementedError as error:
        return number != 0 and "it has not run" in str(error)
    return False


def main():
    compared, wrong = map(sum, zip(compare(20), compare_attention()))
    told = a_lost_kernel_is_told()
    alive = torch.ones(2, device="cuda").sum().item() == 2
    print(f"seed {SEED}: {compared} compared, {wrong} wrong; a lost kernel is "
          f"{'named' if told else 'NOT named'} and what follows {'works' if alive else 'FAILS'}")
    return int(wrong > 0 or not told or not alive)


if __name__ == "__main__":
    sys.exit(main())
