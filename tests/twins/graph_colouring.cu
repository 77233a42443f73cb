// what: colouring: a vertex takes the lowest colour that no neighbour has; neighbours must not do so at once. One block takes the vertices whose number is lowest among the uncoloured, with barriers between looking and taking
// launch good: --grid 1 --block 32
// launch bad_at_once: --grid 1 --block 32
// launch bad_no_second_barrier: --grid 1 --block 32
// launch bad_blocks: --grid 2 --block 4
// arg: 8
// arg: s32[9]=list:0,2,5,8,11,14,16,19,20
// arg: s32[20]=list:1,2,0,2,3,0,1,4,1,4,5,2,3,6,3,6,4,5,7,6
// arg: s32[8]=fill:-1
// expect bad_at_once: race
// expect bad_no_second_barrier: race
// expect bad_blocks: race
// expect good: clean

#define GRAPH int n, const int *nindex, const int *nlist, int *colour
#define LOOK                                                                                     \
    bool mine = v < n && colour[v] < 0;                                                          \
    unsigned taken = 0;                                                                          \
    if (mine)                                                                                    \
        for (int i = nindex[v]; i < nindex[v + 1]; i++) {                                        \
            int u = nlist[i], c = colour[u];                                                     \
            if (c >= 0)                                                                          \
                taken |= 1u << c;                                                                \
            else if (u < v)                                                                      \
                mine = false;                                                                    \
        }

extern "C" __global__ void good(GRAPH)
{
    int v = threadIdx.x;
    for (int round = 0; round < n; round++) {
        LOOK
        __syncthreads();
        if (mine)
            colour[v] = __ffs(~taken) - 1;
        __syncthreads();
    }
}

extern "C" __global__ void bad_no_second_barrier(GRAPH)
{
    int v = threadIdx.x;
    for (int round = 0; round < n; round++) {
        LOOK
        __syncthreads();
        if (mine)
            colour[v] = __ffs(~taken) - 1;
    }
}

extern "C" __global__ void bad_blocks(GRAPH)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    for (int round = 0; round < n; round++) {
        LOOK
        __syncthreads();
        if (mine)
            colour[v] = __ffs(~taken) - 1;
        __syncthreads();
    }
}

extern "C" __global__ void bad_at_once(GRAPH)
{
    int v = threadIdx.x;
    if (v < n) {
        unsigned taken = 0;
        for (int i = nindex[v]; i < nindex[v + 1]; i++)
            if (colour[nlist[i]] >= 0)
                taken |= 1u << colour[nlist[i]];
        colour[v] = __ffs(~taken) - 1;
    }
}
