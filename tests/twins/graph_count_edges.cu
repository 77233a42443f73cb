// what: count the edges from a lower to a higher vertex of a graph in rows (nindex, nlist); the counter is shared by all threads, and there are more threads than vertices
// launch: --grid 2 --block 32
// arg: 8
// arg: s32[9]=list:0,2,5,8,11,14,16,19,20
// arg: s32[20]=list:1,2,0,2,3,0,1,4,1,4,5,2,3,6,3,6,4,5,7,6
// arg: s32[1]
// expect bad_atomic: race
// expect bad_atomic_strided: race
// expect bad_no_guard: out-of-bounds
// expect bad_guard: out-of-bounds
// expect bad_last_edge: out-of-bounds
// expect good: clean
// expect good_strided: clean

#define COUNT(guard, past, add)                                                                  \
    int v = blockIdx.x * blockDim.x + threadIdx.x;                                               \
    if (guard)                                                                                   \
        for (int i = nindex[v]; i < nindex[v + 1] + past; i++)                                   \
            if (v < nlist[i])                                                                    \
                add;
#define COUNT_STRIDED(add)                                                                       \
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x)      \
        for (int i = nindex[v]; i < nindex[v + 1]; i++)                                          \
            if (v < nlist[i])                                                                    \
                add;
#define GRAPH int n, const int *nindex, const int *nlist, int *count

extern "C" __global__ void good(GRAPH)
{
    COUNT(v < n, 0, atomicAdd(count, 1))
}

extern "C" __global__ void good_strided(GRAPH)
{
    COUNT_STRIDED(atomicAdd(count, 1))
}

extern "C" __global__ void bad_atomic(GRAPH)
{
    COUNT(v < n, 0, (*count)++)
}

extern "C" __global__ void bad_atomic_strided(GRAPH)
{
    COUNT_STRIDED((*count)++)
}

extern "C" __global__ void bad_no_guard(GRAPH)
{
    COUNT(true, 0, atomicAdd(count, 1))
}

extern "C" __global__ void bad_guard(GRAPH)
{
    COUNT(v <= n, 0, atomicAdd(count, 1))
}

// Only the last row has nothing behind it.
extern "C" __global__ void bad_last_edge(GRAPH)
{
    COUNT(v < n, 1, atomicAdd(count, 1))
}
