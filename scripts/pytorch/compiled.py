"""Three models under `torch.compile`: Inductor writes Triton kernels, which are simulated.

    warpsim exec --check -- python compiled.py
"""

import sys
import time

import torch
from torch import nn


class Pointwise(nn.Module):
    def forward(self, x):
        return nn.functional.gelu(x) * torch.softmax(x, -1) + x.mean(-1, keepdim=True)


MODELS = {
    "pointwise and reductions": (Pointwise, (64, 100)),
    "perceptron": (lambda: nn.Sequential(nn.Linear(32, 64), nn.LayerNorm(64), nn.ReLU(),
                                         nn.Linear(64, 8), nn.Softmax(-1)), (16, 32)),
    "convolution": (lambda: nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(),
                                          nn.AdaptiveAvgPool2d(1)), (2, 3, 12, 12)),
}


def main():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    is_right = True
    for name, (make, shape) in MODELS.items():
        net, x = make().cuda(), torch.randn(shape).cuda().requires_grad_()
        want = net(x)
        of_want, = torch.autograd.grad(want.square().sum(), x)
        start = time.time()
        have = torch.compile(net)(x)
        of_have, = torch.autograd.grad(have.square().sum(), x)
        try:
            torch.testing.assert_close(have, want)
            torch.testing.assert_close(of_have, of_want)
            said = "right, forward and backward"
        except AssertionError as error:
            is_right, said = False, str(error).splitlines()[0]
        print(f"compiled: {name}: {said} ({time.time() - start:.0f} s)", flush=True)
    return int(not is_right)


if __name__ == "__main__":
    sys.exit(main())
