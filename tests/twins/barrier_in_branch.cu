// what: a barrier that part of the threads pass by, with work left to do: inside a warp, by a whole warp, or behind a guard
// launch: --block 64
// arg: s32[64]=iota
// arg: s32[64]
// arg: 50
// expect bad_even_lanes: barrier-divergence
// expect bad_one_warp: barrier-divergence
// expect bad_guard: barrier-divergence
// expect good: clean
// expect good_uniform: clean
// expect good_early_exit: clean

extern "C" __global__ void bad_even_lanes(const int *in, int *out, int n)
{
    int t = threadIdx.x, value = in[t];
    if (t % 2 == 0) {
        value *= 2;
        __syncthreads();
        value += 1;
    }
    out[t] = value;
}

extern "C" __global__ void bad_one_warp(const int *in, int *out, int n)
{
    int t = threadIdx.x, value = in[t];
    if (t < 32) {
        value *= 2;
        __syncthreads();
        value += 1;
    }
    out[t] = value;
}

extern "C" __global__ void bad_guard(const int *in, int *out, int n)
{
    __shared__ int cells[64];
    int t = threadIdx.x, value = 0;
    if (t < n) {
        cells[t] = in[t];
        __syncthreads();
        value = cells[n - 1 - t];
    }
    out[t] = value;
}

extern "C" __global__ void good(const int *in, int *out, int n)
{
    __shared__ int cells[64];
    int t = threadIdx.x, value = 0;
    if (t < n)
        cells[t] = in[t];
    __syncthreads();
    if (t < n)
        value = cells[n - 1 - t];
    out[t] = value;
}

// All threads decide alike.
extern "C" __global__ void good_uniform(const int *in, int *out, int n)
{
    __shared__ int cells[64];
    int t = threadIdx.x, value = in[t];
    if (n > 40) {
        cells[t] = value;
        __syncthreads();
        value = cells[63 - t];
    }
    out[t] = value;
}

// Those who have returned are not missed.
extern "C" __global__ void good_early_exit(const int *in, int *out, int n)
{
    __shared__ int cells[64];
    int t = threadIdx.x;
    if (t >= n)
        return;
    cells[t] = in[t];
    __syncthreads();
    out[t] = cells[n - 1 - t];
}
