// what: every vertex pulls the sum of its neighbours' values; from one array into another no two threads meet, in place they do, with or without a barrier (there are two blocks)
// launch good: --grid 2 --block 4
// launch good_one_block: --grid 1 --block 32
// launch bad: --grid 2 --block 4
// launch bad_barrier: --grid 2 --block 4
// launch bad_guard: --grid 2 --block 4
// arg: 8
// arg: s32[9]=list:0,2,5,8,11,14,16,19,20
// arg: s32[20]=list:1,2,0,2,3,0,1,4,1,4,5,2,3,6,3,6,4,5,7,6
// arg: s32[8]=list:5,9,2,7,1,8,3,6
// arg: s32[8]
// expect bad: race
// expect bad_barrier: race
// expect bad_guard: out-of-bounds
// expect good: clean
// expect good_one_block: clean

#define SUM(from)                                                                                \
    int sum = 0;                                                                                 \
    if (v < n)                                                                                   \
        for (int i = nindex[v]; i < nindex[v + 1]; i++)                                          \
            sum += from[nlist[i]];
#define GRAPH int n, const int *nindex, const int *nlist, int *value, int *out

extern "C" __global__ void good(GRAPH)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    SUM(value)
    if (v < n)
        out[v] = sum;
}

extern "C" __global__ void good_one_block(GRAPH)
{
    int v = threadIdx.x;
    SUM(value)
    __syncthreads();
    if (v < n)
        value[v] = sum;
}

extern "C" __global__ void bad(GRAPH)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    SUM(value)
    if (v < n)
        value[v] = sum;
}

extern "C" __global__ void bad_barrier(GRAPH)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    SUM(value)
    __syncthreads();
    if (v < n)
        value[v] = sum;
}

// The strides begin at the vertex of the next thread, so the last thread is one too far.
extern "C" __global__ void bad_guard(GRAPH)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x + 1;
    SUM(value)
    if (v <= n)
        out[v] = sum;
}
