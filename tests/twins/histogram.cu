// what: a histogram in shared memory: counting without atomics, and counting before all bins are cleared
// launch: --block 64
// arg: s32[64]=rand:3:0:15
// arg: s32[16]
// expect bad_plain: race
// expect bad_clear: race
// expect bad_read: race
// expect good: clean

extern "C" __global__ void bad_plain(const int *in, int *out)
{
    __shared__ int bins[16];
    int t = threadIdx.x;
    if (t < 16)
        bins[t] = 0;
    __syncthreads();
    bins[in[t]]++;
    __syncthreads();
    if (t < 16)
        out[t] = bins[t];
}

extern "C" __global__ void bad_clear(const int *in, int *out)
{
    __shared__ int bins[16];
    int t = threadIdx.x;
    if (t < 16)
        bins[t] = 0;
    atomicAdd(&bins[in[t]], 1);
    __syncthreads();
    if (t < 16)
        out[t] = bins[t];
}

extern "C" __global__ void bad_read(const int *in, int *out)
{
    __shared__ int bins[16];
    int t = threadIdx.x;
    if (t < 16)
        bins[t] = 0;
    __syncthreads();
    atomicAdd(&bins[in[t]], 1);
    if (t < 16)
        out[t] = bins[t];
}

extern "C" __global__ void good(const int *in, int *out)
{
    __shared__ int bins[16];
    int t = threadIdx.x;
    if (t < 16)
        bins[t] = 0;
    __syncthreads();
    atomicAdd(&bins[in[t]], 1);
    __syncthreads();
    if (t < 16)
        out[t] = bins[t];
}
