// what: a round of shortest paths: the distance of a vertex is lowered by atomicMin, and read by the vertex itself, which must be strong, or be done from last round's copy
// launch: --grid 2 --block 4
// arg: 8
// arg: s32[9]=list:0,2,5,8,11,14,16,19,20
// arg: s32[20]=list:1,2,0,2,3,0,1,4,1,4,5,2,3,6,3,6,4,5,7,6
// arg: s32[20]=rand:2:1:9
// arg: s32[8]=list:0,100,100,100,100,100,100,100
// arg: s32[8]=list:0,100,100,100,100,100,100,100
// expect bad_atomic: race
// expect bad_read: race
// expect bad_look: race
// expect good: clean
// expect good_copy: clean
// expect good_look: clean

#define RELAX(from, update)                                                                      \
    int v = blockIdx.x * blockDim.x + threadIdx.x;                                               \
    if (v < n)                                                                                   \
        for (int i = nindex[v]; i < nindex[v + 1]; i++) {                                        \
            int *cell = &dist[nlist[i]], d = from + weight[i];                                   \
            update                                                                               \
        }
#define GRAPH                                                                                    \
    int n, const int *nindex, const int *nlist, const int *weight, const int *last, int *dist
#define STRONG(cell) (*(volatile int *)&(cell))

extern "C" __global__ void good(GRAPH)
{
    RELAX(STRONG(dist[v]), atomicMin(cell, d);)
}

extern "C" __global__ void good_copy(GRAPH)
{
    RELAX(last[v], atomicMin(cell, d);)
}

extern "C" __global__ void good_look(GRAPH)
{
    RELAX(last[v], if (d < STRONG(*cell)) atomicMin(cell, d);)
}

extern "C" __global__ void bad_atomic(GRAPH)
{
    RELAX(last[v], if (d < *cell) *cell = d;)
}

extern "C" __global__ void bad_read(GRAPH)
{
    RELAX(dist[v], atomicMin(cell, d);)
}

extern "C" __global__ void bad_look(GRAPH)
{
    RELAX(last[v], if (d < *cell) atomicMin(cell, d);)
}
