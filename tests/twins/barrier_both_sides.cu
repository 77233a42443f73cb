// what: a branch inside a warp with __syncthreads() on both sides: lanes of one warp wait at two instructions, and hardware hangs; `good` has one barrier behind the branch
// launch: --block 32
// arg: s32[32]=iota
// arg: s32[32]
// expect bad: barrier-divergence | barrier-divergence + deadlock
// expect good: clean

extern "C" __global__ void bad(const int *in, int *out)
{
    __shared__ int count;
    int t = threadIdx.x;
    if (t == 0)
        count = 0;
    __syncthreads();
    if (in[t] < 16) {
        atomicAdd(&count, 1);
        __syncthreads();
    } else {
        atomicAdd(&count, 100);
        __syncthreads();
    }
    out[t] = count;
}

extern "C" __global__ void good(const int *in, int *out)
{
    __shared__ int count;
    int t = threadIdx.x;
    if (t == 0)
        count = 0;
    __syncthreads();
    if (in[t] < 16)
        atomicAdd(&count, 1);
    else
        atomicAdd(&count, 100);
    __syncthreads();
    out[t] = count;
}
