// what: a barrier in a function that the last `if` of a kernel calls, inlined or not: the other threads fall through to the end. It stands where its call stands
// launch: --block 64
// arg: s32[64]=iota
// arg: s32[64]
// arg: 50
// expect bad_called: barrier-divergence
// expect bad_called_twice_removed: barrier-divergence
// expect bad_inlined: barrier-divergence
// expect good_called: clean
// expect good_inlined: clean
// expect good_before: clean
// expect good_uniform: clean

__device__ __noinline__ void meet(int *cells, int t, int value)
{
    cells[t] = value;
    __syncthreads();
}

__device__ __noinline__ int meet_and_take(int *cells, int t, int value)
{
    meet(cells, t, value);
    return cells[62 - t];
}

// As cooperative_groups::thread_block::sync() is.
__device__ __forceinline__ void meet_here()
{
    __syncthreads();
}

extern "C" __global__ void bad_called(const int *in, int *out, int n)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    if (t % 2 == 0) {
        meet(cells, t, in[t]);
        out[t] = cells[62 - t];
    }
}

extern "C" __global__ void bad_called_twice_removed(const int *in, int *out, int n)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    if (t % 2 == 0) {
        out[t] = meet_and_take(cells, t, in[t]);
    }
}

extern "C" __global__ void bad_inlined(const int *in, int *out, int n)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    if (t % 2 == 0) {
        cells[t] = in[t];
        meet_here();
        out[t] = cells[62 - t];
    }
}

extern "C" __global__ void good_called(const int *in, int *out, int n)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    if (t >= n)
        return;
    meet(cells, t, in[t]);
    out[t] = cells[n - 1 - t];
}

extern "C" __global__ void good_inlined(const int *in, int *out, int n)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    if (t >= n)
        return;
    cells[t] = in[t];
    meet_here();
    out[t] = cells[n - 1 - t];
}

extern "C" __global__ void good_before(const int *in, int *out, int n)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    meet(cells, t, in[t]);
    if (t % 2 == 0) {
        out[t] = cells[62 - t];
    }
}

extern "C" __global__ void good_uniform(const int *in, int *out, int n)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    if (n > 3) {
        meet(cells, t, in[t]);
        out[t] = cells[63 - t];
    }
}
