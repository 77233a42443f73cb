// Inclusive prefix sums of as many numbers as the block has threads, which is up to 64.
extern "C" __global__ void prefix_sum(const int *in, int *out)
{
    __shared__ int sums[64];
    int t = threadIdx.x;

    sums[t] = in[t];
    __syncthreads();
    for (int by = 1; by < blockDim.x; by *= 2) {
        int before = t >= by ? sums[t - by] : 0;
        __syncthreads();
        sums[t] += before;
        __syncthreads();
    }
    out[t] = sums[t];
}
