"""Random numbers with seeds: those that an H100 drew are recorded, and drawn again here.

    warpsim exec -- python random_numbers.py        compares
    python random_numbers.py record                 on a GPU: writes the record anew

The record (PyTorch 2.11.0+cu130, NVIDIA H100 80GB HBM3) has of each draw a hash of all its bytes,
its first numbers, and what the generator stood at afterwards. Whole and uniform numbers have to be
equal; those that come of a logarithm or a sine have to be near.
"""

import collections
import hashlib
import json
import pathlib
import sys

import torch

RECORD = pathlib.Path(__file__).with_name("h100_random_numbers.json")
# A GPU's logarithm and sine are approximations.
NEAR = {"normal", "normalm", "normald", "normalmd", "normaldouble", "exponential", "lognormal",
        "cauchy", "geometric"}
TOLERANCE = 2e-5
# Not drawn as a GPU draws it: the page says so.
OTHER = {"multinomialr"}


def draws():
    """The names of the draws and their tensors, one after the other."""
    def empty(n, dtype=torch.float32):
        return torch.empty(n, device="cuda", dtype=dtype)
    floats = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
    for seed in (0, 123456789012):
        for n in (1, 5, 1000, 262145, 1100000):
            torch.manual_seed(seed)
            start = f"{seed} {n} "
            for dtype in floats:
                name = str(dtype).partition(".")[2]
                yield start + f"uniform {name}", empty(n, dtype).uniform_(-1, 3)
                yield start + f"normal {name}", empty(n, dtype).normal_(1, 2)
            yield start + "randint10", torch.randint(0, 10, (n,), device="cuda")
            yield start + "randint32", torch.randint(-5, 100, (n,), device="cuda",
                                                     dtype=torch.int32)
            yield start + "randintbig", torch.randint(0, 1 << 40, (n,), device="cuda")
            yield start + "random64", empty(n, torch.int64).random_()
            yield start + "random32", empty(n, torch.int32).random_()
            yield start + "random8", empty(n, torch.uint8).random_()
            yield start + "randomf32", empty(n).random_()
            yield start + "bernoulli", empty(n).bernoulli_(0.3)
            yield start + "bernoullit", torch.bernoulli(torch.full((n,), 0.3, device="cuda"))
            yield start + "bernoullib", empty(n, torch.bool).bernoulli_(0.3)
            yield start + "exponential", empty(n).exponential_(2.0)
            yield start + "lognormal", empty(n).log_normal_(0.5, 1)
            yield start + "cauchy", empty(n).cauchy_(0, 1)
            yield start + "geometric", empty(n).geometric_(0.3)
            means = torch.linspace(-5, 5, n, device="cuda")
            yield start + "normalm", torch.normal(means, 2.0)
            yield start + "normald", torch.normal(3.0, means.abs())
            yield start + "normalmd", torch.normal(means, means.abs())
            yield start + "normaldouble", torch.normal(means.double(), 2.0)
            yield start + "randperm", torch.randperm(n, device="cuda")
            ones = torch.ones(n, device="cuda")
            yield start + "dropout", torch.nn.functional.dropout(ones, 0.5)
            yield start + "dropouth", torch.nn.functional.dropout(ones.half(), 0.1)
            ten = torch.ones(10, device="cuda")
            yield start + "multinomial", torch.multinomial(ten, 5)
            weights = torch.arange(1.0, 11.0, device="cuda")
            yield start + "multinomialr", torch.multinomial(weights, 100, replacement=True)
            yield start + "last", empty(3).uniform_()


def rows():
    for name, drawn in draws():
        flat = drawn.cpu().flatten()
        digest = hashlib.sha256(flat.view(torch.uint8).numpy().tobytes()).hexdigest()
        yield name, digest, flat[:6].tolist(), torch.cuda.default_generators[0].get_offset()


def compare():
    counts, wrong = collections.Counter(), 0
    for recorded, have in zip(json.loads(RECORD.read_text()), rows(), strict=True):
        name, digest, first, offset = recorded
        kind = name.split(" ")[2]
        assert name == have[0], (name, have[0])
        away = max(abs(a - b) / (1 + abs(a)) for a, b in zip(first, have[2]))
        if digest == have[1] and offset == have[3]:
            counts["equal"] += 1
        elif kind in NEAR and away < TOLERANCE and offset == have[3]:
            counts["near"] += 1
        elif kind in OTHER and offset == have[3]:
            counts["drawn in another way"] += 1
        else:
            wrong += 1
            print(f"random numbers: {name}: {have[2]} at {have[3]}, recorded {first} at {offset}")
    said = ", ".join(f"{count} {what}" for what, count in counts.items())
    print(f"random numbers: {said}, {wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    if sys.argv[1:] == ["record"]:
        lines = ",\n".join(json.dumps(row) for row in rows())
        RECORD.write_text(f"[\n{lines}\n]\n")
    else:
        sys.exit(compare())
