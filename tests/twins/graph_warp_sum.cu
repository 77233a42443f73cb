// what: a warp for each vertex: its lanes share the edges, lane 0 has the sum of all by shuffles, or through shared memory with __syncwarp(); what all warps add to needs an atomic
// launch: --grid 4 --block 64
// arg: 8
// arg: s32[9]=list:0,2,5,8,11,14,16,19,20
// arg: s32[20]=list:1,2,0,2,3,0,1,4,1,4,5,2,3,6,3,6,4,5,7,6
// arg: s32[8]=list:5,9,2,7,1,8,3,6
// arg: s32[1]
// expect bad_atomic: race
// expect bad_no_syncwarp: race
// expect bad_every_lane: race
// expect good: clean
// expect good_shared: clean

#define GRAPH int n, const int *nindex, const int *nlist, const int *value, int *out
#define MY_SUM                                                                                   \
    int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, sum = 0;      \
    for (int i = nindex[v] + lane; i < nindex[v + 1]; i += 32)                                   \
        sum += value[nlist[i]];
#define SHUFFLE(add)                                                                             \
    MY_SUM                                                                                       \
    for (int d = 16; d > 0; d /= 2)                                                              \
        sum += __shfl_down_sync(~0u, sum, d);                                                    \
    add;
#define SHARED(between)                                                                          \
    __shared__ int sums[64];                                                                     \
    MY_SUM                                                                                       \
    int *mine = sums + threadIdx.x / 32 * 32;                                                    \
    mine[lane] = sum;                                                                            \
    between;                                                                                     \
    if (lane == 0) {                                                                             \
        for (int i = 1; i < 32; i++)                                                             \
            sum += mine[i];                                                                      \
        atomicAdd(out, sum);                                                                     \
    }

extern "C" __global__ void good(GRAPH)
{
    SHUFFLE(if (lane == 0) atomicAdd(out, sum))
}

extern "C" __global__ void bad_atomic(GRAPH)
{
    SHUFFLE(if (lane == 0) *out += sum)
}

extern "C" __global__ void bad_every_lane(GRAPH)
{
    SHUFFLE(if (lane < 2) *out = sum)
}

extern "C" __global__ void good_shared(GRAPH)
{
    SHARED(__syncwarp())
}

extern "C" __global__ void bad_no_syncwarp(GRAPH)
{
    SHARED()
}
