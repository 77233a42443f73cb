// what: one thread leaves a value for all: without a barrier it is a race, also where the value turns out right whenever warps run in order
// launch: --block 64
// arg: s32[64]=iota:7
// arg: s32[64]
// expect bad: race
// expect bad_other_warp: race
// expect bad_same_warp: race
// expect good: clean

extern "C" __global__ void bad(const int *in, int *out)
{
    __shared__ int total;
    int t = threadIdx.x;
    if (t == 0)
        total = in[0] + in[1];
    out[t] = total;
}

extern "C" __global__ void bad_other_warp(const int *in, int *out)
{
    __shared__ int total;
    int t = threadIdx.x;
    if (t == 0)
        total = in[0] + in[1];
    if (t >= 32)
        out[t] = total;
}

extern "C" __global__ void bad_same_warp(const int *in, int *out)
{
    __shared__ int total;
    int t = threadIdx.x;
    if (t == 0)
        total = in[0] + in[1];
    __syncthreads();
    int old = total;
    if (t == 31)
        total = old + 1;
    out[t] = old;
}

extern "C" __global__ void good(const int *in, int *out)
{
    __shared__ int total;
    int t = threadIdx.x;
    if (t == 0)
        total = in[0] + in[1];
    __syncthreads();
    out[t] = total;
}
