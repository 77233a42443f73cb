// what: a block for each vertex: its threads share the edges, their sums meet in shared memory; barriers before each step, an atomic for what all add to
// launch: --grid 8 --block 64
// arg: 8
// arg: s32[9]=list:0,2,5,8,11,14,16,19,20
// arg: s32[20]=list:1,2,0,2,3,0,1,4,1,4,5,2,3,6,3,6,4,5,7,6
// arg: s32[8]=list:5,9,2,7,1,8,3,6
// arg: s32[8]
// expect bad_sync_first: race
// expect bad_sync_step: race
// expect bad_atomic: race
// expect bad_sync_read: race
// expect bad_all_write: same-value
// expect good: clean
// expect good_atomic: clean

#define GRAPH int n, const int *nindex, const int *nlist, const int *value, int *out
#define MY_SUM                                                                                   \
    int v = blockIdx.x, t = threadIdx.x, sum = 0;                                                \
    for (int i = nindex[v] + t; i < nindex[v + 1]; i += blockDim.x)                              \
        sum += value[nlist[i]];
#define TREE(first, step, writer)                                                                \
    __shared__ int sums[64];                                                                     \
    MY_SUM                                                                                       \
    sums[t] = sum;                                                                               \
    first;                                                                                       \
    for (int s = 32; s > 0; s /= 2) {                                                            \
        if (t < s)                                                                               \
            sums[t] += sums[t + s];                                                              \
        step;                                                                                    \
    }                                                                                            \
    if (writer)                                                                                  \
        out[v] = sums[0];

extern "C" __global__ void good(GRAPH)
{
    TREE(__syncthreads(), __syncthreads(), t == 0)
}

extern "C" __global__ void bad_sync_first(GRAPH)
{
    TREE(, __syncthreads(), t == 0)
}

extern "C" __global__ void bad_sync_step(GRAPH)
{
    TREE(__syncthreads(), , t == 0)
}

// All write the same value to the same place.
extern "C" __global__ void bad_all_write(GRAPH)
{
    TREE(__syncthreads(), __syncthreads(), true)
}

#define COMMON(add, barrier)                                                                     \
    __shared__ int total;                                                                        \
    if (threadIdx.x == 0)                                                                        \
        total = 0;                                                                               \
    __syncthreads();                                                                             \
    MY_SUM                                                                                       \
    add;                                                                                         \
    barrier;                                                                                     \
    if (t == 0)                                                                                  \
        out[v] = total;

extern "C" __global__ void good_atomic(GRAPH)
{
    COMMON(atomicAdd(&total, sum), __syncthreads())
}

extern "C" __global__ void bad_atomic(GRAPH)
{
    COMMON(total += sum, __syncthreads())
}

extern "C" __global__ void bad_sync_read(GRAPH)
{
    COMMON(atomicAdd(&total, sum), )
}
