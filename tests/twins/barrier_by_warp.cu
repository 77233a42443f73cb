// what: the two warps of a block wait at different instructions; `bad_twice` has one warp pass two barriers and the other one
// launch: --block 64
// arg: s32[64]=iota
// arg: s32[64]
// expect bad: barrier-divergence
// expect bad_twice: barrier-divergence
// expect good: clean

extern "C" __global__ void bad(const int *in, int *out)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    if (t < 32) {
        cells[t] = in[t] * 2;
        __syncthreads();
    } else {
        cells[t] = in[t] + 1;
        __syncthreads();
    }
    out[t] = cells[63 - t];
}

extern "C" __global__ void bad_twice(const int *in, int *out)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    cells[t] = in[t];
    __syncthreads();
    int value = cells[63 - t];
    if (t < 32) {
        __syncthreads();
        value += cells[t];
    }
    out[t] = value;
}

extern "C" __global__ void good(const int *in, int *out)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    if (t < 32)
        cells[t] = in[t] * 2;
    else
        cells[t] = in[t] + 1;
    __syncthreads();
    out[t] = cells[63 - t];
}
