"""An extension that `load_inline` compiles: a block reverses its part of a tensor.

    warpsim exec --check -- python extension.py [racy]

`racy` leaves the barrier out. Without nvcc, `warpsim nvcc` compiles it.
"""

import sys

import torch
from torch.utils.cpp_extension import load_inline

SOURCE = """
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

__global__ void reverse(const float *x, float *y) {
    __shared__ float part[256];
    int t = threadIdx.x, first = blockIdx.x * 256;
    part[t] = x[first + t];
    BARRIER
    y[first + t] = part[255 - t];
}

torch::Tensor reversed(torch::Tensor x) {
    auto y = torch::empty_like(x);
    auto stream = at::cuda::getCurrentCUDAStream();
    reverse<<<x.numel() / 256, 256, 0, stream>>>(x.data_ptr<float>(), y.data_ptr<float>());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return y;
}
"""


def main(is_racy):
    source = SOURCE.replace("BARRIER", "" if is_racy else "__syncthreads();")
    name = "reversed_racy" if is_racy else "reversed_clean"
    extension = load_inline(name, "torch::Tensor reversed(torch::Tensor x);", source,
                            functions=["reversed"])
    x = torch.randn(512, device="cuda")
    is_right = torch.equal(extension.reversed(x), x.view(2, 256).flip(1).flatten())
    print(f"extension: {'right' if is_right else 'wrong'}")
    return int(not is_right and not is_racy)


if __name__ == "__main__":
    sys.exit(main("racy" in sys.argv[1:]))
