// what: a shuffle inside a branch that names and reads lanes which take the other way; `good` hoists it, `good_own_half` names and reads its own side
// launch: --block 32
// arg: s32[32]=iota
// arg: s32[32]
// expect bad: shuffle-inactive-lane | sync-mask
// expect bad_mask_right: shuffle-inactive-lane
// expect good: clean
// expect good_own_half: clean

extern "C" __global__ void bad(const int *in, int *out)
{
    int t = threadIdx.x, value = in[t], other = 0;
    if (t < 16)
        other = __shfl_sync(0xffffffff, value, 20);
    out[t] = value + other;
}

// The mask names those who call, but lanes 8 to 15 read from lanes 16 to 23.
extern "C" __global__ void bad_mask_right(const int *in, int *out)
{
    int t = threadIdx.x, value = in[t], other = 0;
    if (t < 16)
        other = __shfl_down_sync(0x0000ffff, value, 8);
    out[t] = value + other;
}

extern "C" __global__ void good(const int *in, int *out)
{
    int t = threadIdx.x, value = in[t], other = 0;
    int there = __shfl_sync(0xffffffff, value, 20);
    if (t < 16)
        other = there;
    out[t] = value + other;
}

extern "C" __global__ void good_own_half(const int *in, int *out)
{
    int t = threadIdx.x, value = in[t], other = 0;
    if (t < 16)
        other = __shfl_down_sync(0x0000ffff, value, 8, 16);
    out[t] = value + other;
}
