// what: a copy four words at a time with a tail word by word: in `bad` the number of vectors is rounded up, so that the last vector overlaps the tail: both store the same there
// launch: --block 32
// arg: s32[68]=iota
// arg: s32[68]
// arg: 66
// expect bad: same-value
// expect good: clean

extern "C" __global__ void bad(const int *in, int *out, int n)
{
    int t = threadIdx.x;
    for (int i = t; i < (n + 3) / 4; i += 32)
        ((int4 *)out)[i] = ((const int4 *)in)[i];
    for (int i = n / 4 * 4 + t; i < n; i += 32)
        out[i] = in[i];
}

extern "C" __global__ void good(const int *in, int *out, int n)
{
    int t = threadIdx.x;
    for (int i = t; i < n / 4; i += 32)
        ((int4 *)out)[i] = ((const int4 *)in)[i];
    for (int i = n / 4 * 4 + t; i < n; i += 32)
        out[i] = in[i];
}
