// what: count triangles, an edge for each thread, with the count gathered in shared memory; in `bad_init` nobody waits for the zero, in `bad_flush` nobody waits for the sum, in `bad_global` blocks add plainly
// launch: --grid 2 --block 32
// arg: 8
// arg: s32[9]=list:0,2,5,8,11,14,16,19,20
// arg: s32[20]=list:1,2,0,2,3,0,1,4,1,4,5,2,3,6,3,6,4,5,7,6
// arg: s32[1]
// expect bad_init: race | race+uninitialized
// expect bad_flush: race
// expect bad_global: race
// expect bad_bounds: out-of-bounds
// expect good: clean

#define GRAPH int n, const int *nindex, const int *nlist, int *triangles
#define TRIANGLES(more, first, second, add)                                                      \
    __shared__ int count;                                                                        \
    if (threadIdx.x == 0)                                                                        \
        count = 0;                                                                               \
    first;                                                                                       \
    int edges = nindex[n] + more, stride = gridDim.x * blockDim.x;                               \
    for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < edges; e += stride) {                \
        int b = nlist[e], a = 0;                                                                 \
        while (a + 1 < n && nindex[a + 1] <= e)                                                  \
            a++;                                                                                 \
        for (int i = nindex[a]; i < nindex[a + 1]; i++)                                          \
            for (int j = nindex[b]; j < nindex[b + 1]; j++)                                      \
                if (a > b && b > nlist[i] && nlist[i] == nlist[j])                               \
                    atomicAdd(&count, 1);                                                        \
    }                                                                                            \
    second;                                                                                      \
    if (threadIdx.x == 31)                                                                       \
        add;

extern "C" __global__ void good(GRAPH)
{
    TRIANGLES(0, __syncthreads(), __syncthreads(), atomicAdd(triangles, count))
}

extern "C" __global__ void bad_init(GRAPH)
{
    TRIANGLES(0, , __syncthreads(), atomicAdd(triangles, count))
}

extern "C" __global__ void bad_flush(GRAPH)
{
    TRIANGLES(0, __syncthreads(), , atomicAdd(triangles, count))
}

extern "C" __global__ void bad_global(GRAPH)
{
    TRIANGLES(0, __syncthreads(), __syncthreads(), *triangles += count)
}

extern "C" __global__ void bad_bounds(GRAPH)
{
    TRIANGLES(1, __syncthreads(), __syncthreads(), atomicAdd(triangles, count))
}
