// what: a function that is not inlined has a barrier in it; in `bad` only some threads call it, and in `bad_condition` `&&` decides who votes
// launch: --block 64
// arg: s32[64]=iota
// arg: s32[64]
// expect bad: barrier-divergence
// expect bad_condition: barrier-divergence
// expect good: clean
// expect good_condition: clean

__device__ __noinline__ int swapped(int *cells, int t, int value)
{
    cells[t] = value;
    __syncthreads();
    return cells[t ^ 1];
}

extern "C" __global__ void bad(const int *in, int *out)
{
    __shared__ int cells[64];
    int t = threadIdx.x, value = in[t];
    if (value < 40)
        value = swapped(cells, t, value);
    out[t] = value;
}

extern "C" __global__ void bad_condition(const int *in, int *out)
{
    int t = threadIdx.x, value = in[t];
    if (value < 40 && __syncthreads_or(value == 7))
        value = -1;
    out[t] = value;
}

extern "C" __global__ void good(const int *in, int *out)
{
    __shared__ int cells[64];
    int t = threadIdx.x, value = in[t];
    int other = swapped(cells, t, value);
    if (value < 40)
        value = other;
    out[t] = value;
}

extern "C" __global__ void good_condition(const int *in, int *out)
{
    int t = threadIdx.x, value = in[t];
    int seven = __syncthreads_or(value == 7);
    if (value < 40 && seven)
        value = -1;
    out[t] = value;
}
