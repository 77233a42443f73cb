// what: a histogram in shared memory is added up before all warps have counted
// launch: --grid 2 --block 128
// arg: u8[1000]=rand:1:0:255
// arg: 1000
// arg: u32[256]
// expect bad: race
// expect good: clean

#define COUNT(between)                                                                           \
    __shared__ unsigned counts[256];                                                             \
    for (int i = threadIdx.x; i < 256; i += blockDim.x)                                          \
        counts[i] = 0;                                                                           \
    __syncthreads();                                                                             \
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)      \
        atomicAdd(&counts[in[i]], 1);                                                            \
    between;                                                                                     \
    for (int i = threadIdx.x; i < 256; i += blockDim.x)                                          \
        atomicAdd(&bins[i], counts[i]);

extern "C" __global__ void bad(const unsigned char *in, int n, unsigned *bins)
{
    COUNT()
}

extern "C" __global__ void good(const unsigned char *in, int n, unsigned *bins)
{
    COUNT(__syncthreads())
}
