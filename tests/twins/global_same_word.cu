// what: all threads write their number to one word; in `good` one thread does. `bad_same_value` writes the same value, which no order shows
// launch: --grid 2 --block 64
// arg: s32[4]
// expect bad: race
// expect bad_same_value: same-value
// expect bad_two_blocks: race
// expect good: clean

extern "C" __global__ void bad(int *out)
{
    out[0] = threadIdx.x;
}

extern "C" __global__ void bad_same_value(int *out)
{
    out[0] = 99;
}

extern "C" __global__ void bad_two_blocks(int *out)
{
    if (threadIdx.x == 0)
        out[0] = blockIdx.x;
}

extern "C" __global__ void good(int *out)
{
    if (threadIdx.x == 0)
        out[blockIdx.x] = threadIdx.x;
}
