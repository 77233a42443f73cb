// what: each vertex pushes its number to its neighbours: without an atomic, or with a plain look before the atomic, pushes to one neighbour race; `<=` reads a row too many
// launch: --grid 2 --block 32
// arg: s32[41]=iota:0:3
// arg: s32[120]=rand:31:0:39
// arg: s32[40]=rand:32:0:999
// arg: s32[40]
// arg: 40
// expect bad_plain: race
// expect bad_guard: race
// expect bad_bounds: out-of-bounds
// expect good: clean
// expect good_stride: clean

extern "C" __global__ void bad_plain(const int *rows, const int *columns, const int *from, int *to, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n)
        for (int e = rows[v]; e < rows[v + 1]; e++)
            if (to[columns[e]] < from[v])
                to[columns[e]] = from[v];
}

// The look before the atomic is no atomic.
extern "C" __global__ void bad_guard(const int *rows, const int *columns, const int *from, int *to, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n)
        for (int e = rows[v]; e < rows[v + 1]; e++)
            if (to[columns[e]] < from[v])
                atomicMax(&to[columns[e]], from[v]);
}

extern "C" __global__ void bad_bounds(const int *rows, const int *columns, const int *from, int *to, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v <= n)
        for (int e = rows[v]; e < rows[v + 1]; e++)
            atomicMax(&to[columns[e]], from[v]);
}

extern "C" __global__ void good(const int *rows, const int *columns, const int *from, int *to, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n)
        for (int e = rows[v]; e < rows[v + 1]; e++)
            atomicMax(&to[columns[e]], from[v]);
}

extern "C" __global__ void good_stride(const int *rows, const int *columns, const int *from, int *to, int n)
{
    for (int v = threadIdx.x; v < n; v += blockDim.x)
        for (int e = rows[v]; e < rows[v + 1]; e++)
            if (e % gridDim.x == blockIdx.x)
                atomicMax(&to[columns[e]], from[v]);
}
