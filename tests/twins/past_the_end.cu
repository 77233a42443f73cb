// what: reading or writing one past the end of a global buffer: `<=` for `<`, no guard for the last block, a neighbour that is not there
// launch: --grid 2 --block 64
// arg: s32[100]=iota
// arg: s32[100]
// arg: 100
// expect bad_less_equal: out-of-bounds
// expect bad_no_guard: out-of-bounds
// expect bad_right_neighbour: out-of-bounds
// expect bad_left_neighbour: out-of-bounds
// expect good: clean
// expect good_neighbours: clean

extern "C" __global__ void bad_less_equal(const int *in, int *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i <= n; i += gridDim.x * blockDim.x)
        out[i] = in[i] + 1;
}

extern "C" __global__ void bad_no_guard(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] + 1;
}

extern "C" __global__ void bad_right_neighbour(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] + in[i + 1];
}

extern "C" __global__ void bad_left_neighbour(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] + in[i - 1];
}

extern "C" __global__ void good(const int *in, int *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i] + 1;
}

extern "C" __global__ void good_neighbours(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] + (i > 0 ? in[i - 1] : 0) + (i < n - 1 ? in[i + 1] : 0);
}
