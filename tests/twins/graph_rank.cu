// what: rank flows along the edges: pushed, it needs float atomics; pulled from one array into another, none; in `bad_in_place` it is pulled from the array that it goes into
// launch: --grid 2 --block 4
// arg: 8
// arg: s32[9]=list:0,2,5,8,11,14,16,19,20
// arg: s32[20]=list:1,2,0,2,3,0,1,4,1,4,5,2,3,6,3,6,4,5,7,6
// arg: f32[8]=fill:1
// arg: f32[8]
// expect bad_push: race
// expect bad_in_place: race
// expect good_push: clean
// expect good_pull: clean

#define GRAPH int n, const int *nindex, const int *nlist, float *rank, float *next
#define PUSH(add)                                                                                \
    int v = blockIdx.x * blockDim.x + threadIdx.x;                                               \
    if (v < n) {                                                                                 \
        float share = 0.85f * rank[v] / (nindex[v + 1] - nindex[v]);                             \
        for (int i = nindex[v]; i < nindex[v + 1]; i++) {                                        \
            int u = nlist[i];                                                                    \
            add;                                                                                 \
        }                                                                                        \
    }
#define PULL(into)                                                                               \
    int v = blockIdx.x * blockDim.x + threadIdx.x;                                               \
    if (v < n) {                                                                                 \
        float sum = 0.15f;                                                                       \
        for (int i = nindex[v]; i < nindex[v + 1]; i++) {                                        \
            int u = nlist[i];                                                                    \
            sum += 0.85f * rank[u] / (nindex[u + 1] - nindex[u]);                                \
        }                                                                                        \
        into[v] = sum;                                                                           \
    }

extern "C" __global__ void good_push(GRAPH)
{
    PUSH(atomicAdd(&next[u], share))
}

extern "C" __global__ void bad_push(GRAPH)
{
    PUSH(next[u] += share)
}

extern "C" __global__ void good_pull(GRAPH)
{
    PULL(next)
}

extern "C" __global__ void bad_in_place(GRAPH)
{
    PULL(rank)
}
