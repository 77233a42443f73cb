// what: one level of a breadth-first search: unvisited neighbours of vertices of level 1 get level 2. Two threads may write the same level into one cell: by plain stores a race, though of the same value
// launch: --grid 2 --block 4
// arg: 8
// arg: s32[9]=list:0,2,5,8,11,14,16,19,20
// arg: s32[20]=list:1,2,0,2,3,0,1,4,1,4,5,2,3,6,3,6,4,5,7,6
// arg: s32[8]=list:0,1,1,9,9,9,9,9
// arg: s32[8]
// arg: s32[1]
// expect bad_store: race
// expect bad_read: race
// expect bad_append: race
// expect good: clean
// expect good_minimum: clean
// expect good_append: clean

#define LEVEL(level_of_v, visit)                                                                 \
    int v = blockIdx.x * blockDim.x + threadIdx.x;                                               \
    if (v < n && level_of_v == 1)                                                                \
        for (int i = nindex[v]; i < nindex[v + 1]; i++) {                                        \
            int u = nlist[i];                                                                    \
            visit                                                                                \
        }
#define GRAPH int n, const int *nindex, const int *nlist, int *level, int *list, int *size
#define STRONG(cell) (*(volatile int *)&(cell))

extern "C" __global__ void good(GRAPH)
{
    LEVEL(STRONG(level[v]), atomicCAS(&level[u], 9, 2);)
}

extern "C" __global__ void good_minimum(GRAPH)
{
    LEVEL(STRONG(level[v]), if (STRONG(level[u]) > 2) atomicMin(&level[u], 2);)
}

// Who changes the level appends the vertex, so it is in the list once.
extern "C" __global__ void good_append(GRAPH)
{
    LEVEL(STRONG(level[v]), if (atomicCAS(&level[u], 9, 2) == 9) list[atomicAdd(size, 1)] = u;)
}

extern "C" __global__ void bad_store(GRAPH)
{
    LEVEL(level[v], if (level[u] == 9) level[u] = 2;)
}

extern "C" __global__ void bad_read(GRAPH)
{
    LEVEL(level[v], atomicCAS(&level[u], 9, 2);)
}

extern "C" __global__ void bad_append(GRAPH)
{
    LEVEL(STRONG(level[v]), if (atomicCAS(&level[u], 9, 2) == 9) list[(*size)++] = u;)
}
