// what: an index computed in 32 bits overflows and becomes negative; in 64 bits it does not
// launch: --block 64
// arg: s32[64]=iota
// arg: s32[64]
// arg: 100000007
// arg: 64
// expect bad: out-of-bounds
// expect bad_byte: out-of-bounds
// expect good: clean

extern "C" __global__ void bad(const int *in, int *out, int stride, int n)
{
    int t = threadIdx.x;
    out[t] = in[t * stride % n];
}

// A signed byte holds numbers to 127.
extern "C" __global__ void bad_byte(const int *in, int *out, int stride, int n)
{
    int t = threadIdx.x;
    signed char twice = (signed char)(in[t] * 3);
    out[t] = in[twice / 3];
}

extern "C" __global__ void good(const int *in, int *out, int stride, int n)
{
    int t = threadIdx.x;
    out[t] = in[(long long)t * stride % n];
}
