// what: lanes exchange values through shared memory: only __syncwarp() between writing and reading orders them, and one more before the next round writes
// launch: --block 32
// arg: s32[32]=iota
// arg: s32[32]
// arg: 3
// expect bad_none: race
// expect bad_next_round: race
// expect bad_shuffle_between: race
// expect bad_two_warps: race
// launch bad_two_warps: --block 64
// expect good: clean

extern "C" __global__ void bad_none(const int *in, int *out, int rounds)
{
    __shared__ int cells[32];
    int t = threadIdx.x;
    cells[t] = in[t];
    out[t] = cells[t ^ 1];
}

extern "C" __global__ void bad_next_round(const int *in, int *out, int rounds)
{
    __shared__ int cells[32];
    int t = threadIdx.x, value = in[t];
    for (int round = 0; round < rounds; round++) {
        cells[t] = value;
        __syncwarp();
        value += cells[(t + 1) % 32];
    }
    out[t] = value;
}

// A shuffle makes lanes wait for each other, but orders no memory.
extern "C" __global__ void bad_shuffle_between(const int *in, int *out, int rounds)
{
    __shared__ int cells[32];
    int t = threadIdx.x;
    cells[t] = in[t];
    int next = __shfl_sync(0xffffffff, t, (t + 1) % 32);
    out[t] = cells[next];
}

// __syncwarp() is for one warp; here the neighbour of lane 31 is in the other.
extern "C" __global__ void bad_two_warps(const int *in, int *out, int rounds)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    cells[t] = t < 32 ? in[t] : 0;
    __syncwarp();
    int value = cells[(t + 1) % 64];
    if (t < 32)
        out[t] = value;
}

extern "C" __global__ void good(const int *in, int *out, int rounds)
{
    __shared__ int cells[32];
    int t = threadIdx.x, value = in[t];
    for (int round = 0; round < rounds; round++) {
        cells[t] = value;
        __syncwarp();
        value += cells[(t + 1) % 32];
        __syncwarp();
    }
    out[t] = value;
}
