"""An extension reverses blocks of a tensor. `racy` as an argument leaves out a barrier."""

import sys

import torch
from torch.utils.cpp_extension import load_inline

RACY = "racy" in sys.argv[1:]
SOURCE = """
__global__ void reverse(const float *x, float *y) {
    __shared__ float part[256];
    int t = threadIdx.x, first = blockIdx.x * 256;
    part[t] = x[first + t];
    BARRIER
    y[first + t] = part[255 - t];
}

torch::Tensor reversed(torch::Tensor x) {
    auto y = torch::empty_like(x);
    reverse<<<x.numel() / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>());
    return y;
}
"""

extension = load_inline(
    "reversed_racy" if RACY else "reversed_clean",
    "torch::Tensor reversed(torch::Tensor x);",
    SOURCE.replace("BARRIER", "" if RACY else "__syncthreads();"),
    functions=["reversed"],
)
x = torch.arange(512, device="cuda", dtype=torch.float32)
y = extension.reversed(x)
print("right" if torch.equal(y, x.view(2, 256).flip(1).flatten()) else "wrong")
