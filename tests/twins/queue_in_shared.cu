// what: a work queue in shared memory, filled with the help of an atomic counter: in `bad` the counter is read, or set back, while others still use it
// launch: --block 64
// arg: s32[64]=rand:21:0:99
// arg: s32[64]
// expect bad_read_early: race
// expect bad_reset: race
// expect good: clean

extern "C" __global__ void bad_read_early(const int *in, int *out)
{
    __shared__ int queue[64], length;
    int t = threadIdx.x;
    queue[t] = 0;
    if (t == 0)
        length = 0;
    __syncthreads();
    if (in[t] % 2 == 0)
        queue[atomicAdd(&length, 1)] = in[t];
    int n = length;
    __syncthreads();
    out[t] = t < n ? queue[t] : 0;
}

// The counter is set back for the next round while warp 1 may not have read it.
extern "C" __global__ void bad_reset(const int *in, int *out)
{
    __shared__ int queue[64], length;
    int t = threadIdx.x, sum = 0;
    if (t == 0)
        length = 0;
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        if (in[t] % 2 == round)
            queue[atomicAdd(&length, 1)] = in[t];
        __syncthreads();
        if (t < length)
            sum += queue[t] / (round + 1);
        if (t == 0)
            length = 0;
    }
    out[t] = sum != 0;
}

extern "C" __global__ void good(const int *in, int *out)
{
    __shared__ int queue[64], length;
    int t = threadIdx.x, sum = 0;
    if (t == 0)
        length = 0;
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        if (in[t] % 2 == round)
            queue[atomicAdd(&length, 1)] = in[t];
        __syncthreads();
        if (t < length)
            sum += queue[t] / (round + 1);
        __syncthreads();
        if (t == 0)
            length = 0;
    }
    out[t] = sum != 0;
}
