// what: waiting for a flag that nobody sets is a livelock; a flag set by another warp, or by another lane of the same one, is waited for in vain never
// launch: --block 64
// arg: s32[64]=iota
// arg: s32[64]
// arg: s32[1]
// expect bad: livelock
// expect bad_wrong_value: livelock | livelock + unordered
// expect bad_no_fence: race + unordered
// expect good: clean
// expect good_same_warp: clean
// launch good_same_warp: --block 2

extern "C" __global__ void bad(const int *in, int *out, volatile int *flag)
{
    int t = threadIdx.x;
    if (t == 32) {
        while (*flag == 0)
            ;
    }
    out[t] = in[t];
}

// It waits for 2, and 1 is all that comes.
extern "C" __global__ void bad_wrong_value(const int *in, int *out, volatile int *flag)
{
    int t = threadIdx.x;
    if (t == 0) {
        __threadfence();
        *flag = 1;
    }
    if (t == 32) {
        while (*flag != 2)
            ;
        __threadfence();
    }
    out[t] = in[t];
}

extern "C" __global__ void bad_no_fence(const int *in, int *out, volatile int *flag)
{
    int t = threadIdx.x;
    if (t == 0) {
        out[0] = in[0];
        *flag = 1;
    }
    if (t == 32) {
        while (*flag == 0)
            ;
        __threadfence();
        out[1] = out[0] + 1;
    }
}

extern "C" __global__ void good(const int *in, int *out, volatile int *flag)
{
    int t = threadIdx.x;
    if (t == 0) {
        out[0] = in[0];
        __threadfence();
        *flag = 1;
    }
    if (t == 32) {
        while (*flag == 0)
            ;
        __threadfence();
        out[1] = out[0] + 1;
    }
}

extern "C" __global__ void good_same_warp(const int *in, int *out, volatile int *flag)
{
    int t = threadIdx.x;
    if (t == 0) {
        out[0] = in[0];
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0)
            ;
        __threadfence();
        out[1] = out[0] + 1;
    }
}
