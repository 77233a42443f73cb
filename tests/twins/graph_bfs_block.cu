// what: a breadth-first search by one block, level by level, with a barrier after each; in `bad_sync` the barrier of the round is missing, in `bad_flag` the flag that ends the loop is cleared while others still read it
// launch: --grid 1 --block 64
// arg: 8
// arg: s32[9]=list:0,2,5,8,11,14,16,19,20
// arg: s32[20]=list:1,2,0,2,3,0,1,4,1,4,5,2,3,6,3,6,4,5,7,6
// arg: s32[8]=list:0,9,9,9,9,9,9,9
// expect bad_sync: race
// expect bad_flag: race
// expect good: clean

#define GRAPH int n, const int *nindex, const int *nlist, int *level
#define VISIT                                                                                    \
    if (v < n && ((volatile int *)level)[v] == depth)                                            \
        for (int i = nindex[v]; i < nindex[v + 1]; i++)                                          \
            if (atomicCAS(&level[nlist[i]], 9, depth + 1) == 9)                                  \
                atomicOr(&again, 1);

extern "C" __global__ void good(GRAPH)
{
    __shared__ int again;
    int v = threadIdx.x;
    for (int depth = 0;; depth++) {
        if (v == 0)
            again = 0;
        __syncthreads();
        VISIT
        __syncthreads();
        bool stop = again == 0;
        __syncthreads();
        if (stop)
            return;
    }
}

// A fixed number of rounds, so that all threads meet at the barriers.
extern "C" __global__ void bad_flag(GRAPH)
{
    __shared__ int again;
    int v = threadIdx.x;
    for (int depth = 0; depth < 6; depth++) {
        if (v == 0)
            again = 0;
        __syncthreads();
        VISIT
        __syncthreads();
        if (v == 40 && again == 0)
            level[0] = -depth;
    }
}

extern "C" __global__ void bad_sync(GRAPH)
{
    __shared__ int again;
    int v = threadIdx.x;
    for (int depth = 0; depth < 6; depth++) {
        if (v == 0)
            again = 0;
        VISIT
        __syncthreads();
    }
}
