// what: a stencil in place: `bad_at_once` writes what neighbours have yet to read, `bad_next_step` begins the next step too early
// launch: --block 96
// arg: s32[96]=rand:1:0:100
// arg: s32[96]
// arg: 4
// expect bad_at_once: race
// expect bad_next_step: race
// expect good: clean

extern "C" __global__ void bad_at_once(const int *in, int *out, int steps)
{
    __shared__ int cells[96];
    int t = threadIdx.x;
    cells[t] = in[t];
    __syncthreads();
    for (int step = 0; step < steps; step++) {
        if (t > 0 && t < 95)
            cells[t] = (cells[t - 1] + 2 * cells[t] + cells[t + 1]) / 4;
        __syncthreads();
    }
    out[t] = cells[t];
}

extern "C" __global__ void bad_next_step(const int *in, int *out, int steps)
{
    __shared__ int cells[96];
    int t = threadIdx.x;
    cells[t] = in[t];
    __syncthreads();
    for (int step = 0; step < steps; step++) {
        int mean = cells[t];
        if (t > 0 && t < 95)
            mean = (cells[t - 1] + 2 * mean + cells[t + 1]) / 4;
        __syncthreads();
        cells[t] = mean;
    }
    out[t] = cells[t];
}

extern "C" __global__ void good(const int *in, int *out, int steps)
{
    __shared__ int cells[96];
    int t = threadIdx.x;
    cells[t] = in[t];
    __syncthreads();
    for (int step = 0; step < steps; step++) {
        int mean = cells[t];
        if (t > 0 && t < 95)
            mean = (cells[t - 1] + 2 * mean + cells[t + 1]) / 4;
        __syncthreads();
        cells[t] = mean;
        __syncthreads();
    }
    out[t] = cells[t];
}
