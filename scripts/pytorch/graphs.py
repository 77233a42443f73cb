"""CUDA graphs of PyTorch's operations: what is captured does nothing, each replay does it again.

    warpsim exec -- python scripts/pytorch/graphs.py

Expected values are those of the same operations without a graph, and of the CUDA programming guide
("CUDA Graphs"). A GPU passes it, too.
"""

import gc
import sys

import torch
from torch import nn

from counted import check, told


def captured(function):
    """A graph of what a function does, and the function's results, after one run as a warm-up."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        function()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        results = function()
    return graph, results


def replays():
    given = torch.arange(12.0, device="cuda").view(3, 4)
    weights = torch.arange(20.0, device="cuda").view(4, 5)
    graph, result = captured(lambda: torch.relu(given @ weights - 100).sum(1))
    for turn in range(3):
        given.copy_(torch.randn(3, 4))
        graph.replay()
        check(f"replay {turn}", torch.equal(result, torch.relu(given @ weights - 100).sum(1)))


def a_capture_does_nothing():
    counted = torch.zeros(4, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        counted.add_(1)
        half = counted / 2
    check("a capture leaves its arguments", counted.tolist() == [0] * 4)
    for _ in range(3):
        graph.replay()
    check("three replays add three", counted.tolist() == [3] * 4)
    check("the last half", half.tolist() == [1.5] * 4)


def chains():
    """Results that lie where others were, indices that are computed, views, lists and outputs."""
    given = torch.randn(64, 8, device="cuda")
    table = torch.randn(8, 3, device="cuda")
    output = torch.empty(64, device="cuda")
    listed = [torch.zeros(2, device="cuda") for _ in range(3)]

    def chain():
        best = given.argmax(1)
        rows = nn.functional.embedding(best, table)
        for _ in range(4):
            rows = rows * 2 + 1
        picked = given.gather(1, best[:, None])[:, 0]
        torch.mul(picked, 3, out=output)
        torch._foreach_add_(listed, 1)
        top = given.topk(2, 1)
        return rows, top.values, top.indices, given.t()[2], given.sort(0)[0], given.cumsum(1)

    graph, results = captured(chain)
    before = [t.clone() for t in listed]
    given.copy_(torch.randn(64, 8))
    graph.replay()
    after, written = [t.clone() for t in listed], output.clone()
    for number, (mine, expected) in enumerate(zip(results, chain())):
        check(f"result {number} of a chain", torch.equal(mine, expected))
    check("an output", torch.equal(written, output))
    check("a list", all(torch.equal(a, b + 1) for a, b in zip(after, before)))


def masks():
    given = torch.randn(10, device="cuda")

    def fill():
        filled = given.clone()
        filled[filled > 0] = 0
        return filled, torch.where(given > 0, given, -given), torch.nan_to_num(given / 0)

    graph, results = captured(fill)
    given.neg_()
    graph.replay()
    for mine, expected in zip(results, fill()):
        check("masks", torch.equal(mine, expected))


def resized():
    given = torch.arange(6.0, device="cuda")
    output = torch.empty(0, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        torch.add(given, 1, out=output)
    given.add_(10)
    graph.replay()
    check("a resized output", output.tolist() == [11, 12, 13, 14, 15, 16])


def random_numbers():
    chances = torch.linspace(0, 1, 50, device="cuda")
    held = torch.empty(100, device="cuda")
    draws = {
        "rand": lambda: torch.rand(1000, device="cuda"),
        "randn": lambda: torch.randn(1000, device="cuda"),
        "double": lambda: torch.rand(77, device="cuda", dtype=torch.double),
        "normal of means": lambda: torch.normal(chances, 0.5),
        "randint": lambda: torch.randint(0, 1000, (333,), device="cuda"),
        "bernoulli": lambda: torch.bernoulli(chances),
        "bernoulli_": lambda: held.bernoulli_(0.3).clone(),
        "exponential_": lambda: held.exponential_().clone(),
        "dropout": lambda: nn.functional.dropout(chances + 1, 0.5),
        "two": lambda: torch.rand(10, device="cuda") + torch.randn(10, device="cuda"),
    }
    for name, draw in draws.items():
        torch.manual_seed(7)
        expected = [draw() for _ in range(3)]
        graph, result = captured(draw)
        torch.manual_seed(7)
        for turn in range(3):
            graph.replay()
            check(f"{name}, replay {turn}", torch.equal(result, expected[turn]))


def refusals():
    given = torch.randn(10, device="cuda")
    host = torch.randn(10)
    for name, function in {
        "nonzero": lambda: given.nonzero(),
        "item": lambda: given[0].item(),
        "masked_select": lambda: given[given > 0],
        "to the host": lambda: given.cpu(),
        "from the host": lambda: given.copy_(host),
        "normal of deviations": lambda: torch.normal(1.0, given.abs()),
        "unique": lambda: given.unique(),
        "synchronize": lambda: torch.cuda.synchronize(),
    }.items():
        graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.graph(graph):
                function()
        except RuntimeError:
            check(name, True)
        else:
            check(f"{name} was captured", False)
        check(f"{name}: goes on", given.add(1).sub(given).sum().item() > 9.9)


def pinned():
    """A copy from pinned memory reads it at each replay."""
    given = torch.zeros(4).pin_memory()
    back = torch.zeros(4).pin_memory()
    held = torch.empty(4, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        held.copy_(given, non_blocking=True)
        held.mul_(2)
        back.copy_(held, non_blocking=True)
    for value in (3, 5):
        given.fill_(value)
        graph.replay()
        torch.cuda.synchronize()
        check(f"pinned memory of {value}", back.tolist() == [2 * value] * 4)


def model():
    torch.manual_seed(3)
    return nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.LayerNorm(16), nn.Linear(16, 2)).cuda()


def training(make):
    """Twelve steps, three of them before the capture; the same without a graph."""
    torch.manual_seed(11)
    inputs = torch.randn(12, 5, 8, device="cuda")
    targets = torch.randn(12, 5, 2, device="cuda")

    def steps(is_captured):
        net = model()
        optimizer = make(net.parameters())
        given, target = inputs[0].clone(), targets[0].clone()
        losses = []

        def step():
            optimizer.zero_grad(set_to_none=True)
            loss = nn.functional.mse_loss(net(given), target)
            loss.backward()
            optimizer.step()
            return loss

        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for turn in range(3):
                given.copy_(inputs[turn])
                target.copy_(targets[turn])
                losses.append(step().item())
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        if is_captured:
            optimizer.zero_grad(set_to_none=True)
            with torch.cuda.graph(graph):
                loss = step()
        for turn in range(3, 12):
            given.copy_(inputs[turn])
            target.copy_(targets[turn])
            if is_captured:
                graph.replay()
            else:
                loss = step()
            losses.append(loss.item())
        return losses, [p.detach().clone() for p in net.parameters()]

    return steps(False), steps(True)


def trained():
    for name, make in {
        "SGD": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9),
        "Adam": lambda p: torch.optim.Adam(p, lr=0.01, capturable=True),
        "AdamW, fused": lambda p: torch.optim.AdamW(p, lr=0.01, capturable=True, fused=True),
    }.items():
        (losses, weights), (of_graph, graph_weights) = training(make)
        check(f"losses with {name}: {losses} {of_graph}", losses == of_graph)
        check(f"weights with {name}", all(map(torch.equal, weights, graph_weights)))


def graphed_callables():
    plain = model()
    given = torch.randn(5, 8, device="cuda", requires_grad=True)
    graphed = torch.cuda.make_graphed_callables(model(), (given.detach().clone()
                                                          .requires_grad_(),))
    for turn in range(2):
        values = torch.randn(5, 8, device="cuda")
        results = []
        for net in (plain, graphed):
            leaf = values.clone().requires_grad_()
            out = net(leaf)
            out.square().sum().backward()
            results.append((out.detach().clone(), leaf.grad.clone()))
        check(f"make_graphed_callables {turn}", all(map(torch.equal, *results)))


def compiled():
    def function(x, y):
        return torch.softmax(x @ y, -1).sum(0) + x.mean()

    fast = torch.compile(function, mode="reduce-overhead")
    for turn in range(4):
        x, y = torch.randn(16, 8, device="cuda"), torch.randn(8, 16, device="cuda")
        mine = fast(x, y).clone()
        check(f"reduce-overhead {turn}", torch.allclose(mine, function(x, y), 1e-5, 1e-5))


def given_back():
    """Graphs that are gone leave no memory behind, and graphs may share a pool."""
    given = torch.zeros(1000, device="cuda")
    used = []
    for _ in range(4):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            result = given + 1
        graph.replay()
        del graph, result
        gc.collect()
        torch.cuda.empty_cache()
        used.append(torch.cuda.memory_reserved())
    check(f"memory of graphs that are gone: {used}", len(set(used)) == 1)
    first, second = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
    with torch.cuda.graph(first):
        one = given + 1
    with torch.cuda.graph(second, pool=first.pool()):
        two = one * 2
    given.fill_(4)
    first.replay()
    second.replay()
    check("graphs that share a pool", two.sum().item() == 10000)


def main():
    torch.manual_seed(1)
    parts = [replays, a_capture_does_nothing, chains, masks, resized, random_numbers, refusals,
             pinned, trained, graphed_callables, given_back]
    if "--compile" in sys.argv:
        parts.append(compiled)
    for part in parts:
        try:
            part()
        except Exception as error:  # noqa: BLE001: the next part is tried all the same
            check(f"{part.__name__}: {type(error).__name__}: {error}", False)
    return told()


if __name__ == "__main__":
    sys.exit(main())
