// what: a filter that takes room for a whole warp with one atomic; in `bad` the first lane of each warp adds without an atomic
// launch: --grid 2 --block 64
// arg: s32[128]=rand:8:-50:50
// arg: s32[128]
// arg: s32[1]
// expect bad: race
// expect good: clean
// expect good_ballot: clean

extern "C" __global__ void bad(const int *in, int *out, int *count)
{
    int t = threadIdx.x, lane = t % 32, value = in[blockIdx.x * 64 + t];
    unsigned mask = __ballot_sync(0xffffffff, value > 0);
    int base = 0;
    if (lane == 0) {
        base = *count;
        *count = base + __popc(mask);
    }
    base = __shfl_sync(0xffffffff, base, 0);
    if (value > 0)
        out[base + __popc(mask & ((1u << lane) - 1))] = value;
}

extern "C" __global__ void good(const int *in, int *out, int *count)
{
    int t = threadIdx.x, lane = t % 32, value = in[blockIdx.x * 64 + t];
    if (value > 0) {
        unsigned mask = __activemask();
        int leader = __ffs(mask) - 1, base = 0;
        if (lane == leader)
            base = atomicAdd(count, __popc(mask));
        base = __shfl_sync(mask, base, leader);
        out[base + __popc(mask & ((1u << lane) - 1))] = value;
    }
}

extern "C" __global__ void good_ballot(const int *in, int *out, int *count)
{
    int t = threadIdx.x, lane = t % 32, value = in[blockIdx.x * 64 + t];
    unsigned mask = __ballot_sync(0xffffffff, value > 0);
    int base = 0;
    if (lane == 0)
        base = atomicAdd(count, __popc(mask));
    base = __shfl_sync(0xffffffff, base, 0);
    if (value > 0)
        out[base + __popc(mask & ((1u << lane) - 1))] = value;
}
