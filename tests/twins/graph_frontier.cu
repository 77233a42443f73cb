// what: vertices with a neighbour of lower value go into a worklist, by thread, by warp or by block; the place in the list is drawn by an atomic, once for each vertex
// launch good: --grid 2 --block 32
// launch bad_atomic: --grid 2 --block 32
// launch good_warp: --grid 4 --block 64
// launch bad_atomic_warp: --grid 4 --block 64
// launch bad_warp_all_lanes: --grid 4 --block 64
// launch bad_guard_warp: --grid 5 --block 64
// launch good_block: --grid 8 --block 64
// launch bad_sync_block: --grid 8 --block 64
// arg: 8
// arg: s32[9]=list:0,2,5,8,11,14,16,19,20
// arg: s32[20]=list:1,2,0,2,3,0,1,4,1,4,5,2,3,6,3,6,4,5,7,6
// arg: s32[8]=list:5,9,2,7,1,8,3,6
// arg: s32[8]
// arg: s32[1]
// expect bad_atomic: race
// expect bad_atomic_warp: race
// expect bad_warp_all_lanes: out-of-bounds
// expect bad_guard_warp: out-of-bounds
// expect bad_sync_block: race
// expect good: clean
// expect good_warp: clean
// expect good_block: clean

#define GRAPH                                                                                    \
    int n, const int *nindex, const int *nlist, const int *value, int *list, int *size
#define ANY_LOWER(first, stride)                                                                 \
    bool lower = false;                                                                          \
    for (int i = nindex[v] + first; i < nindex[v + 1]; i += stride)                              \
        lower |= value[nlist[i]] < value[v];

extern "C" __global__ void good(GRAPH)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n) {
        ANY_LOWER(0, 1)
        if (lower)
            list[atomicAdd(size, 1)] = v;
    }
}

extern "C" __global__ void bad_atomic(GRAPH)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n) {
        ANY_LOWER(0, 1)
        if (lower)
            list[(*size)++] = v;
    }
}

#define BY_WARP(threads, leader, append)                                                         \
    int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;               \
    if (threads) {                                                                               \
        ANY_LOWER(lane, 32)                                                                      \
        lower = __any_sync(~0u, lower);                                                          \
        if (lower && leader)                                                                     \
            append;                                                                              \
    }

extern "C" __global__ void good_warp(GRAPH)
{
    BY_WARP(v < n, lane == 0, list[atomicAdd(size, 1)] = v)
}

extern "C" __global__ void bad_atomic_warp(GRAPH)
{
    BY_WARP(v < n, lane == 0, list[(*size)++] = v)
}

// Every lane appends the vertex: 32 times too many for the list.
extern "C" __global__ void bad_warp_all_lanes(GRAPH)
{
    BY_WARP(v < n, true, list[atomicAdd(size, 1)] = v)
}

extern "C" __global__ void bad_guard_warp(GRAPH)
{
    BY_WARP(v <= n, lane == 0, list[atomicAdd(size, 1)] = v)
}

#define BY_BLOCK(barrier)                                                                        \
    __shared__ int found;                                                                        \
    int v = blockIdx.x;                                                                          \
    if (threadIdx.x == 0)                                                                        \
        found = 0;                                                                               \
    __syncthreads();                                                                             \
    ANY_LOWER(threadIdx.x, blockDim.x)                                                           \
    if (lower)                                                                                   \
        atomicOr(&found, 1);                                                                     \
    barrier;                                                                                     \
    if (threadIdx.x == blockDim.x - 1 && found)                                                  \
        list[atomicAdd(size, 1)] = v;

extern "C" __global__ void good_block(GRAPH)
{
    BY_BLOCK(__syncthreads())
}

extern "C" __global__ void bad_sync_block(GRAPH)
{
    BY_BLOCK()
}
