// what: one instruction by which two lanes store to one place is a race as any other
// launch: --block 32
// arg: s32[32]=iota:1
// arg: s32[32]
// expect bad: race
// expect bad_same_cell: race
// expect good: clean

extern "C" __global__ void bad(const int *in, int *out)
{
    int t = threadIdx.x;
    out[t / 2] = in[t];
}

extern "C" __global__ void bad_same_cell(const int *in, int *out)
{
    out[0] += in[threadIdx.x];
}

extern "C" __global__ void good(const int *in, int *out)
{
    int t = threadIdx.x;
    out[t ^ 1] = in[t];
}
