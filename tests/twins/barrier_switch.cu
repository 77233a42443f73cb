// what: barriers in the cases of a switch, behind a `continue`, or that count votes, taken by some threads only; the same with conditions that are alike for all is clean
// launch: --grid 2 --block 64
// arg: s32[64]=iota
// arg: s32[128]
// arg: 2
// expect bad_case: barrier-divergence
// expect bad_every_case: barrier-divergence | barrier-divergence + deadlock
// expect bad_continue: barrier-divergence | barrier-divergence + deadlock
// expect bad_count: barrier-divergence
// expect good_case: clean
// expect good_block: clean
// expect good_memory: clean
// expect good_continue: clean
// expect good_count: clean

extern "C" __global__ void bad_case(const int *in, int *out, int mode)
{
    int t = threadIdx.x, value = in[t];
    switch (value % 3) {
    case 0:
        value += 10;
        break;
    case 1:
        value *= 3;
        __syncthreads();
        break;
    default:
        value -= 5;
    }
    out[blockIdx.x * 64 + t] = value;
}

extern "C" __global__ void bad_every_case(const int *in, int *out, int mode)
{
    __shared__ int cells[64];
    int t = threadIdx.x, value = in[t];
    switch (value % 3) {
    case 0:
        cells[t] = value + 10;
        __syncthreads();
        value = 1;
        break;
    case 1:
        cells[t] = value * 3;
        __syncthreads();
        value = 7;
        break;
    default:
        cells[t] = value - 5;
        __syncthreads();
    }
    out[blockIdx.x * 64 + t] = value + cells[t];
}

extern "C" __global__ void good_case(const int *in, int *out, int mode)
{
    __shared__ int cells[64];
    int t = threadIdx.x, value = in[t];
    cells[t] = value;
    switch (mode) {
    case 0:
        value += 10;
        break;
    case 2:
        __syncthreads();
        value = cells[63 - t];
        break;
    default:
        value -= 5;
    }
    out[blockIdx.x * 64 + t] = value;
}

// Blocks may differ.
extern "C" __global__ void good_block(const int *in, int *out, int mode)
{
    __shared__ int cells[64];
    int t = threadIdx.x, value = in[t];
    cells[t] = value;
    if (blockIdx.x == 0) {
        __syncthreads();
        value = cells[63 - t];
    }
    out[blockIdx.x * 64 + t] = value;
}

// All threads read the same word.
extern "C" __global__ void good_memory(const int *in, int *out, int mode)
{
    __shared__ int cells[64], again;
    int t = threadIdx.x, value = in[t];
    cells[t] = value;
    if (t == 0)
        again = in[1];
    __syncthreads();
    if (again) {
        value = cells[63 - t];
        __syncthreads();
        cells[t] = value + 1;
        __syncthreads();
    }
    out[blockIdx.x * 64 + t] = cells[t ^ 1];
}

extern "C" __global__ void bad_continue(const int *in, int *out, int mode)
{
    int t = threadIdx.x, value = in[t];
    for (int round = 0; round < 4; round++) {
        if ((value + round) % 4 == 0)
            continue;
        value += 4;
        __syncthreads();
    }
    out[blockIdx.x * 64 + t] = value;
}

extern "C" __global__ void good_continue(const int *in, int *out, int mode)
{
    int t = threadIdx.x, value = in[t];
    for (int round = 0; round < 4; round++) {
        if ((mode + round) % 4 == 0)
            continue;
        value += 4;
        __syncthreads();
    }
    out[blockIdx.x * 64 + t] = value;
}

extern "C" __global__ void bad_count(const int *in, int *out, int mode)
{
    int t = threadIdx.x, value = in[t];
    if (value & 1)
        value = __syncthreads_count(value > 20);
    out[blockIdx.x * 64 + t] = value;
}

extern "C" __global__ void good_count(const int *in, int *out, int mode)
{
    int t = threadIdx.x, value = in[t];
    int count = __syncthreads_count((value & 1) && value > 20);
    if (value & 1)
        value = count;
    out[blockIdx.x * 64 + t] = value;
}
