// Counts how often each of 8 remainders occurs: first in the block, then in all blocks.
extern "C" __global__ void histogram(const unsigned *in, unsigned *counts, int n)
{
    __shared__ unsigned of_block[8];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;

    if (t < 8) {
        of_block[t] = 0;
    }
    __syncthreads();
    if (i < n) {
        atomicAdd(&of_block[in[i] % 8], 1u);
    }
    __syncthreads();
    if (t < 8) {
        atomicAdd(&counts[t], of_block[t]);
    }
}
