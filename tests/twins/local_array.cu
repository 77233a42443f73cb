// what: an array of a thread's own is nobody else's; the same array in shared memory, without an index for the thread, is everybody's
// launch: --block 64
// arg: s32[64]=rand:9:0:1000
// arg: s32[64]
// expect bad: race
// expect good: clean
// expect good_row: clean

extern "C" __global__ void bad(const int *in, int *out)
{
    __shared__ int digits[10];
    int t = threadIdx.x;
    for (int k = 0; k < 10; k++)
        digits[k] = 0;
    for (int rest = in[t]; rest > 0; rest /= 10)
        digits[rest % 10]++;
    out[t] = digits[in[(t + 1) % 64] % 10];
}

extern "C" __global__ void good(const int *in, int *out)
{
    int digits[10];
    int t = threadIdx.x;
    for (int k = 0; k < 10; k++)
        digits[k] = 0;
    for (int rest = in[t]; rest > 0; rest /= 10)
        digits[rest % 10]++;
    out[t] = digits[in[(t + 1) % 64] % 10];
}

extern "C" __global__ void good_row(const int *in, int *out)
{
    __shared__ int digits[64][10];
    int t = threadIdx.x;
    for (int k = 0; k < 10; k++)
        digits[t][k] = 0;
    for (int rest = in[t]; rest > 0; rest /= 10)
        digits[t][rest % 10]++;
    out[t] = digits[t][in[(t + 1) % 64] % 10];
}
