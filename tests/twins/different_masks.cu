// what: lanes that shuffle together have to name the same mask; halves that each name themselves are two shuffles
// launch: --block 32
// arg: s32[32]=iota:1
// arg: s32[32]
// expect bad: sync-mask
// expect good_halves: clean
// expect good_all: clean

extern "C" __global__ void bad(const int *in, int *out)
{
    int t = threadIdx.x;
    unsigned mask = t < 16 ? 0x0000ffff : 0xffffffff;
    out[t] = __shfl_sync(mask, in[t], 0, 16);
}

extern "C" __global__ void good_halves(const int *in, int *out)
{
    int t = threadIdx.x;
    unsigned mask = t < 16 ? 0x0000ffff : 0xffff0000;
    out[t] = __shfl_sync(mask, in[t], 0, 16);
}

extern "C" __global__ void good_all(const int *in, int *out)
{
    int t = threadIdx.x;
    out[t] = __shfl_sync(0xffffffff, in[t], 0, 16);
}
