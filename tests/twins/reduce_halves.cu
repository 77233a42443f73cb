// what: a tree reduction: with `t <= s` in `bad` one thread too many adds in each step, and writes the cell that thread 0 reads
// launch: --block 128
// arg: s32[128]=iota
// arg: s32[1]
// expect bad: race
// expect good: clean

// One cell more than threads, so that the thread too many stays inside.
extern "C" __global__ void bad(const int *in, int *out)
{
    __shared__ int sums[129];
    unsigned t = threadIdx.x;
    sums[t] = in[t];
    if (t == 0)
        sums[blockDim.x] = 0;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t <= s)
            sums[t] += sums[t + s];
        __syncthreads();
    }
    if (t == 0)
        out[0] = sums[0];
}

extern "C" __global__ void good(const int *in, int *out)
{
    __shared__ int sums[129];
    unsigned t = threadIdx.x;
    sums[t] = in[t];
    if (t == 0)
        sums[blockDim.x] = 0;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s)
            sums[t] += sums[t + s];
        __syncthreads();
    }
    if (t == 0)
        out[0] = sums[0];
}
