// what: a histogram by plain increments; in `good` atomic ones. `good_private` has a row of bins for each thread and adds them up after the barrier, `bad_private` before it
// launch: --grid 1 --block 64
// arg: u32[256]=rand:7:0:15
// arg: u32[16]
// arg: u32[1024]
// expect bad: race
// expect bad_private: race
// expect good: clean
// expect good_private: clean

extern "C" __global__ void bad(const unsigned *in, unsigned *bins, unsigned *)
{
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x)
        bins[in[i]]++;
}

extern "C" __global__ void good(const unsigned *in, unsigned *bins, unsigned *)
{
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x)
        atomicAdd(&bins[in[i]], 1);
}

extern "C" __global__ void bad_private(const unsigned *in, unsigned *bins, unsigned *rows)
{
    unsigned t = threadIdx.x;
    for (unsigned i = t; i < 256; i += blockDim.x)
        rows[16 * t + in[i]]++;
    if (t < 16)
        for (unsigned row = 0; row < blockDim.x; row++)
            bins[t] += rows[16 * row + t];
}

extern "C" __global__ void good_private(const unsigned *in, unsigned *bins, unsigned *rows)
{
    unsigned t = threadIdx.x;
    for (unsigned i = t; i < 256; i += blockDim.x)
        rows[16 * t + in[i]]++;
    __syncthreads();
    if (t < 16)
        for (unsigned row = 0; row < blockDim.x; row++)
            bins[t] += rows[16 * row + t];
}
