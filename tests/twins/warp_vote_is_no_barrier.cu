// what: a loop until nothing changes: `__syncthreads_or` is also a barrier for the block, `__any_sync` is none, and orders no memory even inside the warp
// launch: --block 64
// arg: s32[64]=iota:63:-1
// arg: s32[64]
// expect bad_any: race
// expect bad_one_warp: race
// expect good: clean

// The greatest number spreads to the right, a step a round; at most 64 rounds.
extern "C" __global__ void bad_any(const int *in, int *out)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    cells[t] = in[t];
    __syncthreads();
    for (int round = 0; round < 64; round++) {
        int left = t > 0 ? cells[t - 1] : 0, mine = cells[t];
        if (!__any_sync(0xffffffff, left > mine))
            break;
        if (left > mine)
            cells[t] = left;
        __syncwarp();
    }
    out[t] = cells[t];
}

// Inside one warp: the vote makes the lanes wait for each other, but orders nothing.
extern "C" __global__ void bad_one_warp(const int *in, int *out)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    cells[t] = in[t];
    if (t >= 32)
        return;
    __syncwarp();
    for (int round = 0; round < 32; round++) {
        int left = t > 0 ? cells[t - 1] : 0, mine = cells[t];
        if (!__any_sync(0xffffffff, left > mine))
            break;
        if (left > mine)
            cells[t] = left;
        __syncwarp();
    }
    out[t] = cells[t];
}

extern "C" __global__ void good(const int *in, int *out)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    cells[t] = in[t];
    __syncthreads();
    for (int round = 0; round < 64; round++) {
        int left = t > 0 ? cells[t - 1] : 0, mine = cells[t];
        if (!__syncthreads_or(left > mine))
            break;
        if (left > mine)
            cells[t] = left;
        __syncthreads();
    }
    out[t] = cells[t];
}
