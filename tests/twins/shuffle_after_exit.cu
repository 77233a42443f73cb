// what: lanes 20 to 31 have returned: naming them in a mask does no harm, reading their value does
// launch: --block 32
// arg: s32[32]=iota:1
// arg: s32[32]
// arg: 20
// expect bad: shuffle-inactive-lane
// expect good: clean
// expect good_vote: clean

extern "C" __global__ void bad(const int *in, int *out, int n)
{
    int t = threadIdx.x;
    if (t >= n)
        return;
    int value = in[t];
    value += __shfl_down_sync(0xffffffff, value, 4);
    out[t] = value;
}

extern "C" __global__ void good(const int *in, int *out, int n)
{
    int t = threadIdx.x;
    if (t >= n)
        return;
    int value = in[t];
    value += __shfl_xor_sync(0xffffffff, value, 1);
    out[t] = value;
}

extern "C" __global__ void good_vote(const int *in, int *out, int n)
{
    int t = threadIdx.x;
    if (t >= n)
        return;
    out[t] = __ballot_sync(0xffffffff, in[t] % 3 == 0);
}
