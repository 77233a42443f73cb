// what: a tree reduction: `bad_before_read` has no barrier between filling shared memory and the first step, `bad_in_loop` none between the steps
// launch: --grid 2 --block 128
// arg: s32[256]=iota
// arg: s32[2]
// expect bad_before_read: race
// expect bad_in_loop: race
// expect good: clean

extern "C" __global__ void bad_before_read(const int *in, int *out)
{
    __shared__ int sums[128];
    unsigned t = threadIdx.x;
    sums[t] = in[blockIdx.x * blockDim.x + t];
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s)
            sums[t] += sums[t + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = sums[0];
}

extern "C" __global__ void bad_in_loop(const int *in, int *out)
{
    __shared__ int sums[128];
    unsigned t = threadIdx.x;
    sums[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s)
            sums[t] += sums[t + s];
    }
    if (t == 0)
        out[blockIdx.x] = sums[0];
}

extern "C" __global__ void good(const int *in, int *out)
{
    __shared__ int sums[128];
    unsigned t = threadIdx.x;
    sums[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s)
            sums[t] += sums[t + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = sums[0];
}
