// what: counting edges that satisfy a condition: with a plain counter, with an atomic of the block's scope across blocks, with a look before the atomic
// launch: --grid 2 --block 32
// arg: s32[41]=iota:0:3
// arg: s32[120]=rand:37:0:39
// arg: u32[1]
// arg: 40
// expect bad_plain: race
// expect bad_scope: race
// expect bad_guard: race
// expect good: clean
// expect good_one_block: clean
// launch good_one_block: --grid 1 --block 64

extern "C" __global__ void bad_plain(const int *rows, const int *columns, unsigned *count, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n)
        for (int e = rows[v]; e < rows[v + 1]; e++)
            if (columns[e] < v)
                *count = *count + 1;
}

extern "C" __global__ void bad_scope(const int *rows, const int *columns, unsigned *count, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n)
        for (int e = rows[v]; e < rows[v + 1]; e++)
            if (columns[e] < v)
                atomicAdd_block(count, 1);
}

// It stops counting at ten.
extern "C" __global__ void bad_guard(const int *rows, const int *columns, unsigned *count, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n)
        for (int e = rows[v]; e < rows[v + 1]; e++)
            if (columns[e] < v && *count < 10)
                atomicAdd(count, 1);
}

extern "C" __global__ void good(const int *rows, const int *columns, unsigned *count, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n)
        for (int e = rows[v]; e < rows[v + 1]; e++)
            if (columns[e] < v)
                atomicAdd(count, 1);
}

extern "C" __global__ void good_one_block(const int *rows, const int *columns, unsigned *count, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n)
        for (int e = rows[v]; e < rows[v + 1]; e++)
            if (columns[e] < v)
                atomicAdd_block(count, 1);
}
