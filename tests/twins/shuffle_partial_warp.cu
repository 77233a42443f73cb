// what: 24 of 32 lanes have something to add: `bad` reduces with those lanes only and reads from others; `good` lets all take part, with zeros
// launch: --block 32
// arg: s32[24]=iota:1
// arg: s32[1]
// arg: 24
// expect bad: shuffle-inactive-lane
// expect bad_names_all: shuffle-inactive-lane | sync-mask | deadlock
// expect good: clean
// expect good_butterfly: clean

extern "C" __global__ void bad(const int *in, int *out, int n)
{
    int t = threadIdx.x;
    if (t < n) {
        int sum = in[t];
        for (int d = 16; d > 0; d /= 2)
            sum += __shfl_down_sync(0x00ffffff, sum, d);
        if (t == 0)
            out[0] = sum;
    }
}

// The others wait for the block, and those that shuffle for them: hardware may hang.
extern "C" __global__ void bad_names_all(const int *in, int *out, int n)
{
    int t = threadIdx.x, sum = 0;
    if (t < n) {
        sum = in[t];
        for (int d = 16; d > 0; d /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, d);
    }
    if (__syncthreads_or(sum > 1000000) || t == 0)
        out[0] = sum;
}

extern "C" __global__ void good(const int *in, int *out, int n)
{
    int t = threadIdx.x;
    int sum = t < n ? in[t] : 0;
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d);
    if (t == 0)
        out[0] = sum;
}

// Groups of eight, three of which are there: nobody reads outside of its group.
extern "C" __global__ void good_butterfly(const int *in, int *out, int n)
{
    int t = threadIdx.x;
    if (t < n) {
        int sum = in[t];
        for (int d = 4; d > 0; d /= 2)
            sum += __shfl_xor_sync(0x00ffffff, sum, d, 8);
        if (t == 0)
            out[0] = sum;
    }
}
